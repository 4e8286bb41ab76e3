//! `mcp` as a program that starts it sees it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use openoxide_testkit::TestContext;
use serde_json::{Value, json};

use crate::support::{PATIENCE, bin, until};

/// Calls a skill, and returns what is in the audit log when the process has ended.
fn audited(args: &[&str], messages: &[Value]) -> String {
    let context = TestContext::new();
    context.skill("pdf", "About PDF");
    let mut child = context.command(bin(), args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    for message in messages {
        writeln!(input, "{message}").unwrap();
        while let Some(id) = message.get("id") {
            let answer: Value = serde_json::from_str(&output.next().expect("an answer").unwrap()).unwrap();
            if answer.get("id") == Some(id) {
                break;
            }
        }
    }
    drop(input);
    assert!(child.wait().unwrap().success());
    fs_err::read_to_string(context.home().join(".openoxide/state/audit.jsonl")).unwrap_or_default()
}

#[test]
fn what_was_done_is_written_down_before_the_process_ends() {
    let info = json!({ "name": "t", "version": "1" });
    let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info });
    let mcp = [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({
            "jsonrpc": "2.0", "id": 2, "method": "tools/call",
            "params": { "name": "skill", "arguments": { "name": "pdf" } },
        }),
    ];
    let rpc = [
        json!({ "id": 1, "method": "initialize", "params": { "clientInfo": info } }),
        json!({ "id": 2, "method": "skills/activate", "params": { "skill": "pdf" } }),
    ];
    for (command, messages) in [("mcp", mcp.as_slice()), ("app-server", rpc.as_slice())] {
        let log = audited(&[command], messages);
        assert!(log.contains("\"skill\":\"pdf\"") && log.contains("\"decision\":\"allow\""), "{command}: {log}");
    }
}

/// A client that has said its last word and reads nothing keeps no process.
#[test]
fn it_ends_when_nobody_reads_what_it_says() {
    let context = TestContext::new();
    context.skill("pdf", &"About PDF. ".repeat(80));
    let mut child = context.command(bin(), ["mcp"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut output = BufReader::new(output);
    let info = json!({ "name": "t", "version": "1" });
    let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info });
    writeln!(input, "{}", json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello })).unwrap();
    output.read_line(&mut String::new()).unwrap();
    writeln!(input, "{}", json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).unwrap();
    for id in 1..=100 {
        writeln!(input, "{}", json!({ "jsonrpc": "2.0", "id": id, "method": "tools/list" })).unwrap();
    }
    drop(input);
    let ended = until(PATIENCE, || child.try_wait().unwrap().is_some());
    if !ended {
        child.kill().unwrap();
    }
    assert!(child.wait().unwrap().success() && ended, "it does not end");
    let answers = output.lines().count();
    assert!(answers < 100, "it was never stuck: {answers}");
}

/// A package manager exchanges what a link leads to: settings that name the link stay right.
#[test]
fn the_settings_name_the_link_that_was_called() {
    let context = TestContext::new();
    let link = context.root().join("openoxide-link");
    std::os::unix::fs::symlink(bin(), &link).unwrap();
    let output = context.answer(&mut context.command(&link, ["mcp", "--print-config", "codex"]));
    assert!(output.stdout.contains("command = \"[ROOT]/openoxide-link\""), "{output}");
}
