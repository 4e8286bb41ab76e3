//! When the runtime is killed, nothing of its command is left.

use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::support::{Ran, each, harness, long_time, processes_with, until};

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
        let (folder, temporary, time) = (setting.folder(), setting.folder(), long_time());
        let command = |words: &[&str]| {
            let mut command = setting.command(&["--write", folder.str(), "--cwd", folder.str()], words);
            command.env("TMPDIR", temporary.path());
            command
        };
        let mut runtime = command(&["sh", "-c", &format!("echo x > made; mkdir -m 0 closed; sleep {time}")]);
        let mut runtime = runtime.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        until(Duration::from_secs(10), || processes_with(&time) > 0);
        runtime.kill().unwrap();
        runtime.wait().unwrap();
        let left = || std::fs::read_dir(temporary.path()).unwrap().count();
        assert!(left() > 0, "{setting:?}: its copy is left");
        until(Duration::from_secs(10), || processes_with(&time) == 0);
        assert_eq!(Ran::of(&mut command(&["true"])).ended, "Exit(0)", "{setting:?}");
        assert_eq!((left(), folder.state()), (0, Vec::new()), "{setting:?}");
    });
}
