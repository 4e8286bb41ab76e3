//! Measures searching and reading skills, as ratios in one run: beside the bare loop, by size, and across hosts.
//!
//! `cargo xtask bench` runs it. Times of one machine mean little; the ratios are what the project promises.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a program for people at a terminal"
)]
#![expect(clippy::cast_precision_loss, reason = "figures for people")]

use std::fmt::Write as _;
use std::hint::black_box;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use openoxide_skills::catalog::{Depth, View, load};
use openoxide_skills::host::Hosts;
use openoxide_skills::root::Surroundings;
use openoxide_skills::settings::HostSettings;
use rayon::prelude::*;

const ROUNDS: usize = 15;

/// Hosts that look at very different things.
const FEW: &[&str] = &["openoxide", "agentskills", "claude-code", "codex"];

fn main() {
    let args: Vec<String> = std::env::args().collect();
    if let Some(at) = args.iter().position(|arg| arg == "--memory") {
        return memory(Path::new(&args[at + 1]));
    }
    let sizes = sizes(&args);
    if let Some(at) = args.iter().position(|arg| arg == "--profile") {
        return profile(&Tree::new(sizes[0]), args[at + 1] == "hosts");
    }
    let trees: Vec<(usize, Tree)> = sizes.into_iter().map(|size| (size, Tree::new(size))).collect();
    println!("threads: {}", rayon::current_num_threads());
    let mut each = Vec::new();
    for (size, tree) in &trees {
        let [floor, ours, few, matrix] = tree.measure();
        let ratio = ours.as_secs_f64() / floor.as_secs_f64();
        let of_list = |time: Duration| time.as_secs_f64() / ours.as_secs_f64();
        let (few, all) = (of_list(few), of_list(matrix));
        let per_skill = ours.as_secs_f64() * 1e6 / *size as f64;
        each.push(per_skill);
        println!(
            "{size:>6} skills  floor {:>7.2} ms  list {:>7.2} ms  {ratio:.2}x floor  {per_skill:.2} us each  {} hosts {few:.2}x list  all hosts {all:.2}x list",
            millis(floor),
            millis(ours),
            FEW.len(),
        );
    }
    let (first, last) = (trees.first().unwrap(), trees.last().unwrap());
    let growth = (each[each.len() - 1] / each[0] - 1.0) * 100.0;
    println!("growth of the cost of one skill from {} to {}: {growth:+.0} %", first.0, last.0);
    println!("peak memory: {}", peak(&last.1));
    for line in processes() {
        println!("{line}");
    }
}

/// What is measured as a process: its name, the command, the skills, the agents, and what it is compared with.
const PROCESSES: &[Process] = &[
    Process { command: &["list"], skills: 5_000, agents: &[], beside: Beside::Reading },
    Process { command: &["list", "--json"], skills: 5_000, agents: &[], beside: Beside::Reading },
    Process { command: &["list"], skills: 5_000, agents: &["codex"], beside: Beside::Reading },
    Process { command: &["list"], skills: 5_000, agents: READERS, beside: Beside::OneAgent },
    Process { command: &["hosts"], skills: 5_000, agents: READERS, beside: Beside::OneAgent },
    Process { command: &["list"], skills: 100, agents: &[], beside: Beside::Reading },
    Process { command: &[], skills: 200, agents: READERS, beside: Beside::OneAgent },
];

/// Four agents that read the folder of the tree. The first one lists every skill there, as the others do but Codex, which
/// stops after 2,000 folders and would be a list of less.
const READERS: &[&str] = &["opencode", "codex", "gemini-cli", "copilot-cli"];

struct Process {
    command: &'static [&'static str],
    skills: usize,
    agents: &'static [&'static str],
    beside: Beside,
}

/// What a process is compared with.
enum Beside {
    /// Opening and reading the same files with bare system calls, on two threads.
    Reading,
    /// `list` for the first of the agents.
    OneAgent,
}

/// Measures each process in turn with what it is compared with, and writes a line for it.
fn processes() -> Vec<String> {
    let measure = |process: &Process| {
        let tree = Tree::new(process.skills);
        let Process { command, skills, agents, beside } = process;
        let what = format!(
            "`{}`, {skills} skills, {} agents",
            ["openoxide"].iter().chain(*command).copied().collect::<Vec<_>>().join(" "),
            agents.len()
        );
        if !tree.run(command, agents) {
            return format!("{what}: not measured, build it with `cargo build --release`");
        }
        let (mut times, mut floors) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            floors.push(match beside {
                Beside::Reading => timed(|| bare(&tree.files), |read| assert_eq!(*read, *skills)),
                Beside::OneAgent => timed(|| tree.run(&["list"], &agents[..1]), |succeeded| assert!(*succeeded)),
            });
            times.push(timed(|| tree.run(command, agents), |succeeded| assert!(*succeeded)));
        }
        let (time, floor) = (median(times), median(floors));
        let ratio = time.as_secs_f64() / floor.as_secs_f64();
        let beside = match beside {
            Beside::Reading => "reading the files on two threads",
            Beside::OneAgent => "`list` for one agent",
        };
        format!("{what}: {:.1} ms as a process, {ratio:.2}x {beside} ({:.1} ms)", millis(time), millis(floor))
    };
    PROCESSES.iter().map(measure).collect()
}

/// Opens and reads every file on two threads, and nothing else.
fn bare(files: &[PathBuf]) -> usize {
    let read = |files: &[PathBuf]| {
        let mut buffer = [0; 4096];
        let read = |file: &PathBuf| usize::from(std::fs::File::open(file).unwrap().read(&mut buffer).unwrap() > 0);
        files.iter().map(read).sum::<usize>()
    };
    let (left, right) = files.split_at(files.len() / 2);
    std::thread::scope(|scope| {
        let other = scope.spawn(|| read(right));
        read(left) + other.join().unwrap()
    })
}

/// Returns `--sizes A,B,C`, or the usual ones.
fn sizes(args: &[String]) -> Vec<usize> {
    let given = args.iter().position(|arg| arg == "--sizes").and_then(|at| args.get(at + 1));
    given.map_or_else(
        || vec![1_000, 5_000, 20_000],
        |sizes| sizes.split(',').map(|size| size.parse().unwrap()).collect(),
    )
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// A project with so many skills of three files.
struct Tree {
    dir: tempfile::TempDir,
    files: Vec<PathBuf>,
}

impl Tree {
    fn new(size: usize) -> Tree {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join(".agents/skills");
        std::fs::create_dir_all(dir.path().join(".git")).unwrap();
        let files = (0..size).map(|number| write_skill(&root, number)).collect();
        Tree { dir, files }
    }

    fn views(&self, names: &[&str]) -> Vec<View> {
        let hosts = Hosts::builtin();
        let project = std::fs::canonicalize(self.dir.path()).unwrap();
        let around = Arc::new(Surroundings { cwd: project.clone(), project, ..Surroundings::default() });
        let wanted = hosts.all().filter(|spec| names.is_empty() || names.contains(&spec.name.as_str()));
        wanted.map(|spec| View::new(spec.clone(), HostSettings::default(), around.clone()).unwrap()).collect()
    }

    /// Returns the medians of the bare loop, of one list, of a few hosts and of all, taken in turn.
    fn measure(&self) -> [Duration; 4] {
        let (one, few, all) = (self.views(&["openoxide"]), self.views(FEW), self.views(&[]));
        let mut times: [Vec<Duration>; 4] = Default::default();
        let expected = self.files.len();
        for round in 0..=ROUNDS {
            let taken = [
                timed(|| floor(&self.files), |read| assert_eq!(*read, expected)),
                timed(|| load(&one, Depth::Quick), |catalogs| assert_eq!(catalogs[0].skills.len(), expected)),
                timed(|| load(&few, Depth::Quick), |catalogs| assert_eq!(catalogs.len(), few.len())),
                timed(|| load(&all, Depth::Quick), |catalogs| assert_eq!(catalogs.len(), all.len())),
            ];
            // The first round warms the cache.
            if round > 0 {
                times.iter_mut().zip(taken).for_each(|(times, taken)| times.push(taken));
            }
        }
        times.map(median)
    }

    /// Runs the program on the tree, with what it prints into a pipe. Returns whether it succeeded.
    fn run(&self, command: &[&str], agents: &[&str]) -> bool {
        let bin = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/release/openoxide");
        let mut program = Command::new(bin);
        program.args(command).arg("--project").arg(self.dir.path());
        program.arg("--config").arg(format!("my_agents={agents:?}"));
        program.env_clear().env("HOME", self.dir.path().join("home"));
        program.output().is_ok_and(|output| output.status.success())
    }
}

/// Takes the time until there is an answer. What is tidied up after that is waited for, and is nobody else's time.
fn timed<T>(work: impl FnOnce() -> T, check: impl FnOnce(&T)) -> Duration {
    let start = Instant::now();
    let answer = work();
    let time = start.elapsed();
    check(&answer);
    drop(black_box(answer));
    rayon::broadcast(|_| ());
    time
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// Opens and reads 4 KiB of every file, and runs the YAML parser over the frontmatter: what cannot be avoided.
fn floor(files: &[PathBuf]) -> usize {
    let read = |file: &PathBuf| {
        let mut buffer = [0; 4096];
        let read = std::fs::File::open(file).unwrap().read(&mut buffer).unwrap();
        let text = std::str::from_utf8(&buffer[..read]).unwrap();
        let end = text[4..].find("\n---\n").unwrap();
        let options = granit_parser::options! { emit_comments: false };
        let parser = granit_parser::Parser::new_from_str_with_options(&text[4..=(4 + end)], options);
        usize::from(parser.map(Result::unwrap).count() > 4)
    };
    files.par_iter().with_min_len(8).map(read).sum()
}

fn write_skill(root: &Path, number: usize) -> PathBuf {
    let dir = root.join(format!("skill-{number:05}"));
    std::fs::create_dir_all(dir.join("references")).unwrap();
    std::fs::create_dir_all(dir.join("scripts")).unwrap();
    let mut text = format!("---\nname: skill-{number:05}\n");
    let about = "Turns exported records into a table that people can read. Use when someone asks for a report";
    let description = match number % 4 {
        0 => {
            format!("description: {about}, number {number}, of the last quarter or of any other time that they name.\n")
        }
        1 => format!("description: \"{about}: number {number}, with a colon and 'quotes' inside it.\"\n"),
        2 => format!(
            "description: >-\n  {about}, number {number},\n  folded over some lines because it is long,\n  and longer than that.\n"
        ),
        _ => format!("description: |\n  {about}, number {number}.\n  Kept as it is, line by line.\n"),
    };
    text.push_str(&description);
    text.push_str(
        "license: MIT\ncompatibility: Needs a shell and nothing else\nallowed-tools: Read Bash(git:*) Grep\n",
    );
    text.push_str(
        "metadata:\n  author: someone\n  version: \"1.2\"\n  tags: reports, tables, records\n---\n\n# Steps\n\n",
    );
    while text.len() < 2700 {
        writeln!(text, "- Look at the next record, write it down, and go on with the one after it.").unwrap();
    }
    let file = dir.join("SKILL.md");
    std::fs::write(&file, text).unwrap();
    std::fs::write(dir.join("references/a.md"), "# More\n").unwrap();
    std::fs::write(dir.join("scripts/run.sh"), "#!/bin/sh\n").unwrap();
    file
}

/// Does nothing but one of the measured things for a while, so that a profiler sees where its time goes.
fn profile(tree: &Tree, all: bool) {
    let views = if all { tree.views(&[]) } else { tree.views(&["openoxide"]) };
    let start = Instant::now();
    let before = processor_time();
    let mut rounds = 0_u32;
    while start.elapsed() < Duration::from_secs(10) {
        drop(black_box(load(&views, Depth::Quick)));
        rounds += 1;
    }
    let wall = millis(start.elapsed() / rounds);
    let [user, system] = processor_time();
    let each = |after: f64, before: f64| (after - before) * 10.0 / f64::from(rounds);
    let (user, system) = (each(user, before[0]), each(system, before[1]));
    println!("{wall:.2} ms a round; processor time {user:.2} ms in the program, {system:.2} ms in the system");
}

/// Returns the time spent in the program and in the system, in hundredths of a second.
fn processor_time() -> [f64; 2] {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    [11, 12].map(|at| fields.get(at).and_then(|field| field.parse().ok()).unwrap_or(f64::NAN))
}

/// Loads a tree and prints the most memory that took.
fn memory(project: &Path) {
    let tree = Surroundings { cwd: project.to_owned(), project: project.to_owned(), ..Surroundings::default() };
    let view = View::new(Hosts::builtin().get("openoxide").unwrap(), HostSettings::default(), Arc::new(tree)).unwrap();
    let catalogs = load(&[view], Depth::Quick);
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("unknown").trim();
    println!("{peak} for {} skills", catalogs[0].skills.len());
}

fn peak(tree: &Tree) -> String {
    let me = std::env::current_exe().unwrap();
    let output = Command::new(me).arg("--memory").arg(tree.dir.path()).output().unwrap();
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}
