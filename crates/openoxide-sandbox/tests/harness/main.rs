//! The program that the tests of this crate start: a small runtime, and the helper that it starts.
//!
//! `sandbox-harness (bubblewrap | landlock | any) [OPTION VALUE]… -- PROGRAM ARG…` runs a command and prints how it ended
//! to standard error, and what the command wrote to standard output. `sandbox-harness probe` prints what is there.

#![allow(clippy::print_stdout, clippy::print_stderr, missing_docs)]

use std::io::{Read as _, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use openoxide_sandbox::{Command, Isolation, Limits, Probe, Stop, helper, run, run_until};

fn main() -> ExitCode {
    if let Some(code) = helper::main_if_asked() {
        return code;
    }
    let mut args = std::env::args().skip(1);
    let mechanism = args.next().expect("a mechanism");
    let mut probe = Probe::new().expect("our own path");
    let mut command = Command::new("true", Limits { time: Duration::from_secs(20), ..Limits::SCRIPT });
    let mut cwd = None;
    let mut stop = None;
    let mut drop_landlock = false;
    while let Some(option) = args.next().filter(|option| option != "--") {
        let mut value = || args.next().expect("a value");
        match option.as_str() {
            "--write" => command.policy = command.policy.write(value()),
            "--write-bare" => command.policy.writable.push(value().into()),
            "--read" => command.policy = command.policy.read(value()),
            "--seal" => command.policy.sealed.push(value().into()),
            "--network" => command.policy.network = true,
            "--merge" => command.merge = true,
            "--stdin" => drop(std::io::stdin().read_to_end(&mut command.stdin).expect("input")),
            "--cwd" => cwd = Some(PathBuf::from(value())),
            "--env" => {
                let pair = value();
                let (name, value) = pair.split_once('=').expect("NAME=VALUE");
                command.env.set(name, value).expect("a variable");
            }
            "--time" => command.limits.time = Duration::from_millis(value().parse().expect("milliseconds")),
            "--output" => command.limits.output = value().parse().expect("bytes"),
            "--processes" => command.limits.processes = value().parse().expect("a number"),
            "--memory" => command.limits.memory = value().parse().expect("bytes"),
            "--file-size" => command.limits.file_size = value().parse().expect("bytes"),
            "--stop-after" => stop = Some(stop_after(value().parse().expect("milliseconds"))),
            "--bwrap-in" => probe.folders = vec![value().into()],
            "--helper" => probe.helper = value().into(),
            "--without-landlock" => probe.without_landlock = true,
            "--drop-landlock" => drop_landlock = true,
            "--project" => command.policy.project = Some(value().into()),
            other => panic!("unknown option {other}"),
        }
    }
    command.cwd = cwd;
    if mechanism == "landlock" {
        probe.folders.clear();
    }
    let mut isolation = Isolation::probe(&probe);
    if drop_landlock {
        // After the probe, which would refuse root without it: the other layers have to hold by themselves.
        isolation.landlock = 0;
    }
    if mechanism == "probe" {
        println!("{isolation}");
        return ExitCode::SUCCESS;
    }
    assert!(mechanism == "any" || mechanism == isolation.mechanism.as_str(), "not there: {isolation:?}");
    command.program = args.next().expect("a program").into();
    command.args = args.map(Into::into).collect();
    let ran = match &stop {
        None => run(&isolation, &command),
        Some(stop) => run_until(&isolation, &command, stop),
    };
    match ran {
        Ok(outcome) => {
            std::io::stdout().write_all(&outcome.stdout).expect("output");
            eprintln!("{:?} truncated={} took={}", outcome.ended, outcome.truncated, outcome.took.as_millis());
            eprint!("{}", String::from_utf8_lossy(&outcome.stderr));
            for change in &outcome.changes {
                let kept = change.refused.as_deref().unwrap_or("kept");
                eprintln!("= {} {}: {kept}", change.kind.as_str(), change.path.display());
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("refused: {error}");
            ExitCode::from(2)
        }
    }
}

/// Stops from another thread, after a time that begins now.
fn stop_after(milliseconds: u64) -> Stop {
    let stop = Stop::new().expect("a pipe");
    let ours = stop.clone();
    if milliseconds == 0 {
        ours.stop();
    }
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(milliseconds));
        ours.stop();
    });
    stop
}
