//! `app-server` as a program that starts it sees it.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use openoxide_testkit::TestContext;
use serde_json::{Value, json};

use crate::support::{PATIENCE, all_blocks, bin, blocks, is_shown, repository, run, skipped, until};

/// A server in a process of its own.
struct Server {
    child: Child,
    input: Option<ChildStdin>,
    output: Lines<BufReader<ChildStdout>>,
}

impl Server {
    fn start(context: &TestContext, args: &[&str]) -> Server {
        let mut command = context.command(bin(), ["app-server"].iter().chain(args));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap()).lines();
        let input = child.stdin.take();
        let mut server = Server { child, input, output };
        let hello = json!({ "clientInfo": { "name": "t", "version": "1" }, "capabilities": { "skillsAsk": true } });
        server.send(&json!({ "id": "hello", "method": "initialize", "params": hello }));
        server.wait(|message| message["id"] == "hello");
        server
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    fn wait(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let line = self.output.next().expect("an answer").unwrap();
            let message = serde_json::from_str(&line).unwrap();
            if wanted(&message) {
                return message;
            }
        }
    }

    fn call(&mut self, method: &str, params: &Value) -> Value {
        self.send(&json!({ "id": method, "method": method, "params": params }));
        let mut answer = self.wait(|message| message["id"] == method);
        assert!(answer["error"].is_null(), "{answer}");
        answer["result"].take()
    }

    /// Ends the input; returns the exit status.
    fn end(mut self) -> Option<i32> {
        drop(self.input.take());
        let ended = until(PATIENCE, || self.child.try_wait().unwrap().is_some());
        if !ended {
            self.child.kill().unwrap();
        }
        assert!(ended, "it does not end with its input");
        self.child.wait().unwrap().code()
    }
}

#[test]
fn it_answers_and_ends_with_its_input() {
    let context = TestContext::new();
    context.skill("pdf", "About PDF");
    let mut server = Server::start(&context, &[]);
    let listed = server.call("skills/list", &json!({}));
    assert_eq!(listed["data"][0]["skills"][0]["name"], "pdf");
    assert_eq!(server.end(), Some(0));
    assert!(!context.home().join(".openoxide").exists(), "looking writes nothing");
}

/// The conversation of the documentation goes as it says, and has every method of its tables.
#[test]
fn the_documentation_tells_the_truth() {
    let page = fs_err::read_to_string(repository("docs/app-server.md")).unwrap();
    let context = TestContext::new();
    for block in all_blocks(&page) {
        if let Some(path) = block.info.strip_prefix("markdown ") {
            context.tree(&format!("//- project/{path}\n{}", block.text));
        }
    }
    let mut command = context.command(bin(), ["app-server"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let output = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut server = Server { input: child.stdin.take(), child, output };
    let talk = blocks(&page, "json-rpc").remove(0).text;
    // Notices come when something happens, which an example cannot time.
    let mut notices = Vec::new();
    for line in talk.lines() {
        if let Some(sent) = line.strip_prefix("> ") {
            writeln!(server.input.as_mut().unwrap(), "{sent}").unwrap();
            continue;
        }
        let shown: Value = serde_json::from_str(line.strip_prefix("< ").unwrap()).unwrap();
        if shown.get("id").is_none() && notices.iter().any(|came| is_shown(&shown, came)) {
            continue;
        }
        let came = loop {
            let came: Value = serde_json::from_str(&server.output.next().expect("an answer").unwrap()).unwrap();
            if came.get("id").is_some() == shown.get("id").is_some() {
                break came;
            }
            notices.push(came);
        };
        assert!(is_shown(&shown, &came), "the page has:\n{shown}\nand this came:\n{came}");
    }
    assert_eq!(server.end(), Some(0));
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    let named = rows.filter_map(|row| row.split('|').nth(1)).flat_map(|cell| cell.split('`').skip(1).step_by(2));
    let methods: Vec<&str> = named.filter(|name| name.contains('/') || *name == "initialize").collect();
    assert!(methods.len() > 15, "{methods:?}");
    for method in methods.iter().filter(|method| !method.starts_with("skills/remote/")) {
        assert!(talk.contains(&format!("\"method\": \"{method}\"")), "the conversation has no `{method}`");
    }
}

/// A script can send everything at once and read the answers at the end.
#[test]
fn what_was_asked_before_the_end_is_answered() {
    let context = TestContext::new();
    context.skill("pdf", "About PDF");
    let mut server = Server::start(&context, &["--host", "codex"]);
    server.send(&json!({ "id": 1, "method": "skills/list", "params": {} }));
    drop(server.input.take());
    let listed = server.wait(|message| message["id"] == 1);
    assert_eq!(listed["result"]["data"][0]["skills"][0]["scope"], "repo");
    assert_eq!(server.end(), Some(0));
}

#[test]
fn options_are_the_same_as_everywhere() {
    let context = TestContext::new();
    context.tree("//- more/x/SKILL.md\n---\nname: x\ndescription: d\n---\n");
    let more = context.root().join("more");
    let mut server = Server::start(&context, &["--add-dir", more.to_str().unwrap()]);
    assert_eq!(server.call("skills/list", &json!({}))["data"][0]["skills"][0]["name"], "x");
    assert_eq!(server.end(), Some(0));
    let wrong = run(&context, &["app-server", "--host", "nobody"]);
    assert_eq!((wrong.status, wrong.stdout.as_str()), (Some(2), ""), "{wrong}");
}

#[test]
fn a_command_that_runs_ends_with_the_client() {
    // A time that no other process sleeps, and that the user allows: the command does not end by itself.
    let time = format!("9{:07}", std::process::id());
    let context = TestContext::new();
    context.tree(&format!(
        "//- project/.agents/skills/slow/SKILL.md\n---\nname: slow\ndescription: d\n---\nA !`sleep {time}` b\n\
         //- home/.openoxide/config.toml\n[sandbox]\nshell_time = 120\n"
    ));
    let mut server = Server::start(&context, &[]);
    let roots = server.call("skills/roots", &json!({}));
    if roots["isolation"]["mechanism"] == "none" {
        return skipped("this machine cannot isolate a command");
    }
    server.send(&json!({ "id": "call", "method": "skills/activate", "params": { "skill": "slow" } }));
    let question = server.wait(|message| message["method"] == "skills/ask");
    assert_eq!(question["params"]["question"]["kind"], "requested-permissions", "{question}");
    server.send(&json!({ "id": question["id"], "result": { "choice": "once" } }));
    assert!(until(PATIENCE, || is_running(&time)), "the command starts");
    assert_eq!(server.end(), Some(0));
    assert!(until(PATIENCE, || !is_running(&time)), "the command ends");
}

/// Tells whether a process sleeps for this time.
fn is_running(time: &str) -> bool {
    let wanted = format!("sleep\0{time}\0");
    let processes = fs_err::read_dir("/proc").unwrap().filter_map(Result::ok);
    processes
        .into_iter()
        .any(|process| fs_err::read(process.path().join("cmdline")).is_ok_and(|line| line.ends_with(wanted.as_bytes())))
}
