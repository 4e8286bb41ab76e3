//! When the runtime is killed, nothing of its command is left.

use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::support::{each, long_time, processes_with};

#[test]
fn no_command_outlives_its_runtime() {
    each(|setting| {
        for signal in [Signal::KILL, Signal::TERM, Signal::HUP, Signal::INT] {
            let time = long_time();
            let line = format!("trap '' TERM HUP INT; setsid sleep {time} & sleep {time} & sleep {time}");
            let mut runtime = setting.command(&[], &["sh", "-c", &line]);
            let mut runtime = runtime.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            until(Duration::from_secs(10), || processes_with(&time) == 3);
            assert_eq!(processes_with(&time), 3, "{setting:?}: it has not started");
            kill_process(Pid::from_child(&runtime), signal).unwrap();
            runtime.wait().unwrap();
            until(Duration::from_secs(1), || processes_with(&time) == 0);
            assert_eq!(processes_with(&time), 0, "{setting:?}: an orphan one second after {signal:?}");
        }
    });
}

#[test]
fn killing_the_runtime_while_it_starts_a_command_leaves_nothing() {
    each(|setting| {
        for delay in [0, 10, 25, 50, 90] {
            let time = long_time();
            let mut runtime = setting.command(&[], &["sleep", &time]);
            let mut runtime = runtime.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            std::thread::sleep(Duration::from_millis(delay));
            runtime.kill().unwrap();
            runtime.wait().unwrap();
            std::thread::sleep(Duration::from_millis(300));
            assert_eq!(processes_with(&time), 0, "{setting:?}: an orphan after {delay} ms");
        }
    });
}

fn until(longest: Duration, done: impl Fn() -> bool) {
    let deadline = Instant::now() + longest;
    while !done() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(10));
    }
}
