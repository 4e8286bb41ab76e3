//! Completion in real shells: the script is sourced, and asked as the shell asks it.

use std::path::Path;
use std::process::Command;

use openoxide_testkit::TestContext;

use crate::support::{bin, run, skill_file, skipped, snapshot_of};

/// Lines as they are typed, and what is offered for the last word.
const LINES: [(&str, &[&str]); 12] = [
    ("openoxide expl", &["explain"]),
    ("openoxide show rel", &["release-notes"]),
    ("openoxide link deploy rel", &["release-notes"]),
    ("openoxide link deploy --into claude", &["claude-code"]),
    ("openoxide list --host clau", &["claude-code"]),
    ("openoxide explain S012", &["S0120", "S0121", "S0122", "S0123", "S0124", "S0125", "S0126", "S0127", "S0128"]),
    ("openoxide explain dep", &["deploy"]),
    ("openoxide config set my_", &["my_agents"]),
    ("openoxide check --ignore S020", &["S0201", "S0202", "S0203"]),
    ("openoxide show evil", &[]),
    ("openoxide models sm", &["small"]),
    ("openoxide models --try b", &["big"]),
];

fn project() -> TestContext {
    let context = TestContext::new();
    for name in ["deploy", "release-notes"] {
        context.tree(&skill_file("project/.agents/skills", name, name));
    }
    let models = ["small", "big"].map(|name| format!("[models.{name}]\nurl = 'http://127.0.0.1:9'\n")).concat();
    context.tree(&format!("//- home/.openoxide/config.toml\n{models}"));
    // What a shell would run, or show as something else, is not put on the line.
    context.tree(&skill_file("project/.agents/skills", "evil", "'evil$(touch oops)'"));
    context
}

/// Runs a script of a shell, with our program on the search path; `None` if there is no such shell.
fn shell(context: &TestContext, program: &str, script: &str) -> Option<String> {
    if !Path::new("/usr/bin").join(program).exists() && !Path::new("/bin").join(program).exists() {
        skipped(&format!("there is no {program}"));
        return None;
    }
    let (folder, home) = (bin().parent().unwrap().display(), context.home());
    let mut command = Command::new(program);
    command.env_clear().env("PATH", format!("{folder}:/usr/bin:/bin")).env("HOME", &home).env("TERM", "xterm");
    let output = command.args(["-c", script]).current_dir(context.project()).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(stderr, "", "{program} says nothing but what is offered");
    Some(String::from_utf8(output.stdout).unwrap())
}

/// Checks each line in a shell: `ask` writes the script that prints what is offered for it, a candidate on each line.
fn check(program: &str, ask: impl Fn(&str) -> String) {
    let context = project();
    let before = snapshot_of(&context.project());
    for (line, expected) in LINES {
        let Some(offered) = shell(&context, program, &ask(line)) else { return };
        let names: Vec<&str> = offered.lines().filter(|line| !line.is_empty()).collect();
        assert_eq!(names, expected, "{program}: {line}");
    }
    assert_eq!(snapshot_of(&context.project()), before, "{program}: nothing is written");
    let kept = fs_err::read_dir(context.home().join(".openoxide")).unwrap().count();
    assert_eq!(kept, 1, "{program}: nothing is written beside the settings");
}

#[test]
fn bash() {
    check("bash", |line| {
        format!(
            "source <(openoxide completions bash)\n\
             COMP_WORDS=({line}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); COMP_TYPE=9\n\
             _clap_complete_openoxide openoxide \"${{COMP_WORDS[COMP_CWORD]}}\" ''\n\
             printf '%s\\n' \"${{COMPREPLY[@]}}\""
        )
    });
}

#[test]
fn zsh() {
    // `_describe` and `compdef` belong to an interactive shell: what they would be given is printed.
    check("zsh", |line| {
        format!(
            "compdef() {{ :; }}\n_describe() {{ local name=${{@[-1]}}; print -l -- ${{${{(P)name}}%%:*}}; }}\n\
             source <(openoxide completions zsh)\nwords=({line}); CURRENT=$#words\n\
             _clap_dynamic_completer_openoxide || true"
        )
    });
}

#[test]
fn fish() {
    check("fish", |line| {
        format!("openoxide completions fish | source; complete --do-complete '{line}' | string replace -r '\\t.*' ''")
    });
}

#[test]
fn every_shell_has_a_script() {
    let context = TestContext::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = run(&context, &["completions", shell]);
        assert_eq!((output.status, output.stderr.as_str()), (Some(0), ""), "{shell}");
        assert!(output.stdout.contains("openoxide"), "{shell}: {output}");
    }
    assert_eq!(run(&context, &["completions", "nonsense"]).status, Some(2));
}

#[test]
fn skills_of_another_project_are_offered_for_it() {
    let context = project();
    context.tree(&skill_file("other/.agents/skills", "elsewhere", "elsewhere"));
    context.tree("//- other/.git/\n");
    let script = "source <(openoxide completions bash)\n\
                  COMP_WORDS=(openoxide show --project ../other else); COMP_CWORD=4; COMP_TYPE=9\n\
                  _clap_complete_openoxide openoxide else ''\nprintf '%s' \"${COMPREPLY[*]}\"";
    if let Some(offered) = shell(&context, "bash", script) {
        assert_eq!(offered, "elsewhere");
    }
}
