//! Links that lead out of a project: named with the reason on every face, and nothing behind them is read.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};

use openoxide_testkit::TestContext;
use serde_json::{Value, json};

use crate::serve::{Server, answer};
use crate::support::{bin, json as asked, run, run_with, skipped};

const CANARY: &str = "CANARY-OUTSIDE";

/// Every way out that a repository can carry: a linked file, folder and root, metadata, a command, the system's files.
fn hostile() -> TestContext {
    let context = TestContext::new();
    let text = format!("---\nname: stolen\ndescription: {CANARY}\n---\n{CANARY}\n");
    context.tree(&format!("//- outside/dir/SKILL.md\n{text}//- outside/dir/extra.md\n{CANARY}\n"));
    context.tree(&format!("//- outside/root/inner/SKILL.md\n{text}//- outside/one.md\n{text}"));
    context.tree(&format!("//- outside/agents/openai.yaml\ninterface:\n  display_name: {CANARY}\n"));
    context.tree(&format!("//- outside/plugin.json\n{{\"name\": \"{CANARY}\"}}\n"));
    context.tree(
        "//- project/.git/HEAD\nref\n\
         //- project/.claude/skills/plain/SKILL.md\n---\nname: plain\ndescription: Plain\n---\nPlain.\n\
         //- project/.claude/skills/file/SKILL.md -> ../../../../outside/one.md\n\
         //- project/.claude/skills/folder -> ../../../outside/dir\n\
         //- project/.claude/skills/hop -> folder\n\
         //- project/.claude/skills/environ/SKILL.md -> /proc/self/environ\n\
         //- project/.claude/skills/cwd -> /proc/self/cwd/../outside/dir\n\
         //- project/.claude/commands/command.md -> ../../../outside/one.md\n\
         //- project/.agents/skills -> ../../outside/root\n\
         //- project/.codex -> ../outside\n\
         //- project/.opencode/skills/file/SKILL.md -> ../../../../outside/one.md\n\
         //- project/.omp/skills/folder -> ../../../outside/dir\n\
         //- project/.claude/skills/side/SKILL.md\n---\nname: side\ndescription: Side\n---\nSide.\n\
         //- project/.claude/skills/side/agents -> ../../../../outside/agents\n\
         //- project/.claude/skills/side/out.md -> ../../../../outside/one.md\n\
         //- project/.claude/skills/side/.codex-plugin/plugin.json -> ../../../../../outside/plugin.json\n",
    );
    context
}

fn assert_held(what: &dyn std::fmt::Debug, text: &str) {
    assert!(!text.contains(CANARY) && !text.contains("SECRET-VARIABLE"), "{what:?}: {text}");
}

#[test]
fn a03_no_command_reads_behind_a_link_that_leads_out() {
    let context = hostile();
    let ways: [&[&str]; 12] = [
        &["list", "--all", "--json"],
        &["prompt"],
        &["check"],
        &["check", "."],
        &["show", "file"],
        &["show", "folder", "--json"],
        &["read", "file"],
        &["read", "folder", "extra.md"],
        &["read", "side", "out.md"],
        &["activate", "file", "--yes"],
        &["activate", "stolen", "--yes"],
        &["search", "plain"],
    ];
    let every: Vec<String> = super::hosts(&context);
    for host in &every {
        // Listing is every host's own; the rest is the same for those that follow links.
        let has_all = ["claude-code", "codex", "opencode", "omp"].contains(&host.as_str());
        for way in &ways[..if has_all { ways.len() } else { 2 }] {
            let args: Vec<&str> = [way, &["--host", host][..]].concat();
            let output = run_with(&context, &args, &[("SECRET", "SECRET-VARIABLE".as_ref())]);
            assert_held(&args, &output.to_string());
        }
    }
    assert_held(&"overview", &run(&context, &[]).to_string());
}

#[test]
fn a03_a_link_that_leads_out_is_named_with_the_reason() {
    let context = hostile();
    let list = asked(&context, &["list", "--all", "--json", "--host", "claude-code"]);
    let others = list["others"].as_array().unwrap();
    for name in ["file", "folder", "hop", "environ"] {
        let entry = others.iter().find(|entry| entry["name"] == name).unwrap_or_else(|| panic!("{name}: {list:#}"));
        assert!(entry["reason"].as_str().unwrap().starts_with("S0018"), "{entry:#}");
        assert_eq!(entry["standing"], "invalid", "{entry:#}");
    }
    let problems = asked(&context, &["list", "--json", "--host", "codex"])["problems"].to_string();
    assert!(problems.contains("S0018") && problems.contains(".agents/skills"), "{problems}");
}

/// What `link` makes, and what people keep in their own folders, goes on to work.
#[test]
fn a03_links_that_stay_or_belong_to_the_user_are_followed() {
    let context = TestContext::new();
    let text = |name: &str| format!("---\nname: {name}\ndescription: About {name}\n---\nBody of {name}.\n");
    context.tree(&format!(
        "//- project/.git/HEAD\nref\n//- project/shared/inside/SKILL.md\n{}//- home/.agents/skills/mine/SKILL.md\n{}\
         //- home/dotfiles/stowed/SKILL.md\n{}//- home/dotfiles/one.md\n{}\
         //- project/.claude/skills/inside -> ../../shared/inside\n\
         //- project/.claude/skills/mine -> ../../../home/.agents/skills/mine\n\
         //- project/.claude/skills/stowed -> ../../../home/dotfiles/stowed\n\
         //- home/.claude/skills/stowed -> ../../dotfiles/stowed\n\
         //- home/.claude/skills/one/SKILL.md -> ../../../dotfiles/one.md\n",
        text("inside"),
        text("mine"),
        text("stowed"),
        text("one"),
    ));
    for name in ["inside", "mine", "stowed", "one"] {
        let output = run(&context, &["activate", name, "--host", "claude-code"]);
        assert!(output.stdout.contains(&format!("Body of {name}.")), "{name}: {output}");
    }
    let list = |context: &TestContext| run(context, &["list", "--all", "--host", "claude-code"]).stdout;
    assert!(list(&context).contains("S0018"), "{}", list(&context));
    let trusted = format!("//- home/.openoxide/config.toml\n[trust]\nfolders = [{:?}]\n", context.project());
    context.tree(&trusted);
    assert!(!list(&context).contains("S0018"), "a trusted project's links lead to what the user owns");
}

/// The server's own state is read through no link, not even in a trusted project.
#[test]
fn a03_the_state_folder_and_the_system_are_never_reached() {
    let context = TestContext::new();
    context.tree(&format!(
        "//- project/.git/HEAD\nref\n//- home/.openoxide/state/secret.md\n---\nname: stolen\ndescription: {CANARY}\n---\n\
         //- home/.openoxide/config.toml\n[trust]\nfolders = [{:?}]\n\
         //- project/.claude/skills/state/SKILL.md -> ../../../../home/.openoxide/state/secret.md\n\
         //- project/.claude/skills/whole -> ../../../home/.openoxide\n\
         //- project/.claude/skills/environ/SKILL.md -> /proc/self/environ\n\
         //- home/.claude/skills/state/SKILL.md -> ../../../.openoxide/state/secret.md\n\
         //- home/.claude/skills/environ/SKILL.md -> /proc/self/environ\n",
        context.project()
    ));
    for way in [["list", "--all"], ["prompt", "--json"], ["check", "."], ["show", "state"], ["show", "environ"]] {
        let args: Vec<&str> = [&way[..], &["--host", "claude-code"]].concat();
        let output = run_with(&context, &args, &[("SECRET", "SECRET-VARIABLE".as_ref())]);
        assert_held(&args, &output.to_string());
    }
}

/// Asks a server for everything that could show what is behind a link.
fn requests() -> Vec<String> {
    let mut lines = Vec::new();
    for host in ["claude-code", "codex", "opencode", "omp", "openoxide"] {
        lines.push(format!("GET /v1/skills?host={host}&all=true"));
        lines.push(format!("GET /v1/prompt?host={host}"));
        for name in ["file", "folder", "stolen", "hop", "environ", "inner"] {
            lines.push(format!("GET /v1/skills/{name}?host={host}"));
            lines.push(format!("GET /v1/skills/{name}/files?host={host}"));
            lines.push(format!("GET /v1/skills/{name}/files/SKILL.md?host={host}"));
            lines.push(format!("GET /v1/skills/{name}/files/extra.md?host={host}"));
            lines.push(format!("POST /v1/skills/{name}/activate?host={host}"));
        }
    }
    lines
}

#[test]
fn a03_no_route_reads_behind_a_link_that_leads_out() {
    let context = hostile();
    let server = Server::start(&context, &["--log", "off"]);
    let mut lines = requests();
    lines.extend(["GET /.well-known/agent-skills/index.json", "GET /skill", "GET /command"].map(str::to_owned));
    for line in lines {
        let body = if line.starts_with("POST") { "{}" } else { "" };
        let (_, text) = answer(server.send(&line, "", body));
        assert_held(&line, &text);
    }
}

/// Talks to our MCP server over its standard input; returns everything that it says.
fn mcp(context: &TestContext, args: &[&str], calls: &[Value]) -> String {
    let mut child = context.command(bin(), args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut input, mut output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()).lines());
    let hello = json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" },
    });
    let first = [json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello })];
    let mut said = String::new();
    for (id, call) in first.iter().chain(calls).enumerate() {
        let mut call = call.clone();
        call["jsonrpc"] = json!("2.0");
        call["id"] = json!(id);
        writeln!(input, "{call}").unwrap();
        loop {
            let line = output.next().expect("an answer").unwrap();
            said += &line;
            if serde_json::from_str::<Value>(&line).unwrap()["id"] == json!(id) {
                break;
            }
        }
    }
    drop(input);
    child.wait().unwrap();
    said
}

#[test]
fn a03_no_mcp_method_reads_behind_a_link_that_leads_out() {
    let context = hostile();
    let mut calls = vec![
        json!({ "method": "resources/list" }),
        json!({ "method": "prompts/list" }),
        json!({ "method": "tools/list" }),
    ];
    for name in ["file", "folder", "stolen", "environ", "side"] {
        calls.push(json!({ "method": "tools/call", "params": { "name": "skill", "arguments": { "name": name } } }));
        calls.push(json!({ "method": "tools/call", "params": { "name": "Skill", "arguments": { "skill": name } } }));
        for file in ["SKILL.md", "extra.md", "out.md"] {
            calls.push(json!({ "method": "resources/read", "params": { "uri": format!("skill://{name}/{file}") } }));
        }
    }
    for host in ["claude-code", "codex", "opencode"] {
        let said = mcp(&context, &["mcp", "--host", host], &calls);
        assert!(said.contains("plain") || host != "claude-code", "{said}");
        assert_held(&host, &said);
    }
}

/// Exchanges a file, a skill's folder and a root for links, again and again, while `look` looks.
fn raced(context: &TestContext, look: impl Fn(usize) -> Vec<String>) {
    let (root, stop) = (context.root().to_owned(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let swap = |place: &Path, aside: &Path, to: &Path| {
                drop(fs_err::rename(place, aside));
                drop(std::os::unix::fs::symlink(to, place));
                drop(fs_err::remove_file(place));
                drop(fs_err::rename(aside, place));
            };
            let skills = root.join("project/.claude/skills");
            while !stop.load(Ordering::Relaxed) {
                swap(&skills.join("plain/SKILL.md"), &root.join("project/a"), &root.join("outside/one.md"));
                swap(&skills.join("plain"), &root.join("project/b"), &root.join("outside/dir"));
                swap(&skills, &root.join("project/c"), &root.join("outside/race"));
            }
        });
        for round in 0..ROUNDS {
            for answer in look(round) {
                if answer.contains(CANARY) {
                    stop.store(true, Ordering::Relaxed);
                    panic!("round {round}: {answer}");
                }
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
}

const ROUNDS: usize = 25;

fn racing() -> TestContext {
    let context = TestContext::new();
    let stolen = format!("---\nname: plain\ndescription: {CANARY}\n---\n{CANARY}\n");
    context.tree(&format!(
        "//- project/.git/HEAD\nref\n\
         //- project/.claude/skills/plain/SKILL.md\n---\nname: plain\ndescription: Plain\n---\nPlain.\n\
         //- project/.claude/skills/plain/extra.md\nExtra.\n\
         //- outside/one.md\n{stolen}//- outside/dir/SKILL.md\n{stolen}//- outside/dir/extra.md\n{CANARY}\n\
         //- outside/race/plain/SKILL.md\n{stolen}//- outside/race/plain/extra.md\n{CANARY}\n"
    ));
    context
}

#[test]
fn a03_no_command_is_raced_out_of_the_project() {
    let context = racing();
    let ways: [&[&str]; 5] =
        [&["list", "--all"], &["prompt"], &["activate", "plain"], &["read", "plain", "extra.md"], &["check"]];
    raced(&context, |round| {
        let args: Vec<&str> = [ways[round % ways.len()], &["--host", "claude-code"]].concat();
        vec![run(&context, &args).to_string()]
    });
}

#[test]
fn a03_no_server_is_raced_out_of_the_project() {
    let context = racing();
    let server = Server::start(&context, &["--log", "off"]);
    raced(&context, |_| {
        let get = |line: &str| answer(server.send(line, "", "")).1;
        let ways = ["", "/files/SKILL.md", "/files/extra.md"];
        let mut answers: Vec<String> =
            ways.iter().map(|way| get(&format!("GET /v1/skills/plain{way}?host=claude-code"))).collect();
        answers.push(get("GET /v1/skills?host=claude-code"));
        answers.push(answer(server.send("POST /v1/skills/plain/activate?host=claude-code", "", "{}")).1);
        answers
    });
}

/// A mount that comes while we serve is not served; the mounts of the search are.
#[test]
fn a03_what_is_mounted_over_a_skill_is_not_served() {
    let context = racing();
    // In a namespace of its own, where mounting harms nobody.
    let script = format!(
        "set -e; cd {root}/project; mount --make-rprivate /; \
         mkfifo {root}/in; {bin} mcp --host claude-code < {root}/in > {root}/out & exec 3> {root}/in; \
         say() {{ echo \"$1\" >&3; }}; answered() {{ until grep -q '\"id\":'$1'[,}}]' {root}/out; do sleep 0.05; done; }}; \
         say '{hello}'; answered 0; say '{call}'; answered 1; \
         mount --bind {root}/outside/dir {root}/project/.claude/skills/plain; \
         say '{again}'; answered 2; say '{read}'; answered 3; exec 3>&-; wait",
        root = context.root().display(),
        bin = bin().display(),
        hello = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#,
        call =
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"Skill","arguments":{"skill":"plain"}}}"#,
        again =
            r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"Skill","arguments":{"skill":"plain"}}}"#,
        read = r#"{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"skill://plain/extra.md"}}"#,
    );
    let can = context.answer(&mut context.command("unshare".as_ref(), ["-rm", "true"])).status == Some(0);
    if !can {
        skipped("this machine gives no mount namespace");
        return;
    }
    let output = context.answer(&mut context.command("unshare".as_ref(), ["-rm", "sh", "-c", &script]));
    let said = fs_err::read_to_string(context.root().join("out")).unwrap_or_default();
    assert!(said.contains("Plain."), "it was served before: {output}\n{said}");
    assert_held(&output, &said);
}

#[test]
fn a61_version_control_in_a_skill_is_not_read_listed_or_published() {
    let context = TestContext::new();
    context.tree(&format!(
        "//- project/.git/HEAD\nref\n//- project/.claude/skills/plain/SKILL.md\n---\nname: plain\ndescription: Plain\n---\nPlain.\n\
         //- project/.claude/skills/plain/.git/config\n{CANARY}\n//- project/.claude/skills/plain/deep/.git/config\n{CANARY}\n\
         //- project/.claude/skills/plain/way.md -> .git/config\n//- project/.claude/skills/plain/folder -> .git\n"
    ));
    for path in [".git/config", "./.git/config", ".git", "deep/.git/config", "way.md", "folder/config", ".GIT/config"] {
        let output = run(&context, &["read", "plain", path, "--host", "claude-code"]);
        assert!(output.status != Some(0), "{path}: {output}");
        assert_held(&path, &output.to_string());
    }
    let server = Server::start(&context, &["--log", "off"]);
    for path in ["", "/.git/config", "/deep/.git/config", "/way.md", "/folder/config"] {
        let (_, text) = answer(server.send(&format!("GET /v1/skills/plain/files{path}?host=claude-code"), "", ""));
        assert_held(&path, &text);
        assert!(!path.is_empty() || !text.contains(".git"), "{text}");
    }
}

/// Everything that a folder holds, to see whether it was touched.
fn held(context: &TestContext, folder: &str) -> Vec<String> {
    crate::support::snapshot_of(&context.root().join(folder))
}

#[test]
fn a03_fixing_writes_nothing_behind_a_link() {
    let bad = "---\nname: Bad_Name\ndescription: Use it: now\n---\n";
    for trusted in [false, true] {
        let context = TestContext::new();
        context.tree(&format!(
            "//- project/.git/HEAD\nref\n//- outside/dir/SKILL.md\n{bad}//- outside/lower/skill.md\n{bad}//- outside/one.md\n{bad}\
             //- project/.agents/skills/own/SKILL.md\n---\nname: own\ndescription: Use it: now\n---\n\
             //- project/.agents/skills/dir -> ../../../outside/dir\n//- project/.agents/skills/lower -> ../../../outside/lower\n\
             //- project/.agents/skills/file/SKILL.md -> ../../../../outside/one.md\n//- project/.claude/skills -> ../../outside\n"
        ));
        if trusted {
            let folders = format!("//- home/.openoxide/config.toml\n[trust]\nfolders = [{:?}]\n", context.project());
            context.tree(&folders);
        }
        let before = held(&context, "outside");
        let ways: [&[&str]; 4] = [&[], &["."], &[".agents/skills"], &[".agents/skills/own", ".agents/skills/file"]];
        for way in ways {
            let output = run(&context, &[&["check", "--fix"], way].concat());
            assert_eq!(held(&context, "outside"), before, "trusted: {trusted}, {way:?}: {output}");
        }
        let own = fs_err::read_to_string(context.project().join(".agents/skills/own/SKILL.md")).unwrap();
        assert!(own.contains("\"Use it: now\"") || own.contains("'Use it: now'"), "what is inside is fixed: {own}");
    }
}

#[test]
fn a03_a_new_skill_is_not_made_behind_a_link() {
    let context = TestContext::new();
    context.tree("//- project/.git/HEAD\nref\n//- outside/keep\nk\n//- project/.agents -> ../outside\n");
    let before = held(&context, "outside");
    let output = run(&context, &["new", "fresh"]);
    assert!(output.status != Some(0) && output.stderr.contains("leads out of the project"), "{output}");
    assert_eq!(held(&context, "outside"), before);
}
