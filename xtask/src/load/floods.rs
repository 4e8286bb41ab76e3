//! Clients that are slow on purpose, at full scale: what the server holds for them, and how long others wait meanwhile.
//!
//! 200 clients ask for a file of 15 MiB and do not read it; 2,000 send headers or bodies, a byte a second, with and without
//! the access token. A client that is closed comes back at once. Meanwhile programs with the token, and the user in a browser
//! session, ask on a new connection each time.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};

use super::scene::{self, build};
use crate::shell::{repository, say};

/// Clients that do not read.
const DEAF: usize = 200;
/// Clients that send a byte a second, of each kind.
const SLOW: [(usize, Slow); 4] =
    [(1000, Slow::Head), (400, Slow::Body), (400, Slow::BodyWithToken), (200, Slow::Silent)];
/// How often a client that does not read comes anew.
const ANEW: Duration = Duration::from_secs(5);
/// How much memory the server may have, in KiB.
const MEMORY: u64 = 256 * 1024;
/// Within which 99 of 100 answers to healthy clients must come.
const TIME: Duration = Duration::from_millis(100);

#[derive(Clone, Copy)]
enum Slow {
    Head,
    Body,
    BodyWithToken,
    Silent,
}

pub(super) fn run(args: &[String]) -> Result<()> {
    let seconds = args.first().map_or(Ok(30), |seconds| seconds.parse()).context("the seconds that it takes")?;
    let binary = args.get(1).map_or_else(|| repository().join("target/release/openoxide"), PathBuf::from);
    if args.len() < 2 {
        build()?;
    }
    raise_files();
    let folder = tempfile::tempdir()?;
    tree(folder.path())?;
    let server = Server::start(&binary, folder.path())?;
    say(format!("{DEAF} clients that do not read 15 MiB, 2000 slow ones, {seconds} s"));
    let stop = AtomicBool::new(false);
    let healthy: Vec<(&str, String)> = vec![
        ("list", server.request("GET /v1/skills", "")),
        ("activate", server.request("POST /v1/skills/guide/activate", "{}")),
        ("read", server.request("GET /v1/skills/guide/files/SKILL.md", "")),
        ("page", server.session.clone()),
    ];
    let measured = std::thread::scope(|scope| {
        let (server, stop) = (&server, &stop);
        scope.spawn(move || deaf(server, stop));
        scope.spawn(move || slow(server, stop));
        let tasks = healthy.into_iter().map(|(name, request)| (name, scope.spawn(move || ask(server, &request, stop))));
        let tasks: Vec<_> = tasks.collect();
        std::thread::sleep(Duration::from_secs(seconds));
        stop.store(true, Ordering::Relaxed);
        tasks.into_iter().map(|(name, task)| (name, task.join().unwrap_or_default())).collect::<Vec<_>>()
    });
    say("             answers   middle      p99  slowest   failed");
    let mut slowest = Duration::ZERO;
    let mut failed = 0;
    for (name, mut asked) in measured {
        asked.times.sort();
        let at = |share: usize| asked.times.get(asked.times.len() * share / 100).copied().unwrap_or(Duration::MAX);
        let last = asked.times.last().copied().unwrap_or(Duration::MAX);
        let millis = |time: Duration| format!("{:.1} ms", time.as_secs_f64() * 1e3);
        let (count, middle, p99) = (asked.times.len(), millis(at(50)), millis(at(99)));
        say(format!("  {name:<9} {count:>8} {middle:>8} {p99:>8} {:>8} {:>8}", millis(last), asked.failed));
        slowest = slowest.max(at(99));
        failed += asked.failed;
    }
    let memory = server.most_memory()?;
    say(format!("  memory    {memory:>8} KiB at most"));
    ensure!(memory < MEMORY, "more than {MEMORY} KiB are held");
    ensure!(slowest < TIME, "healthy clients wait longer than {TIME:?}");
    ensure!(failed == 0, "{failed} healthy requests failed");
    Ok(())
}

/// What became of the requests of a healthy client.
#[derive(Default)]
struct Asked {
    times: Vec<Duration>,
    failed: usize,
}

fn ask(server: &Server, request: &str, stop: &AtomicBool) -> Asked {
    let mut asked = Asked::default();
    while !stop.load(Ordering::Relaxed) {
        let began = Instant::now();
        let is_fine = answer(server.address, request).is_ok_and(|text| text.starts_with("HTTP/1.1 200"));
        asked.times.push(began.elapsed());
        asked.failed += usize::from(!is_fine);
        std::thread::sleep(Duration::from_millis(20));
    }
    asked
}

/// Keeps clients that do not read.
fn deaf(server: &Server, stop: &AtomicBool) {
    let request = server.request("GET /v1/skills/large/files/large.bin", "").replace("connection: close\r\n", "");
    let connect = || {
        let mut stream = TcpStream::connect(server.address).ok()?;
        stream.write_all(request.as_bytes()).ok()?;
        Some((stream, Instant::now()))
    };
    let mut clients: Vec<Option<(TcpStream, Instant)>> = (0..DEAF).map(|_| None).collect();
    while !stop.load(Ordering::Relaxed) {
        for client in &mut clients {
            if client.as_ref().is_none_or(|(_, since)| since.elapsed() > ANEW) {
                *client = connect();
            }
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Keeps clients that send a byte a second.
fn slow(server: &Server, stop: &AtomicBool) {
    let body = "content-type: application/json\r\ncontent-length: 900000\r\n\r\n";
    let begins = |kind: Slow| match kind {
        Slow::Head => "GET /v1/skills HTTP/1.1\r\nhost: localhost\r\nx-slow: ".to_owned(),
        Slow::Body => format!("POST /v1/skills/guide/activate HTTP/1.1\r\nhost: localhost\r\n{body}"),
        Slow::BodyWithToken => {
            let token = &server.token;
            format!("POST /v1/skills/guide/activate HTTP/1.1\r\nhost: localhost\r\nx-api-key: {token}\r\n{body}")
        }
        Slow::Silent => String::new(),
    };
    let connect = |kind: Slow| {
        let mut stream = TcpStream::connect(server.address).ok()?;
        stream.write_all(begins(kind).as_bytes()).ok()?;
        stream.set_nonblocking(true).ok()?;
        Some(stream)
    };
    let kinds = SLOW.into_iter().flat_map(|(count, kind)| std::iter::repeat_n(kind, count));
    let mut clients: Vec<(Slow, Option<TcpStream>)> = kinds.map(|kind| (kind, None)).collect();
    while !stop.load(Ordering::Relaxed) {
        let began = Instant::now();
        for (kind, client) in &mut clients {
            let sends = |stream: &mut TcpStream| matches!(kind, Slow::Silent) || stream.write_all(b"a").is_ok();
            let is_open = client.as_mut().is_some_and(|stream| !is_closed(stream) && sends(stream));
            if !is_open {
                *client = connect(*kind);
            }
        }
        std::thread::sleep(Duration::from_secs(1).saturating_sub(began.elapsed()));
    }
}

/// Tells whether the server has ended a connection, or has answered on it.
fn is_closed(stream: &TcpStream) -> bool {
    !matches!(stream.peek(&mut [0]), Err(error) if error.kind() == std::io::ErrorKind::WouldBlock)
}

fn answer(address: SocketAddr, request: &str) -> Result<String> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_mins(1)))?;
    stream.write_all(request.as_bytes())?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn raise_files() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
}

/// Writes a project with a skill that has a large file.
fn tree(folder: &Path) -> Result<()> {
    scene::tree(folder)?;
    let bytes: Vec<u8> =
        (0..15 * 1024 * 1024_u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let skill = folder.join("project/.agents/skills/large");
    fs_err::create_dir_all(&skill)?;
    fs_err::write(skill.join("SKILL.md"), "---\nname: large\ndescription: Has a large file\n---\n")?;
    Ok(fs_err::write(skill.join("large.bin"), bytes)?)
}

/// The server as a person starts it.
struct Server {
    child: Child,
    address: SocketAddr,
    token: String,
    /// The request for the page of the user's session.
    session: String,
}

impl Server {
    fn start(binary: &Path, folder: &Path) -> Result<Server> {
        let command = |args: &[&str]| {
            let mut command = Command::new(binary);
            command.args(args).current_dir(folder.join("project")).env_clear();
            command.env("HOME", folder.join("home")).env("PATH", "/usr/bin:/bin").stderr(Stdio::null());
            command
        };
        let mut child = command(&["serve", "--port", "0"]).stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().context("its output")?).read_line(&mut line)?;
        let mut server =
            Server { child, address: ([127, 0, 0, 1], 0).into(), token: String::new(), session: String::new() };
        let link = line.split_once("http://").context("a link")?.1.trim();
        let (address, path) = link.split_once('/').context("a link")?;
        server.address = address.parse()?;
        let token = command(&["token"]).output()?;
        server.token.push_str(String::from_utf8(token.stdout)?.trim());
        let opened =
            answer(server.address, &format!("GET /{path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n"))?;
        let header = |name: &str| opened.lines().find_map(|line| line.strip_prefix(name));
        let (Some(page), Some(cookie)) = (header("location: "), header("set-cookie: ")) else {
            bail!("no session: {opened}")
        };
        let cookie = cookie.split(';').next().unwrap_or_default();
        server.session =
            format!("GET {page} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncookie: {cookie}\r\n\r\n");
        Ok(server)
    }

    /// Writes a request of a program.
    fn request(&self, line: &str, body: &str) -> String {
        let (token, length) = (&self.token, body.len());
        let kind = if body.is_empty() { "" } else { "content-type: application/json\r\n" };
        format!(
            "{line} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nx-api-key: {token}\r\n{kind}\
             content-length: {length}\r\n\r\n{body}"
        )
    }

    /// Returns the most memory that it ever had, in KiB.
    fn most_memory(&self) -> Result<u64> {
        let status = fs_err::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).context("VmHWM")?;
        Ok(line.trim().trim_end_matches(" kB").parse()?)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
