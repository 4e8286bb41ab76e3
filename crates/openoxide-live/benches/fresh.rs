//! Measures what staying fresh costs: one edit among 10,000 skills, doing nothing, and a switch of 1,000 skills.
//!
//! `cargo xtask bench` runs it; it fails if a bar is missed. Processor time is the whole process's, from before the edit until all is quiet again.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a program for people at a terminal")]

use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use openoxide_config::Environment;
use openoxide_live::{Live, LiveOptions, Place, Subscription, WatchMode};
use rustix::time::{ClockId, clock_gettime};

const SKILLS: usize = 10_000;
const SWITCHED: usize = 1_000;
const EDITS: usize = 7;
const IDLE: Duration = Duration::from_secs(10);
/// Most processor time of an edit, of doing nothing, and the longest until a switch is seen.
const EDIT_BAR: Duration = Duration::from_millis(50);
const IDLE_BAR: Duration = Duration::from_millis(10);
const SWITCH_BAR: Duration = Duration::from_millis(1_500);
/// Everything that an edit leads to is over by then.
const REST: Duration = Duration::from_millis(2_500);

fn main() -> ExitCode {
    let folder = tempfile::tempdir().unwrap();
    let root = fs_err::canonicalize(folder.path()).unwrap();
    let skills = root.join("project/.agents/skills");
    fs_err::create_dir_all(root.join("home")).unwrap();
    for number in 0..SKILLS {
        write(&skills, number, "first");
    }
    let environment = Environment {
        cwd: root.join("project"),
        home: Some(root.join("home")),
        admin: root.join("admin"),
        ..Environment::default()
    };
    let live = Live::new(environment, LiveOptions::default());
    let place = Place::of(root.join("project"));
    let (start, before) = (Instant::now(), cpu());
    assert_eq!(live.snapshot(&place).unwrap().catalog.skills.len(), SKILLS);
    let first = start.elapsed();
    while live.watched() < SKILLS {
        assert_eq!(live.watch_mode(), WatchMode::Events);
        std::thread::sleep(Duration::from_millis(50));
    }
    std::thread::sleep(REST);
    let all = since(before);
    println!("first look at {SKILLS} skills: {first:.0?}, {all:.0?} of processor time with watching and a second look");
    let (_subscription, told) = listen(&live);
    let bars = [(edits(&skills, &told), EDIT_BAR), (idle(), IDLE_BAR), (switch(&skills, &told), SWITCH_BAR)];
    let missed: Vec<_> = bars.iter().filter(|(took, bar)| took > bar).collect();
    for (took, bar) in &missed {
        println!("missed: {took:.1?} is more than {bar:.1?}");
    }
    if missed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Hears how many skills have which description, whenever that changes.
fn listen(live: &Live) -> (Subscription, Receiver<usize>) {
    let (send, receive) = channel();
    let tell = move |change: &openoxide_live::Change| {
        let is_new = |description: &str| description.ends_with("other");
        let skills = change.snapshot.catalog.skills.iter();
        send.send(skills.filter(|entry| is_new(&entry.skill.description)).count()).unwrap_or_default();
    };
    (live.subscribe(tell), receive)
}

/// Returns the processor time of one edit.
fn edits(skills: &Path, told: &Receiver<usize>) -> Duration {
    let mut all = Vec::new();
    for number in 0..EDITS {
        let before = cpu();
        write(skills, number * 1_000 + 7, "edited");
        told.recv_timeout(Duration::from_mins(1)).unwrap();
        let until_told = since(before);
        std::thread::sleep(REST);
        all.push((since(before), until_told));
    }
    all.sort();
    let ((median, told), (most, _)) = (all[EDITS / 2], all[EDITS - 1]);
    println!(
        "one edit among {SKILLS} skills: {median:.1?} of processor time ({told:.1?} until subscribers know), at most {most:.1?}; the bar is {EDIT_BAR:?}"
    );
    median
}

/// Returns the processor time of doing nothing.
fn idle() -> Duration {
    let before = cpu();
    std::thread::sleep(IDLE);
    let took = since(before);
    println!("{IDLE:?} without a change: {took:.2?} of processor time; the bar is {IDLE_BAR:?}");
    took
}

/// Some go, some come, the others get other words. Returns how long it takes until all of that is seen.
fn switch(skills: &Path, told: &Receiver<usize>) -> Duration {
    let before = cpu();
    for number in 0..SWITCHED {
        match number % 10 {
            0 => fs_err::remove_dir_all(skills.join(name(number))).unwrap(),
            1 => write(skills, SKILLS + number, "other"),
            _ => write(skills, number, "other"),
        }
    }
    let wrote = since(before);
    let quiet = Instant::now();
    while told.recv_timeout(Duration::from_mins(1)).unwrap() != SWITCHED - SWITCHED / 10 {}
    let right = quiet.elapsed();
    std::thread::sleep(REST);
    let all = since(before).saturating_sub(wrote);
    println!(
        "a switch of {SWITCHED} skills: right after {right:.2?}, {all:.0?} of processor time; the bar is {SWITCH_BAR:?}"
    );
    right
}

fn name(number: usize) -> String {
    format!("skill-{number:05}")
}

fn write(skills: &Path, number: usize, word: &str) {
    let folder = skills.join(name(number));
    fs_err::create_dir_all(&folder).unwrap();
    let head = format!("---\nname: {}\ndescription: Does the thing of number {number}, {word}\n---\n", name(number));
    let body = "One line of what to do, as long as such lines usually are.\n".repeat(40);
    fs_err::write(folder.join("SKILL.md"), head + &body).unwrap();
}

/// Returns the processor time of all threads, those that ended included.
fn cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap(), u32::try_from(time.tv_nsec).unwrap())
}

fn since(before: Duration) -> Duration {
    cpu().saturating_sub(before)
}
