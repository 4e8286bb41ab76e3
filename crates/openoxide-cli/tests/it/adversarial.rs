//! Attacks, through every command that they can reach. Each test is named after its case.

mod access_lists;
mod arguments;
mod broken_writes;
mod callers;
mod deceptive_files;
mod door;
mod envelope;
mod exchanged;
mod exchanged_folders;
mod exchanged_trust;
mod exhaustion;
mod face;
mod first_process;
mod floods;
mod hidden_text;
mod hostile;
mod huge_files;
mod inner_files;
mod isolation;
mod linked_settings;
mod links;
mod links_of_others;
mod no_permissions;
mod permissions;
mod planted_marks;
mod planted_servers;
mod private_copy;
mod rules;
mod runaway;
mod seals;
mod second_user;
mod self_approval;
mod self_trust;
mod served_texts;
mod settings_of_others;
mod terminal;
mod writable_project;
mod writes;

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use openoxide_testkit::{Output, TestContext};
use serde_json::Value;

use crate::support::{bin, isolates, json as asked, skipped};

/// Writes a skill: what its frontmatter says besides, and its body.
fn skill(context: &TestContext, name: &str, more: &str, body: &str) {
    let folder = context.project().join(".agents/skills").join(name);
    fs_err::create_dir_all(&folder).unwrap();
    let text = format!("---\nname: {name}\ndescription: Does things\n{more}---\n{body}\n");
    fs_err::write(folder.join("SKILL.md"), text).unwrap();
}

/// Writes a file of a skill.
fn file(context: &TestContext, skill: &str, path: &str, text: &str) {
    let path = context.project().join(".agents/skills").join(skill).join(path);
    fs_err::create_dir_all(path.parent().unwrap()).unwrap();
    fs_err::write(path, text).unwrap();
}

/// Puts the project's skills where every host looks.
fn everywhere(context: &TestContext) {
    let mut tree = "//- project/config.toml\n[app.skills]\nenabled = true\n//- project/skills -> .agents/skills\n\
                    //- project/.skills -> .agents/skills\n"
        .to_owned();
    for folder in [".claude", ".opencode", ".omp", ".pi", ".crush", ".qwen", ".roo", "files"] {
        let _ = writeln!(tree, "//- project/{folder}/skills -> ../.agents/skills");
    }
    context.tree(&tree);
}

/// Returns every host that is built in, with its editions.
fn hosts(context: &TestContext) -> Vec<String> {
    let mut names = Vec::new();
    for host in asked(context, &["hosts", "--all-hosts", "--json"])["hosts"].as_array().unwrap() {
        let name = host["name"].as_str().unwrap();
        names.push(name.to_owned());
        for edition in host["editions"].as_array().unwrap() {
            names.push(format!("{name}@{}", edition.as_str().unwrap()));
        }
    }
    assert!(names.len() > 20, "{names:?}");
    names
}

/// Tells whether commands can run here; says so loudly where they cannot.
fn can_run(context: &TestContext) -> bool {
    let can = isolates(context);
    if !can {
        skipped("this machine cannot isolate a command");
    }
    can
}

/// Makes the folder that must stay empty.
fn canary(context: &TestContext) -> String {
    context.tree("//- canary/\n");
    context.root().join("canary").to_str().unwrap().to_owned()
}

fn assert_no_canary(canary: &str, what: &dyn std::fmt::Debug) {
    let there: Vec<_> = fs_err::read_dir(canary).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(there.is_empty(), "{what:?} leaves {there:?}");
}

/// Returns everything that an answer sends or says to the model.
fn said(answer: &Value) -> String {
    let lines = ["messages", "refused"].map(|key| answer[key].as_array().cloned().unwrap_or_default()).concat();
    lines.iter().map(|line| line["text"].as_str().unwrap().to_owned() + "\n").collect()
}

/// Runs a command and types one line whenever it waits behind a prompt; afterwards the end of input.
fn answering(context: &TestContext, command: &mut Command, typed: &str) -> Output {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut input, mut output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let (mut lines, mut shown, mut part) = (typed.lines(), Vec::new(), [0; 4096]);
    loop {
        let read = output.read(&mut part).unwrap_or(0);
        if read == 0 {
            break;
        }
        shown.extend_from_slice(&part[..read]);
        if shown.ends_with(b"> ") {
            let line = lines.next().map_or("\x04".to_owned(), |line| format!("{line}\n"));
            // A program that ended meanwhile needs no answer.
            let _ = input.write_all(line.as_bytes());
        }
    }
    let status = child.wait().unwrap().code();
    Output { status, stdout: context.filtered(&shown), stderr: String::new() }
}

/// Runs the binary on a terminal, where somebody types this; `None`, loudly, where there is no terminal to be had.
pub(crate) fn on_terminal(context: &TestContext, columns: u32, args: &[&str], typed: &str) -> Option<Output> {
    if !Path::new("/usr/bin/script").exists() {
        skipped("there is no `script` to make a terminal with");
        return None;
    }
    let quoted: Vec<String> = args.iter().map(|word| format!("'{}'", word.replace('\'', "'\\''"))).collect();
    let line = format!("exec {} {}\n", bin().display(), quoted.join(" "));
    let file = context.root().join("typed.sh");
    fs_err::write(&file, line).unwrap();
    let mut command: Command = context.command("/usr/bin/script".as_ref(), ["-qec"]);
    command.arg(format!("sh {}", file.display())).arg("/dev/null").env("COLUMNS", columns.to_string());
    let mut output = answering(context, &mut command, typed);
    output.stdout = output.stdout.replace("\r\n", "\n");
    Some(output)
}
