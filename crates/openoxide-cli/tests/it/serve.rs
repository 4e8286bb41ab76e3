//! `serve`: the server as a program, with commands that run, clients that go away, and signals.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use openoxide_testkit::TestContext;
use rustix::process::{Pid, Signal, kill_process};

use crate::support::{PATIENCE, bin, json, run, run_with, skipped, until};

/// A server that runs, and is killed when the test ends.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
    /// What it printed.
    pub(crate) line: String,
    /// The access token, which requests show that say nothing else.
    pub(crate) token: String,
}

impl Server {
    pub(crate) fn start(context: &TestContext, args: &[&str]) -> Server {
        let words = [&["serve", "--port", "0"], args].concat();
        // As people start it: with the skills that come with it.
        Server::from(context.command(bin(), words).env_remove("OPENOXIDE_SYSTEM_SKILLS"))
    }

    pub(crate) fn from(command: &mut Command) -> Server {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().split_once(" http://").map_or(line.trim(), |(_, address)| address);
        let address = address.strip_prefix("at http://").unwrap_or(address).split('/').next().unwrap_or_default();
        let address = address.parse().unwrap_or_else(|_| panic!("{line:?}"));
        let token = token(command);
        Server { child, address, line: line.trim().to_owned(), token }
    }

    fn connect(&self) -> TcpStream {
        connect(self.address)
    }

    /// Sends a request of a program, and leaves its answer to be read.
    pub(crate) fn send(&self, line: &str, headers: &str, body: &str) -> TcpStream {
        let shown = if headers.contains("authorization") { "" } else { &format!("x-api-key: {}\r\n", self.token) };
        self.send_bare(line, &format!("host: localhost\r\n{shown}{headers}"), body)
    }

    /// Sends a request that shows nothing but these headers.
    pub(crate) fn send_bare(&self, line: &str, headers: &str, body: &str) -> TcpStream {
        send(self.address, line, headers, body)
    }

    fn activate(&self, skill: &str) -> TcpStream {
        self.send(&format!("POST /v1/skills/{skill}/activate"), "", "{}")
    }

    pub(crate) fn get(&self, path: &str) -> (u16, String) {
        answer(self.send(&format!("GET {path}"), "", ""))
    }

    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Returns the most memory that it ever had, in KiB.
    pub(crate) fn peak_memory(&self) -> u64 {
        let status = fs_err::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
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

/// Returns the token that a server with these variables asks for.
fn token(command: &Command) -> String {
    let variable = |name: &str| {
        let found = command.get_envs().find(|(key, _)| *key == name).and_then(|(_, value)| value);
        found.map(|value| value.to_string_lossy().into_owned())
    };
    let file = || fs_err::read_to_string(format!("{}/.openoxide/state/token", variable("HOME")?)).ok();
    variable("OPENOXIDE_TOKEN").or_else(file).unwrap_or_default()
}

/// A browser in which the link of a server was opened.
pub(crate) struct Browser {
    address: SocketAddr,
    base: String,
    cookie: String,
}

impl Server {
    /// Opens a link in a browser; the answer, if it opens nothing.
    pub(crate) fn open(&self, line: &str) -> Result<Browser, String> {
        let path = line.split_once(&self.address.to_string()).map(|(_, path)| path.trim()).unwrap_or_default();
        let (status, text) = answer(self.send_bare(&format!("GET {path}"), &format!("host: {}\r\n", self.address), ""));
        if status != 303 {
            return Err(text);
        }
        let header = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).unwrap().to_owned();
        let cookie = header("set-cookie: ").split(';').next().unwrap().to_owned();
        Ok(Browser { address: self.address, base: header("location: "), cookie })
    }
}

impl Browser {
    /// Sends a request of the page to an address of the server.
    pub(crate) fn send(&self, line: &str, kind: &str, body: &str) -> (u16, String) {
        let (method, path) = line.split_once(" /").unwrap();
        let Browser { address, base, cookie } = self;
        let kind = if kind.is_empty() { String::new() } else { format!("content-type: {kind}\r\n") };
        let headers = format!("host: {address}\r\ncookie: {cookie}\r\norigin: http://{address}\r\n{kind}");
        answer(send(*address, &format!("{method} {base}{path}"), &headers, body))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    stream
}

/// Sends a request with these headers and a length, and leaves its answer to be read.
fn send(address: SocketAddr, line: &str, headers: &str, body: &str) -> TcpStream {
    let mut stream = connect(address);
    let length = body.len();
    let is_json = !body.is_empty() && !headers.contains("content-type");
    let kind = if is_json { "content-type: application/json\r\n" } else { "" };
    let text = format!("{line} HTTP/1.1\r\nconnection: close\r\n{kind}content-length: {length}\r\n{headers}\r\n{body}");
    stream.write_all(text.as_bytes()).unwrap();
    stream
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
    assert!(lines.remove(0)["message"].as_str().unwrap().contains("OpenOxide's own skills are now in"), "{told}");
    assert!(lines.remove(0)["message"].as_str().unwrap().contains("openoxide serve --link"), "{told}");
    assert_eq!((&lines[0]["path"], &lines[1]["path"]), (&"/healthz".into(), &"/v1/skills".into()), "{told}");
    assert!(lines.iter().all(|line| line["status"] == 200 && line["id"].is_string()), "{told}");
    let written = fs_err::read_dir(context.home().join(".openoxide/state")).unwrap();
    let mut written: Vec<_> = written.map(|entry| entry.unwrap().file_name()).collect();
    written.sort();
    assert_eq!(written, ["links", "token"], "looking writes nothing but what admits people and programs");
}

#[test]
fn listening_elsewhere_is_never_open_to_everybody() {
    let context = TestContext::new();
    for address in ["0.0.0.0", "::", "192.0.2.1"] {
        let refused = run(&context, &["serve", "--port", "0", "--listen", address, "--auth", "none"]);
        assert_eq!(refused.status, Some(2), "{refused}");
        assert!(refused.stderr.contains("would let anyone"), "{refused}");
        assert!(refused.stderr.contains("leave out `--auth none`"), "{refused}");
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
fn one_token_of_the_user_admits_to_every_server_until_there_is_another() {
    let context = TestContext::new();
    let printed = || run(&context, &["token"]);
    let made = printed();
    assert!(made.status == Some(0) && made.stdout.trim().len() == 64 && made.stderr.is_empty(), "{made}");
    let (first, second) = (Server::start(&context, &[]), Server::start(&context, &[]));
    let shows = |server: &Server, token: &str| {
        answer(server.send("GET /v1/skills", &format!("authorization: Bearer {token}\r\n"), "")).0
    };
    let old = made.stdout.trim();
    assert_eq!((shows(&first, old), shows(&second, old), shows(&first, "0123456789abcdef")), (200, 200, 401));
    let third = Server::start(&context, &["--new-token"]);
    let new = printed().stdout.trim().to_owned();
    assert_ne!(new, old);
    assert_eq!((shows(&third, &new), shows(&third, old)), (200, 401));
    first.signal(Signal::TERM);
    assert_eq!(first.end().0, Some(0));
    assert_eq!(printed().stdout.trim(), new, "it outlives every server");
}

#[test]
fn a_token_that_is_not_the_users_alone_is_refused() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let context = TestContext::new();
    run(&context, &["token"]);
    let file = context.home().join(".openoxide/state/token");
    let refused = |why: &str| {
        for words in [&["token"][..], &["serve", "--port", "0", "--log", "text"]] {
            let output = run(&context, words);
            assert!(output.status == Some(2) && output.stderr.contains(why) && output.stdout.is_empty(), "{output}");
        }
    };
    fs_err::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    refused("others can read or change it (mode 644)");
    fs_err::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    let elsewhere = context.home().join("elsewhere");
    fs_err::rename(&file, &elsewhere).unwrap();
    symlink(&elsewhere, &file).unwrap();
    refused("it is a link");
    fs_err::remove_file(&file).unwrap();
    if rustix::process::geteuid().is_root() {
        run(&context, &["token"]);
        std::os::unix::fs::chown(&file, Some(65534), None).unwrap();
        refused("it belongs to another user (uid 65534)");
    } else {
        skipped("only root can give a file away");
    }
}

#[test]
fn the_link_that_is_printed_opens_a_page_once_and_another_can_be_had() {
    let context = TestContext::new();
    context.skill("pdf", "Fills in forms");
    context.tree("//- home/.openoxide/config.toml\n[permission.skill]\npdf = \"ask\"\n");
    let server = Server::start(&context, &["-v"]);
    assert!(server.line.starts_with(&format!("open http://{}/open/", server.address)), "{}", server.line);
    let (status, asked) = answer(server.activate("pdf"));
    assert_eq!(status, 202, "{asked}");
    let handle = asked.split("\"handle\":\"").nth(1).unwrap().split('"').next().unwrap();
    let browser = server.open(&server.line).unwrap();
    assert!(server.open(&server.line).is_err(), "it works once");
    let (status, page) = browser.send("GET /", "", "");
    assert!(status == 200 && page.contains(handle), "{page}");
    assert!(page.contains("Your agents") && page.contains("No agent was found on this machine"), "{page}");
    let form = "application/x-www-form-urlencoded";
    assert_eq!(browser.send(&format!("POST /questions/{handle}"), form, "answer=once").0, 303);
    let (status, done) = answer(server.activate("pdf"));
    assert!(status == 200 && done.contains("# pdf"), "{done}");
    let port = server.address.port().to_string();
    let another = run(&context, &["serve", "--link", "--port", &port]);
    assert_eq!(another.status, Some(0), "{another}");
    assert!(server.open(&another.stdout).is_ok(), "{another}");
    assert!(server.open(&another.stdout).is_err(), "it works once");
    let (line, token, cookie) = (server.line.clone(), server.token.clone(), browser.cookie.clone());
    let base = browser.base.clone();
    server.signal(Signal::TERM);
    let (_, told) = server.end();
    let audit = fs_err::read_to_string(context.home().join(".openoxide/state/audit.jsonl")).unwrap();
    let secrets = [line.rsplit('/').next().unwrap(), &token, cookie.split('=').nth(1).unwrap(), base.as_str(), handle];
    for secret in secrets {
        assert!(secret.len() >= 32 && !told.contains(secret) && !audit.contains(secret), "{secret}: {told}{audit}");
    }
    let gone = run(&context, &["serve", "--link", "--port", &port]);
    assert!(gone.status == Some(2) && gone.stderr.contains("no server answers"), "{gone}");
}

/// The page speaks of the user's agents, as the overview does, to the user alone.
#[test]
fn the_page_shows_your_agents_to_you() {
    let context = TestContext::new();
    let skill = "---\nname: pdf\ndescription: Fills in forms\n---\nx\n";
    context.tree(&format!(
        "//- home/.claude/skills/pdf/SKILL.md\n{skill}//- home/.codex/skills/broken/SKILL.md\nno frontmatter\n\
         //- home/.codex/skills/pdf/SKILL.md\n{skill}"
    ));
    let server = Server::start(&context, &[]);
    let browser = server.open(&server.line).unwrap();
    let (status, page) = browser.send("GET /", "", "");
    let agent = |title: &str| format!("<strong>{title}</strong><span class=\"dim\"> 1 active, ");
    assert!(status == 200 && page.contains(&agent("Claude Code")) && page.contains(&agent("Codex")), "{page}");
    assert!(page.contains("1 whole") && page.contains("To fix") && page.contains("broken"), "{page}");
    let program = server.get("/").1;
    assert!(!program.contains("Your agents"), "{program}");
}

#[test]
fn where_nothing_has_to_be_shown_nothing_is_approved_and_other_folders_are_not_served() {
    let context = TestContext::new();
    context.skill("pdf", "Fills in forms");
    context.tree(
        "//- home/.openoxide/config.toml\n[permission.skill]\npdf = \"ask\"\n\
         //- other/.agents/skills/theirs/SKILL.md\n---\nname: theirs\ndescription: Theirs\n---\n\
         //- second/.agents/skills/ours/SKILL.md\n---\nname: ours\ndescription: Ours\n---\n\
         //- alias -> second\n",
    );
    let root = context.root().display().to_string();
    let project = context.project().display().to_string();
    let args = ["--auth", "none", "--project", &project, "--project", &format!("{root}/second")];
    let server = Server::start(&context, &args);
    assert!(server.line.starts_with("listening at http://"), "{}", server.line);
    let bare = |line: &str, headers: &str, body: &str| {
        answer(server.send_bare(line, &format!("host: localhost\r\n{headers}"), body))
    };
    for headers in ["", "authorization: Bearer wrong\r\n", "x-api-key: wrong\r\n"] {
        assert_eq!(bare("GET /v1/skills", headers, "").0, 200, "{headers}");
    }
    for (folder, expected) in [("second", 200), ("alias", 200), ("other", 403), ("second/../other", 403), ("none", 403)]
    {
        let (status, text) = bare(&format!("GET /v1/skills?directory={root}/{folder}"), "", "");
        assert_eq!(status, expected, "{folder}: {text}");
        assert!(!text.contains("theirs"), "{text}");
        let (status, text) = bare("GET /skill", &format!("x-opencode-directory: {root}/{folder}\r\n"), "");
        assert!([200, expected].contains(&status) && !text.contains("theirs"), "{folder}: {text}");
    }
    assert_eq!(bare(&format!("GET /v1/skills?directory={project}"), "", "").0, 200);
    let (status, asked) = bare("POST /v1/skills/pdf/activate", "", "{}");
    assert_eq!(status, 202, "{asked}");
    let handle = asked.split("\"handle\":\"").nth(1).unwrap().split('"').next().unwrap();
    let (status, text) = bare(&format!("POST /v1/activations/{handle}"), "", "{\"answer\": \"once\"}");
    assert!(status == 403 && text.contains("needs-proof"), "{text}");
    assert_eq!(bare("POST /v1/skills/pdf/activate", "", "{\"as\": \"user\"}").0, 403);
    assert_eq!(bare("POST /v1/skills/pdf/disable", "", "{}").0, 403);
    assert_eq!(bare(&format!("GET /open/{}", "0".repeat(32)), "", "").0, 404);
    server.signal(Signal::TERM);
    let (_, told) = server.end();
    assert!(told.contains("nothing can be approved here"), "{told}");
    let twice = run(&context, &["list", "--project", &project, "--project", &root]);
    assert!(twice.status == Some(2) && twice.stderr.contains("only `serve` takes several"), "{twice}");
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
    chmod(&file, 0o600);
    let mut server = Server::start(&context, &["--listen", "0.0.0.0", "--token-file", file.to_str().unwrap()]);
    server.address = ([127, 0, 0, 1], server.address.port()).into();
    let right = format!("authorization: Bearer {TOKEN}\r\n");
    server.token = "none-at-all-of-this".to_owned();
    assert_eq!(server.get("/v1/skills").0, 401);
    assert_eq!(server.get(&format!("/v1/skills?token={TOKEN}")).0, 401);
    assert_eq!(answer(server.send("GET /v1/skills", &right, "")).0, 200);
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
        assert!(text.contains("\"request_id\"") && !text.to_ascii_lowercase().contains("retry-after"), "{text}");
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
        let head = format!(
            "POST /v1/skills/x/activate HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
             x-api-key: {}\r\nexpect: 100-continue\r\ncontent-length: 9\r\n\r\n",
            server.token
        );
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
        assert!(!text.to_ascii_lowercase().contains("\r\nretry-after: "), "nobody knows when: {text}");
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

fn chmod(path: &Path, mode: u32) {
    fs_err::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
}

#[test]
fn a_token_that_others_know_or_wrote_is_not_used() {
    let context = TestContext::new();
    let file = context.root().join("token");
    fs_err::write(&file, "0123456789abcdef0123456789abcdef").unwrap();
    let args = ["serve", "--port", "0", "--token-file", file.to_str().unwrap()];
    for mode in [0o644, 0o666, 0o620] {
        chmod(&file, mode);
        let refused = context.run(bin(), args);
        assert_eq!(refused.status, Some(2), "{refused}");
        assert!(
            refused.stderr.contains("others can read or change it") && refused.stderr.contains("chmod 600 "),
            "{refused}"
        );
    }
    chmod(&file, 0o600);
    if std::os::unix::fs::chown(&file, Some(65_534), None).is_ok() {
        let refused = context.run(bin(), args);
        assert!(refused.stderr.contains("it belongs to another user"), "{refused}");
        std::os::unix::fs::chown(&file, Some(rustix::process::geteuid().as_raw()), None).unwrap();
    }
    // A shell puts a pipe there.
    let piped = format!("exec {} serve --port 0 --log off --token-file <(cat {})", bin().display(), file.display());
    let mut server = Server::from(&mut context.command(Path::new("/bin/bash"), ["-c", &piped]));
    server.token = "0123456789abcdef0123456789abcdef".to_owned();
    assert_eq!(server.get("/v1/skills").0, 200);
}

#[test]
fn another_token_counts_at_servers_that_run() {
    let context = TestContext::new();
    let mut first = Server::start(&context, &["--log", "off"]);
    let old = first.token.clone();
    assert_eq!(first.get("/v1/skills").0, 200);
    let second = Server::start(&context, &["--log", "off", "--new-token"]);
    assert_ne!(second.token, old);
    assert_eq!(first.get("/v1/skills").0, 401, "the last token opens nothing more");
    first.token.clone_from(&second.token);
    assert_eq!((first.get("/v1/skills").0, second.get("/v1/skills").0), (200, 200));
}

#[test]
fn no_link_is_written_where_others_read_it() {
    let context = TestContext::new();
    let (output, told) = (context.root().join("output"), context.root().join("told"));
    for (mode, wanted) in [(0o644, "listening at http://"), (0o640, "listening at http://"), (0o600, "open http://")] {
        fs_err::write(&output, "").unwrap();
        chmod(&output, mode);
        let mut command = context.command(bin(), ["serve", "--port", "0", "--log", "text"]);
        let into = |path: &Path| fs_err::OpenOptions::new().append(true).create(true).open(path).unwrap().into_file();
        let mut child = command.stdout(into(&output)).stderr(into(&told)).spawn().unwrap();
        let said = || fs_err::read_to_string(&told).unwrap();
        let is_ready = until(PATIENCE, || fs_err::read_to_string(&output).unwrap().ends_with('\n'));
        let has_said = until(PATIENCE, || said().contains("serve --link"));
        child.kill().unwrap();
        child.wait().unwrap();
        let line = fs_err::read_to_string(&output).unwrap();
        assert!(is_ready && has_said && line.starts_with(wanted), "{mode:o}: {line}{}", said());
        assert_eq!(line.contains("/open/"), mode == 0o600, "{mode:o}: {line}");
        assert_eq!(said().contains("others can read the file"), mode != 0o600, "{mode:o}: {}", said());
        fs_err::remove_file(&told).unwrap();
    }
}

#[test]
fn it_says_what_to_paste_and_never_the_token() {
    let context = TestContext::new();
    let token = "0123456789abcdef0123456789abcdef";
    let file = context.root().join("my token");
    fs_err::write(&file, token).unwrap();
    chmod(&file, 0o600);
    let program = bin().display();
    let plain = ["serve", "--port", "0", "--log", "text"];
    let named = [&plain[..], &["--token-file", file.to_str().unwrap()]].concat();
    let with = |command: &mut Command, text: Option<String>| {
        let server = Server::from(command);
        let url = format!("http://{}/mcp", server.address);
        let port = server.address.port();
        server.signal(Signal::TERM);
        let (_, told) = server.end();
        let line = format!(
            "claude mcp add --transport http openoxide {url} --header 'Authorization: Bearer ${{OPENOXIDE_TOKEN}}'"
        );
        let others = format!("{program} mcp --print-config CLIENT --url {url}");
        let link = format!("`{program} serve --link --port {port}` prints another");
        for wanted in [&line, "\n  gemini mcp add ", &others, &link] {
            assert!(told.contains(wanted), "{wanted}: {told}");
        }
        let variable = told.lines().find_map(|line| line.strip_prefix("  export OPENOXIDE_TOKEN="));
        assert_eq!(variable.map(str::to_owned), text, "{told}");
        assert!(!told.contains(token), "{told}");
        let stdio = told.find("claude mcp add openoxide -- ").unwrap();
        assert!(stdio < told.find(&line).unwrap(), "what needs no token comes first: {told}");
    };
    // What a line names is what this server asks for, and can be run from where it is pasted.
    with(&mut context.command(bin(), plain), Some(format!("\"$({program} token)\"")));
    with(&mut context.command(bin(), &named), Some(format!("\"$(cat '{}')\"", file.display())));
    with(context.command(bin(), plain).env("OPENOXIDE_TOKEN", token), None);
}

/// Where a shell finds the program by its name, the lines have the name.
#[test]
fn a_program_on_the_search_path_is_called_by_its_name() {
    let context = TestContext::new();
    context.tree("//- bin/\n//- other/openoxide exec\n");
    std::os::unix::fs::symlink(bin(), context.root().join("bin/openoxide")).unwrap();
    let variable = |folder: &str| {
        let mut command =
            context.command(bin(), ["mcp", "--print-config", "codex", "--url", "http://127.0.0.1:7171/mcp"]);
        let output = context.answer(command.env("PATH", context.root().join(folder)));
        assert_eq!(output.status, Some(0), "{output}");
        output.stderr.lines().find(|line| line.contains("export")).unwrap().trim().to_owned()
    };
    assert_eq!(variable("bin"), "export OPENOXIDE_TOKEN=\"$(openoxide token)\"");
    assert!(!variable("other").contains("(openoxide "), "another program of that name is not meant");
}

/// The address that `serve` prints for the page is as good as that of the endpoint.
#[test]
fn settings_for_the_address_of_a_server_name_its_endpoint() {
    let context = TestContext::new();
    for url in ["http://127.0.0.1:7171", "http://127.0.0.1:7171/", "http://127.0.0.1:7171/mcp"] {
        let output = run(&context, &["mcp", "--print-config", "codex", "--url", url]);
        assert!(output.stdout.contains("\"http://127.0.0.1:7171/mcp\""), "{url}: {output}");
    }
}

/// Who owns a folder that somebody else publishes does not publish another one by a link.
#[test]
fn a_project_that_was_exchanged_is_not_published() {
    let context = TestContext::new();
    let skill = |name: &str| format!("---\nname: {name}\ndescription: A\n---\n");
    context.tree(&format!(
        "//- project/.agents/skills/ours/SKILL.md\n{}//- private/.agents/skills/secret/SKILL.md\n{}",
        skill("ours"),
        skill("secret")
    ));
    let server = Server::start(&context, &["--publish"]);
    let index = || answer(server.send_bare("GET /.well-known/agent-skills/index.json", "host: localhost\r\n", "")).1;
    assert!(index().contains("ours"));
    fs_err::rename(context.project(), context.root().join("aside")).unwrap();
    std::os::unix::fs::symlink(context.root().join("private"), context.project()).unwrap();
    assert!(until(PATIENCE, || !index().contains("ours")), "the change is noticed");
    assert!(!index().contains("secret"), "{}", index());
}

#[test]
fn tools_and_publishing_are_as_told() {
    let context = TestContext::new();
    context.tree("//- project/.agents/skills/a/SKILL.md\n---\nname: a\ndescription: A\n---\n");
    let all = Server::start(&context, &["--publish"]);
    let less = Server::start(&context, &["--tool-taken", "skill"]);
    let index = "GET /.well-known/agent-skills/index.json";
    let bare = |server: &Server| answer(server.send_bare(index, "host: localhost\r\n", "")).0;
    assert_eq!((bare(&all), bare(&less), answer(less.send(index, "", "")).0), (200, 401, 404));
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
