//! When the runtime is killed, nothing of its command is left.

use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::support::{each, harness, long_time, processes_with, until};

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
        // A copy of its own, so that every process that has to do with it can be told.
        let folder = setting.folder();
        let program = folder.join("harness");
        std::fs::copy(harness(), &program).unwrap();
        for delay in (0..90).step_by(3) {
            let time = long_time();
            let mut runtime = setting.program(&program);
            runtime.args([setting.mechanism, "--", "sleep", &time]);
            let mut runtime = runtime.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            std::thread::sleep(Duration::from_millis(delay));
            runtime.kill().unwrap();
            runtime.wait().unwrap();
            let left = || processes_with(&time) + processes_with(&program) + processes_of(&program);
            until(Duration::from_secs(1), || left() == 0);
            assert_eq!(left(), 0, "{setting:?}: an orphan after {delay} ms");
        }
    });
}

/// How many processes run a program, whatever they call themselves.
fn processes_of(program: &str) -> usize {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    entries
        .filter(|entry| std::fs::read_link(entry.path().join("exe")).is_ok_and(|exe| exe.as_os_str() == program))
        .count()
}

#[test]
fn what_a_killed_runtime_left_is_tidied_up_by_the_next() {
    each(|setting| {
        let (folder, time) = (setting.folder(), long_time());
        let options = ["--write", folder.str()];
        let mut runtime = setting.command(&options, &["sleep", &time]);
        let mut runtime = runtime.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // The runtime itself has the word among its arguments, too.
        // A process that it has just forked has them until it becomes another program, so that two alone is not enough.
        until(Duration::from_secs(10), || processes_with(&time) == 2 && folder.path().join(".git").is_dir());
        runtime.kill().unwrap();
        runtime.wait().unwrap();
        assert!(folder.path().join(".git").is_dir(), "{setting:?}: a placeholder is left");
        assert_eq!(setting.run(&options, &["true"]).ended, "Exit(0)", "{setting:?}");
        assert_eq!(folder.state(), Vec::<String>::new(), "{setting:?}");
    });
}
