//! Serving where the system cannot tell what changed, or had too much to tell.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use openoxide_testkit::TestContext;
use rustix::process::Signal;

use crate::serve::Server;
use crate::support::{PATIENCE, bin, skipped, until};

/// Returns a command of ours in a namespace of its own, where the system allows so many of something; nothing where no
/// such namespace is to be had.
fn limited(context: &TestContext, limit: &str, number: usize, words: &[&str]) -> Option<Command> {
    let set = format!("echo {number} > /proc/sys/user/{limit}");
    let inside =
        |script: &str| context.command(Path::new("unshare"), ["--user", "--map-root-user", "sh", "-c", script]);
    if !inside(&set).stderr(Stdio::null()).status().is_ok_and(|status| status.success()) {
        skipped(&format!("`{limit}` cannot be set in a user namespace here"));
        return None;
    }
    let mut command = inside(&format!("{set} && exec \"$0\" \"$@\""));
    command.arg(bin()).args(words);
    Some(command)
}

fn shows(server: &Server, word: &str) -> bool {
    until(PATIENCE, || server.get("/v1/skills").1.contains(word))
}

/// Ends a server and returns what it told, each line of it JSON.
fn told(server: Server) -> Vec<serde_json::Value> {
    server.signal(Signal::TERM);
    let (status, told) = server.end();
    assert_eq!(status, Some(0), "{told}");
    let read = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    told.lines().map(read).collect()
}

fn messages(lines: &[serde_json::Value], level: &str, word: &str) -> usize {
    let has = |line: &&serde_json::Value| {
        line["level"] == level && line["message"].as_str().is_some_and(|message| message.contains(word))
    };
    lines.iter().filter(has).count()
}

#[test]
fn where_a_program_reads_every_line_is_json() {
    let context = TestContext::new();
    context.tree("//- home/.openoxide/config.toml\nnonsense = 1\n");
    let server = Server::start(&context, &["--log", "json"]);
    assert_eq!(server.get("/healthz").0, 200);
    let lines = told(server);
    assert_eq!(messages(&lines, "warning", "nonsense"), 1, "{lines:?}");
    assert_eq!(messages(&lines, "info", "openoxide serve --link"), 1, "{lines:?}");
    assert!(lines.iter().any(|line| line["path"] == "/healthz"), "{lines:?}");
}

/// Serves with too few of something: that is said once, and changes are seen all the same.
fn is_looked_at_again_and_again(limit: &str, number: usize, why: &str) {
    let context = TestContext::new();
    for number in 0..20 {
        context.skill(&format!("skill-{number}"), "Here from the start");
    }
    let Some(mut command) = limited(&context, limit, number, &["serve", "--port", "0"]) else { return };
    let server = Server::from(&mut command);
    assert!(shows(&server, "Here from the start"));
    for word in ["First", "Second"] {
        context.skill("new", word);
        assert!(shows(&server, word), "{word}");
    }
    let lines = told(server);
    assert_eq!(messages(&lines, "warning", why), 1, "{lines:?}");
}

#[test]
fn a_watcher_that_cannot_start_is_said_and_changes_are_seen() {
    is_looked_at_again_and_again("max_inotify_instances", 0, "max_user_instances");
}

#[test]
fn too_few_watches_are_said_and_changes_are_seen() {
    is_looked_at_again_and_again("max_inotify_watches", 10, "max_user_watches");
}

#[test]
fn whoever_starts_us_is_told_too() {
    for name in ["mcp", "app-server"] {
        let context = TestContext::new();
        let Some(mut command) = limited(&context, "max_inotify_instances", 0, &[name]) else { return };
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.as_mut().unwrap()).read_line(&mut line).unwrap();
        assert!(line.starts_with("warning: ") && line.contains("max_user_instances"), "{name}: {line}");
        drop(child.stdin.take());
        let output = child.wait_with_output().unwrap();
        assert!(output.stdout.is_empty(), "{name} said it where answers go");
    }
}

/// The server sleeps while more happens than the system can keep for it, so that what happens then is told to nobody.
#[test]
fn what_the_system_could_not_tell_is_found() {
    let queue = fs_err::read_to_string("/proc/sys/fs/inotify/max_queued_events");
    let Some(queue) = queue.ok().and_then(|queue| queue.trim().parse::<usize>().ok()).filter(|&queue| queue <= 200_000)
    else {
        return skipped("nobody knows how much the system keeps, or it is too much");
    };
    let context = TestContext::new();
    context.skill("a", "First").skill("b", "Stays");
    context.tree("//- home/.agents/skills/mine/SKILL.md\n---\nname: mine\ndescription: Before\n---\nDo it.\n");
    let server = Server::start(&context, &["--log", "off"]);
    assert!(shows(&server, "Before"));
    context.skill("a", "Watched");
    assert!(shows(&server, "Watched"), "it watches");
    server.signal(Signal::STOP);
    // The same twice in a row is told once.
    let files = ["a", "b"].map(|name| context.project().join(".agents/skills").join(name).join("notes.txt"));
    for _ in 0..queue / 2 + 1_000 {
        for file in &files {
            fs_err::write(file, "x").unwrap();
        }
    }
    context.tree("//- home/.agents/skills/mine/SKILL.md\n---\nname: mine\ndescription: After\n---\nDo it.\n");
    server.signal(Signal::CONT);
    assert!(shows(&server, "After"));
    context.skill("a", "Second");
    assert!(shows(&server, "Second"), "it goes on watching");
}
