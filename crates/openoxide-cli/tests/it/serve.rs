//! `serve`: the server as a program, with commands that run, clients that go away, and signals.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use openoxide_testkit::TestContext;
use rustix::process::{Pid, Signal, kill_process};

use crate::support::{PATIENCE, bin, json, run, run_with, skipped, until};

/// A server that runs, and is killed when the test ends.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
}

impl Server {
    pub(crate) fn start(context: &TestContext, args: &[&str]) -> Server {
        let words = [&["serve", "--port", "0"], args].concat();
        Server::from(&mut context.command(bin(), words))
    }

    pub(crate) fn from(command: &mut Command) -> Server {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening at http://").and_then(|address| address.parse().ok());
        let address = address.unwrap_or_else(|| panic!("{line:?}"));
        Server { child, address }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream
    }

    /// Sends a request, and leaves its answer to be read.
    pub(crate) fn send(&self, line: &str, headers: &str, body: &str) -> TcpStream {
        let mut stream = self.connect();
        let length = body.len();
        let kind = if body.is_empty() { "" } else { "content-type: application/json\r\n" };
        let text = format!(
            "{line} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{kind}content-length: {length}\r\n{headers}\r\n{body}"
        );
        stream.write_all(text.as_bytes()).unwrap();
        stream
    }

    fn activate(&self, skill: &str) -> TcpStream {
        self.send(&format!("POST /v1/skills/{skill}/activate"), "", "{}")
    }

    pub(crate) fn get(&self, path: &str) -> (u16, String) {
        answer(self.send(&format!("GET {path}"), "", ""))
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits for the end; the exit status and what was written to standard error.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        assert!(until(PATIENCE, || self.has_ended()), "it does not end");
        let status = self.child.wait().unwrap().code();
        let mut text = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut text).unwrap();
        (status, text)
    }

    fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads an answer to its end: its status and its body.
pub(crate) fn answer(mut stream: TcpStream) -> (u16, String) {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let status = text.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    (status, text)
}

/// Tells whether something of an answer is there to be read.
fn has_answer(stream: &TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    let has_answer = stream.peek(&mut [0]).is_ok();
    stream.set_nonblocking(false).unwrap();
    has_answer
}

/// A project with a skill that runs `command` when it is called, as its user allowed; nothing where no command can run.
fn running(command: &str) -> Option<TestContext> {
    let context = TestContext::new();
    context.skill("quick", "Is there at once");
    let text = format!("---\nname: slow\ndescription: Takes its time\n---\nNow: !`{command}`\n");
    // No command ends because its time is over before a test would give up.
    let settings = "[sandbox]\nshell_time = 120\n";
    context
        .tree(&format!("//- project/.agents/skills/slow/SKILL.md\n{text}//- home/.openoxide/config.toml\n{settings}"));
    let isolation = json(&context, &["roots", "--json"])["isolation"]["mechanism"].clone();
    if isolation == "none" || isolation.is_null() {
        skipped(&format!("no command can be isolated here: {isolation}"));
        return None;
    }
    let granted = run(&context, &["trust", "--skill", "slow", "--yes"]);
    assert_eq!(granted.status, Some(0), "{granted}");
    Some(context)
}

/// A number of seconds to sleep that no other process sleeps.
fn long_time() -> String {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    format!("7{:07}{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed))
}

/// How many processes have a word in their arguments.
fn processes_with(word: &str) -> usize {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = entries.filter_map(|entry| fs_err::read(entry.path().join("cmdline")).ok());
    lines.filter(|line| line.split(|byte| *byte == 0).any(|arg| arg == word.as_bytes())).count()
}

#[test]
fn an_empty_home_is_enough() {
    let context = TestContext::new();
    let server = Server::start(&context, &[]);
    assert_eq!(server.get("/healthz").0, 200);
    let (status, text) = server.get("/v1/skills");
    assert!(status == 200 && text.contains("\"skills\":["), "{text}");
    server.signal(Signal::INT);
    let (status, told) = server.end();
    assert_eq!(status, Some(0), "{told}");
    let mut lines: Vec<serde_json::Value> = told.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let token = lines.remove(0);
    assert!(token["message"].as_str().unwrap().contains(".openoxide/state/serve-127.0.0.1-"), "{token}");
    assert_eq!((&lines[0]["path"], &lines[1]["path"]), (&"/healthz".into(), &"/v1/skills".into()), "{told}");
    assert!(lines.iter().all(|line| line["status"] == 200 && line["id"].is_string()), "{told}");
    let written: Vec<_> = fs_err::read_dir(context.home().join(".openoxide/state")).unwrap().collect();
    assert!(written.is_empty(), "looking writes nothing but the token, which goes with the server: {written:?}");
}

#[test]
fn listening_elsewhere_needs_a_token() {
    let context = TestContext::new();
    for address in ["0.0.0.0", "::", "192.0.2.1"] {
        let refused = run(&context, &["serve", "--port", "0", "--listen", address]);
        assert_eq!(refused.status, Some(2), "{refused}");
        assert!(refused.stderr.contains("without a token would let anybody"), "{refused}");
        assert!(refused.stderr.contains("--token-file"), "{refused}");
    }
    let short = run_with(&context, &["serve", "--port", "0"], &[("OPENOXIDE_TOKEN", "short".as_ref())]);
    assert!(short.status == Some(2) && short.stderr.contains("can be guessed"), "{short}");
}

#[test]
fn a_port_that_is_taken_is_told_with_the_next_step() {
    let context = TestContext::new();
    let server = Server::start(&context, &[]);
    let port = server.address.port().to_string();
    let refused = run(&context, &["serve", "--port", &port]);
    assert_eq!(refused.status, Some(2), "{refused}");
    assert!(refused.stderr.contains("another program listens at") && refused.stderr.contains("--port 0"), "{refused}");
}

#[test]
fn whoever_says_yes_shows_the_token_that_each_start_makes() {
    let context = TestContext::new();
    let file = |server: &Server| {
        let name = format!(".openoxide/state/serve-127.0.0.1-{}.token", server.address.port());
        context.home().join(name)
    };
    let shows = |server: &Server, token: &str| {
        answer(server.send("GET /healthz", &format!("authorization: Bearer {token}\r\n"), "")).0
    };
    let (first, second) = (Server::start(&context, &[]), Server::start(&context, &[]));
    let [one, other] = [&first, &second].map(|server| fs_err::read_to_string(file(server)).unwrap());
    assert!(one.len() == 64 && other.len() == 64 && one != other, "{one} {other}");
    assert_eq!((shows(&first, &one), shows(&first, &other), first.get("/healthz").0), (200, 401, 200));
    assert_eq!((shows(&second, &one), shows(&second, &other)), (401, 200), "each server has its own");

    let (gone, port) = (file(&first), first.address.port().to_string());
    first.signal(Signal::TERM);
    assert_eq!(first.end().0, Some(0));
    assert!(!gone.exists() && file(&second).exists(), "the file goes with its server");
    let again = Server::from(&mut context.command(bin(), ["serve", "--port", &port]));
    assert_eq!((shows(&again, &fs_err::read_to_string(&gone).unwrap()), shows(&again, &one)), (200, 401));
}

#[test]
fn the_log_names_the_skills_of_a_request_when_it_says_more() {
    let used = |args: &[&str], filter: &str| -> Vec<serde_json::Value> {
        let context = TestContext::new();
        context.skill("pdf", "Fills in forms");
        let words = [&["serve", "--port", "0"], args].concat();
        let server = Server::from(context.command(bin(), words).env("OPENOXIDE_LOG", filter));
        assert_eq!(answer(server.activate("pdf")).0, 200);
        server.signal(Signal::INT);
        let (_, told) = server.end();
        told.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let is_use = |line: &&serde_json::Value| line["message"] == "skill used";
    assert_eq!(used(&[], "").iter().filter(is_use).count(), 0);
    for lines in [used(&["-v"], ""), used(&[], "debug")] {
        let request = lines.iter().find(|line| line["method"] == "POST").unwrap();
        let skill = lines.iter().find(is_use).unwrap();
        assert_eq!((&skill["skill"], &skill["id"]), (&"pdf".into(), &request["id"]), "{lines:?}");
    }
    assert!(used(&["-v"], "warn").is_empty());
    let context = TestContext::new();
    let loud = context.command(bin(), ["mcp"]).env("OPENOXIDE_LOG", "openoxide=loud").output().unwrap();
    assert_eq!(loud.status.code(), Some(2));
    let told = String::from_utf8(loud.stderr).unwrap();
    assert!(told.contains("`openoxide=loud` is no filter") && told.contains("OPENOXIDE_LOG"), "{told}");
}

#[test]
fn the_token_is_shown_to_nobody() {
    const TOKEN: &str = "f00d-f00d-f00d-f00d-f00d";
    let context = TestContext::new();
    context.tree(&format!("//- home/token\n{TOKEN}\n"));
    let file = context.home().join("token");
    let mut server = Server::start(&context, &["--listen", "0.0.0.0", "--token-file", file.to_str().unwrap()]);
    server.address = ([127, 0, 0, 1], server.address.port()).into();
    let right = format!("authorization: Bearer {TOKEN}\r\n");
    assert_eq!(server.get("/healthz").0, 401);
    assert_eq!(server.get(&format!("/healthz?token={TOKEN}")).0, 401);
    assert_eq!(answer(server.send("GET /healthz", &right, "")).0, 200);
    let (_, metrics) = answer(server.send("GET /metrics", &right, ""));
    let wrong = format!("authorization: Bearer {TOKEN}x\r\n");
    let (status, text) = answer(server.send(&format!("GET /v1/skills?x={TOKEN}"), &wrong, ""));
    assert_eq!(status, 401);
    server.signal(Signal::TERM);
    let (_, told) = server.end();
    for text in [&told, &text, &metrics] {
        assert!(!text.contains("f00d"), "{text}");
    }
}

#[test]
fn a_command_is_killed_when_its_client_goes_away() {
    let time = long_time();
    let Some(context) = running(&format!("sleep {time}")) else { return };
    let server = Server::start(&context, &["--log", "off"]);
    let client = server.activate("slow");
    assert!(until(PATIENCE, || processes_with(&time) > 0), "it has not started");
    drop(client);
    assert!(until(PATIENCE, || processes_with(&time) == 0), "it still runs");
    assert_eq!(server.get("/healthz").0, 200);
}

#[test]
fn a_server_that_is_told_to_stop_leaves_nothing_behind() {
    let time = long_time();
    let Some(context) = running(&format!("sleep {time}")) else { return };
    let server = Server::start(&context, &[]);
    // More than there are places for commands: some wait.
    let commands: Vec<TcpStream> = (0..8).map(|_| server.activate("slow")).collect();
    assert!(until(PATIENCE, || processes_with(&time) >= 4), "none has started");
    let requests: Vec<TcpStream> = (0..50).map(|_| server.activate("quick")).collect();
    assert!(until(PATIENCE, || has_answer(&requests[0])), "it does not answer");
    server.signal(Signal::TERM);
    for (status, text) in requests.into_iter().map(answer) {
        assert!([200, 503].contains(&status), "{status}: {text}");
    }
    for (status, text) in commands.into_iter().map(answer) {
        assert_eq!(status, 503, "{text}");
        assert!(text.contains("\"request_id\"") && text.to_ascii_lowercase().contains("retry-after"), "{text}");
    }
    let (status, told) = server.end();
    assert_eq!(status, Some(0), "{told}");
    assert_eq!(processes_with(&time), 0, "a command is left");
    let audit = fs_err::read_to_string(context.home().join(".openoxide/state/audit.jsonl")).unwrap();
    let quick = audit.lines().filter(|line| line.contains("\"skill\":\"quick\"")).count();
    assert!(quick > 0 && audit.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()), "{audit}");
}

/// Of two servers that wait for a body that never comes, the one that gets a second signal ends first.
#[test]
fn a_second_signal_ends_it_at_once() {
    let context = TestContext::new();
    let (server, mut patient) =
        (Server::start(&context, &["--log", "off"]), Server::start(&context, &["--log", "off"]));
    let _waiting = [&server, &patient].map(|server| {
        let mut waiting = server.connect();
        let head = "POST /v1/skills/x/activate HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
                    expect: 100-continue\r\ncontent-length: 9\r\n\r\n";
        waiting.write_all(head.as_bytes()).unwrap();
        // The server says this when it begins to wait.
        let mut start = [0; 12];
        waiting.read_exact(&mut start).unwrap();
        assert_eq!(&start, b"HTTP/1.1 100");
        waiting
    });
    for server in [&patient, &server] {
        server.signal(Signal::TERM);
        assert!(until(PATIENCE, || TcpStream::connect(server.address).is_err()), "it still listens");
    }
    server.signal(Signal::INT);
    let (status, told) = server.end();
    assert!(status == Some(0) && !patient.has_ended(), "{status:?} {told}");
}

#[test]
fn costly_calls_wait_in_a_queue_that_ends_and_cheap_ones_do_not_wait() {
    // Commands end when there is a file, and not before.
    let Some(context) = running("until [ -e go ]; do sleep 0.1; done") else { return };
    let server = Server::start(&context, &["--log", "off"]);
    let calls: Vec<TcpStream> = (0..120).map(|_| server.activate("slow")).collect();
    // Four run and thirty-two wait.
    assert!(until(PATIENCE, || calls.iter().filter(|call| has_answer(call)).count() >= 84), "nobody is sent away");
    (0..5).for_each(|_| assert_eq!(server.get("/v1/skills").0, 200, "a list waits for commands"));
    fs_err::write(context.project().join("go"), "").unwrap();
    let answers: Vec<(u16, String)> = calls.into_iter().map(answer).collect();
    let count = |wanted: u16| answers.iter().filter(|(status, _)| *status == wanted).count();
    assert!(count(200) >= 36 && count(503) >= 60, "{} done, {} sent away", count(200), count(503));
    assert_eq!(count(200) + count(503), 120);
    for (_, text) in answers.iter().filter(|(status, _)| *status == 503) {
        assert!(text.to_ascii_lowercase().contains("\r\nretry-after: "), "{text}");
    }
}

#[test]
fn few_open_files_are_enough_and_nothing_spins() {
    if !Command::new("strace").args(["-D", "-o", "/dev/null", "true"]).status().is_ok_and(|status| status.success()) {
        return skipped("strace does not run here, so the calls of a full server were not counted");
    }
    let context = TestContext::new();
    let trace = context.root().join("trace");
    let mut command = context.command(std::path::Path::new("/bin/sh"), ["-c"]);
    let traced = format!("strace -D -f -qq -o {} {}", trace.display(), bin().display());
    command.arg(format!("ulimit -n 128 && exec {traced} serve --port 0 --log off"));
    let server = Server::from(&mut command);
    let held: Vec<TcpStream> = (0..300).map(|_| server.connect()).collect();
    let calls = || fs_err::read_to_string(&trace).unwrap().lines().count();
    let is_quiet = || {
        let before = calls();
        std::thread::sleep(Duration::from_secs(1));
        calls() - before < 100
    };
    // One that spins makes thousands of calls in each second.
    assert!(until(PATIENCE, is_quiet), "it never rests while it is full");
    drop(held);
    assert_eq!(server.get("/v1/skills").0, 200);
}

#[test]
fn a_port_can_stand_with_the_address() {
    let context = TestContext::new();
    for address in ["127.0.0.1:0", "localhost:0", "[::1]:0"] {
        let server = Server::from(&mut context.command(bin(), ["serve", "--log", "off", "--listen", address]));
        assert_ne!(server.address.port(), 7171, "{address}");
        assert_eq!(server.get("/healthz").0, 200, "{address}");
    }
    let twice = context.run(bin(), ["serve", "--listen", "127.0.0.1:7001", "--port", "7002"]);
    assert_eq!(twice.status, Some(2));
    assert!(twice.stderr.contains("name the port once"), "{}", twice.stderr);
    let none = context.run(bin(), ["serve", "--token-file", "none"]);
    assert!(none.stderr.contains("`--token-file` cannot be read"), "{}", none.stderr);
}

#[test]
fn it_says_what_to_paste_and_never_the_token() {
    let context = TestContext::new();
    let token = "0123456789abcdef0123456789abcdef";
    let mut command = context.command(bin(), ["serve", "--port", "0", "--log", "text"]);
    let server = Server::from(command.env("OPENOXIDE_TOKEN", token));
    let url = format!("http://{}/mcp", server.address);
    server.signal(Signal::TERM);
    let (_, told) = server.end();
    let line =
        format!("claude mcp add --transport http openoxide {url} --header \"Authorization: Bearer $OPENOXIDE_TOKEN\"");
    let others = format!("openoxide mcp --print-config CLIENT --url {url} --with-token");
    assert!(
        told.contains(&line) && told.contains("\n  gemini mcp add ") && told.contains(&others) && !told.contains(token),
        "{told}"
    );
}

#[test]
fn tools_and_publishing_are_as_told() {
    let context = TestContext::new();
    context.tree("//- project/.agents/skills/a/SKILL.md\n---\nname: a\ndescription: A\n---\n");
    let all = Server::start(&context, &[]);
    let less = Server::start(&context, &["--no-well-known", "--tool-taken", "skill"]);
    let index = "/.well-known/agent-skills/index.json";
    assert_eq!((all.get(index).0, less.get(index).0), (200, 404));
    let tools = |server: &Server| {
        let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}"#;
        let headers = "accept: application/json, text/event-stream\r\nmcp-protocol-version: 2026-07-28\r\nmcp-method: tools/list\r\n";
        answer(server.send("POST /mcp", headers, body)).1
    };
    let (plain, taken) = (tools(&all), tools(&less));
    assert!(plain.contains("\"name\":\"skill\""), "{plain}");
    assert!(taken.contains("\"tools\"") && !taken.contains("\"name\":\"skill\""), "{taken}");
    let typo = run(&context, &["serve", "--port", "0", "--host", "nobody"]);
    assert_eq!(typo.status, Some(2), "{typo}");
}
