//! Measures what staying fresh costs: one edit among 10,000 skills, doing nothing, and a switch of 1,000 skills.
//!
//! `cargo xtask bench` runs it. Processor time is the whole process's, from before the edit until all is quiet again.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a program for people at a terminal")]

use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use openoxide_config::Environment;
use openoxide_live::{Live, LiveOptions, Place, Subscription, Watching};
use rustix::time::{ClockId, clock_gettime};

const SKILLS: usize = 10_000;
const SWITCHED: usize = 1_000;
const EDITS: usize = 7;
const IDLE: Duration = Duration::from_secs(10);
/// Everything that an edit leads to is over by then.
const REST: Duration = Duration::from_millis(2_500);

fn main() {
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
    assert_eq!(live.at(&place).unwrap().catalog.skills.len(), SKILLS);
    let first = start.elapsed();
    while live.watched() < SKILLS {
        assert_eq!(live.watching(), Watching::Events);
        std::thread::sleep(Duration::from_millis(50));
    }
    std::thread::sleep(REST);
    let all = cpu() - before;
    println!("first look at {SKILLS} skills: {first:.0?}, {all:.0?} of processor time with watching and a second look");
    let (_subscription, told) = listen(&live);
    edits(&skills, &told);
    idle();
    switch(&skills, &told);
}

/// Hears how many skills have which description, whenever that changes.
fn listen(live: &Live) -> (Subscription, Receiver<usize>) {
    let (send, receive) = channel();
    let tell = move |change: &openoxide_live::Change| {
        let is_new = |description: &str| description.ends_with("other");
        let skills = change.state.catalog.skills.iter();
        drop(send.send(skills.filter(|entry| is_new(&entry.skill.description)).count()));
    };
    (live.subscribe(tell), receive)
}

fn edits(skills: &Path, told: &Receiver<usize>) {
    let mut all = Vec::new();
    for number in 0..EDITS {
        let before = cpu();
        write(skills, number * 1_000 + 7, "edited");
        told.recv_timeout(Duration::from_mins(1)).unwrap();
        let until_told = cpu() - before;
        std::thread::sleep(REST);
        all.push((cpu() - before, until_told));
    }
    all.sort();
    let ((median, told), (most, _)) = (all[EDITS / 2], all[EDITS - 1]);
    println!(
        "one edit among {SKILLS} skills: {median:.1?} of processor time ({told:.1?} until it is told), at most {most:.1?}; the bar is 50 ms"
    );
}

fn idle() {
    let before = cpu();
    std::thread::sleep(IDLE);
    println!("{IDLE:?} without a change: {:.2?} of processor time; the bar is 10 ms", cpu() - before);
}

/// Some go, some come, the others get other words.
fn switch(skills: &Path, told: &Receiver<usize>) {
    let before = cpu();
    for number in 0..SWITCHED {
        match number % 10 {
            0 => fs_err::remove_dir_all(skills.join(name(number))).unwrap(),
            1 => write(skills, SKILLS + number, "other"),
            _ => write(skills, number, "other"),
        }
    }
    let wrote = cpu() - before;
    let quiet = Instant::now();
    while told.recv_timeout(Duration::from_mins(1)).unwrap() != SWITCHED - SWITCHED / 10 {}
    let right = quiet.elapsed();
    std::thread::sleep(REST);
    let all = cpu() - before - wrote;
    println!("a switch of {SWITCHED} skills: right after {right:.2?}, {all:.0?} of processor time; the bar is 1.5 s");
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
