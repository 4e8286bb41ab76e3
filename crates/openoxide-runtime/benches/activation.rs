//! Measures what calling a skill costs: from the call to the envelope, folder digested and file parsed each time.
//!
//! `cargo xtask bench` runs it. The floor beside it is opening, reading and hashing the same file. System calls are
//! counted by `strace`, as the difference between two runs, so that starting is left out.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a program for people at a terminal")]
#![expect(clippy::cast_precision_loss, reason = "figures for people")]

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use openoxide_config::{Environment, Place, Workspace};
use openoxide_runtime::{Activation, ActivationOutcome, Call, CallArguments, Runtime, Session, drive};
use openoxide_skills::catalog::{Depth, load};
use openoxide_skills::host::Caller;
use sha2::{Digest as _, Sha256};

const SIZE: usize = 5 * 1024;
const ROUNDS: usize = 2_000;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    if let Some(at) = args.iter().position(|arg| arg == "--times") {
        let (times, folder) = (args[at + 1].parse().unwrap(), Path::new(&args[at + 2]));
        return repeat(&runtime(folder), times);
    }
    let folder = tempfile::tempdir().unwrap();
    let file = lay(folder.path());
    let runtime = runtime(folder.path());
    repeat(&runtime, 100);
    let floor = median(|| floor(&file));
    let ours = median(|| drop(black_box(call(&runtime))));
    println!(
        "activate, a skill of 5 KB: {ours:.1} us, {:.2}x of opening, reading and hashing its file ({floor:.1} us)",
        ours / floor
    );
    match (calls(folder.path(), 1), calls(folder.path(), 101)) {
        (Some(one), Some(many)) => println!("activate: {:.1} system calls each", (many - one) as f64 / 100.0),
        _ => println!("activate: system calls not counted, strace is not there"),
    }
}

/// Lays one skill, and returns its file.
fn lay(folder: &Path) -> PathBuf {
    let skill = folder.join("project/.agents/skills/notes");
    fs_err::create_dir_all(&skill).unwrap();
    fs_err::create_dir_all(folder.join("home")).unwrap();
    let mut text = "---\nname: notes\ndescription: Turn merged pull requests into notes\n---\n".to_owned();
    while text.len() < SIZE {
        text.push_str("Write one line for each change that a user will notice, in the order of the day.\n");
    }
    text.truncate(SIZE);
    fs_err::write(skill.join("SKILL.md"), text).unwrap();
    skill.join("SKILL.md")
}

fn runtime(folder: &Path) -> Arc<Runtime> {
    let environment = Environment {
        cwd: fs_err::canonicalize(folder.join("project")).unwrap(),
        home: Some(folder.join("home")),
        admin: folder.join("admin"),
        ..Environment::default()
    };
    let workspace = Workspace::open(environment, Place::default()).unwrap();
    let (view, _) = workspace.view("openoxide").unwrap();
    let catalog = load(std::slice::from_ref(&view), Depth::Quick).remove(0);
    Arc::new(Runtime::new(&workspace, view, Arc::new(catalog)).unwrap())
}

fn call(runtime: &Arc<Runtime>) -> ActivationOutcome {
    let call = Call { skill: "notes".to_owned(), caller: Caller::Model, arguments: CallArguments::Nothing };
    let mut session = Session::new("bench");
    let mut activation = Activation::new(Arc::clone(runtime), vec![call]);
    let done = drive(&mut activation, &mut session, &mut (), |_| unreachable!("it has no command"));
    assert_eq!(done.activated.len(), 1, "{:?}", done.refused);
    done
}

fn repeat(runtime: &Arc<Runtime>, times: usize) {
    for _ in 0..times {
        black_box(call(runtime));
    }
}

fn floor(file: &Path) {
    black_box(Sha256::digest(fs_err::read(file).unwrap()));
}

/// Returns the median of many rounds, in microseconds.
fn median(mut round: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            round();
            start.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[ROUNDS / 2]
}

/// Counts the system calls of a process that activates so many times.
fn calls(folder: &Path, times: usize) -> Option<u64> {
    let log = folder.join("calls");
    let traced = Command::new("strace")
        .args(["-f", "-qq", "-o"])
        .arg(&log)
        .arg(std::env::current_exe().unwrap())
        .args(["--times", &times.to_string()])
        .arg(folder)
        .stdout(Stdio::null())
        .status();
    let is_counted = traced.is_ok_and(|status| status.success());
    is_counted.then(|| fs_err::read_to_string(&log).unwrap().lines().count() as u64)
}
