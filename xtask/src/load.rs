//! `load`: measures how many requests a release build of the server handles.
//!
//! `wrk -t2 -c64` asks each route for some seconds, several times over. There must be no error of the server, memory must
//! stay as it is, and a skill must be activated at least half as often as the server can say that it is well, which costs
//! nothing but the way through the door. nginx, which sends the same bytes as a file, is measured beside it. `load floods`
//! measures memory and the time of healthy clients beside clients that are slow on purpose.

mod floods;
mod nginx;
mod scene;
mod wrk;

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};

use self::nginx::Nginx;
use self::scene::{build, tree};
use self::wrk::{Asked, Measured};
use crate::server::Server;
use crate::shell::{repository, run as run_command, say, works};

/// How often an activation must be answered, beside `/healthz`.
const BAR: f64 = 0.5;
/// How much memory may grow from the second run to the last, in KiB: what an allocator keeps varies a little.
const GROWTH: u64 = 8 * 1024;
/// How many runs there are.
const RUNS: usize = 5;

/// `load [SECONDS]` or `load floods [SECONDS [BINARY]]`
pub(crate) fn run(args: &[String]) -> Result<()> {
    if let Some(("floods", args)) = args.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        return floods::run(args);
    }
    let seconds = args.first().map_or(Ok(10), |seconds| seconds.parse()).context("the seconds of each measurement")?;
    if !has_programs() {
        say("SKIPPED: `wrk` and `nginx` are not there; `apt-get install wrk nginx-light` as root");
        return Ok(());
    }
    build()?;
    let folder = tempfile::tempdir()?;
    tree(folder.path())?;
    let server = start(folder.path())?;
    let nginx = Nginx::start(folder.path(), &activation(&server)?)?;
    let mut held = Vec::new();
    let mut ratios = Vec::new();
    for round in 1..=RUNS {
        say(format!("run {round} of {RUNS}: requests a second, time within which 99 of 100 are answered"));
        ratios.push(measure(&server, &nginx, seconds)?);
        held.push(memory(&server)?);
        say(format!("  memory      {:>9} KiB", held[round - 1]));
    }
    ratios.sort_by(f64::total_cmp);
    let ratio = ratios[RUNS / 2];
    say(format!(
        "an activation is answered {ratio:.2} times as often as /healthz (at least {BAR}; the middle of {RUNS} runs)"
    ));
    ensure!(ratio >= BAR, "activations are too slow");
    ensure!(held[RUNS - 1] <= held[1] + GROWTH, "memory grows: {held:?} KiB");
    Ok(())
}

/// Measures each route once; how often a skill is activated, as a share of how often `/healthz` is answered.
fn measure(server: &Server, nginx: &Nginx, seconds: u32) -> Result<f64> {
    let at = |path: &str| format!("{}{path}", server.address);
    let asked = [
        ("healthz", Asked::get(at("/healthz"))),
        ("list", Asked::get(at("/v1/skills"))),
        ("get", Asked::get(at("/v1/skills/guide"))),
        ("read", Asked::get(at("/v1/skills/guide/files/references/notes.md"))),
        ("activate", Asked::post(at("/v1/skills/guide/activate"), "{}")),
        ("nginx", Asked::get(nginx.address())),
    ];
    let mut measured: Vec<Measured> = Vec::new();
    for (name, asked) in &asked {
        let found = wrk::measure(asked, seconds)?;
        say(format!("  {name:<9} {:>11.0} {:>12}", found.rate, found.p99));
        ensure!(found.failed == 0, "{name}: {} answers were errors", found.failed);
        measured.push(found);
    }
    Ok(measured[4].rate / measured[0].rate)
}

fn has_programs() -> bool {
    let are_there = || works(Command::new("sh").args(["-c", "command -v wrk && command -v nginx"]));
    if !are_there() && rustix::process::geteuid().is_root() {
        // Without a network there is nothing to install from.
        let _ = run_command(Command::new("apt-get").args(["install", "--yes", "--quiet", "wrk", "nginx-light"]));
    }
    are_there()
}

/// Starts the server as it is handed out. It asks for no token: what is measured is how it serves.
fn start(folder: &Path) -> Result<Server> {
    let mut command = Command::new(repository().join("target/release/openoxide"));
    command.args(["serve", "--port", "0", "--auth", "none"]).current_dir(folder.join("project")).env_clear();
    Server::start(command.env("HOME", folder.join("home")).env("PATH", "/usr/bin:/bin").stderr(Stdio::null()))
}

/// Returns the bytes of an activation.
fn activation(server: &Server) -> Result<String> {
    let mut stream = TcpStream::connect(server.address.trim_start_matches("http://"))?;
    let request = "POST /v1/skills/guide/activate HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
                   content-type: application/json\r\ncontent-length: 2\r\n\r\n{}";
    stream.write_all(request.as_bytes())?;
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    let (_, body) = text.split_once("\r\n\r\n").context("an answer")?;
    ensure!(body.len() > 5 * 1024, "the activation is shorter than the skill: {text}");
    Ok(body.to_owned())
}

fn memory(server: &Server) -> Result<u64> {
    let status = fs_err::read_to_string(format!("/proc/{}/status", server.id()))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("VmRSS")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}
