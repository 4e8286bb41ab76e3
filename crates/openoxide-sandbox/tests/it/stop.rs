//! A command can be stopped from another thread, at any moment, and nothing of it is left.

use std::time::Duration;

use crate::support::{each, long_time, processes_with, until};

#[test]
fn a_running_command_is_stopped_and_nothing_is_left() {
    each(|setting| {
        let time = long_time();
        let line = format!("echo begun; trap '' TERM HUP INT; setsid sleep {time} & sleep {time} & sleep {time}");
        // Not being stopped would end in a timeout.
        let ran = setting.sh(&["--stop-after", "1500"], &line);
        assert_eq!((ran.ended.as_str(), ran.stdout.as_str()), ("Stopped", "begun\n"), "{setting:?}: {ran:?}");
        // A killed process takes a moment to end.
        until(Duration::from_secs(30), || processes_with(&time) == 0);
        assert_eq!(processes_with(&time), 0, "{setting:?}: something is left");
    });
}

#[test]
fn a_command_can_be_stopped_before_and_while_it_starts() {
    each(|setting| {
        let time = long_time();
        for after in ["0", "2", "5", "10", "20", "40", "60", "80"] {
            let ran = setting.run(&["--stop-after", after, "--time", "15000"], &["sleep", &time]);
            assert_eq!(ran.ended, "Stopped", "{setting:?} after {after} ms: {ran:?}");
            // A process that is killed while it starts takes a moment to end.
            until(Duration::from_secs(30), || processes_with(&time) == 0);
            assert_eq!(processes_with(&time), 0, "{setting:?} after {after} ms: something is left");
        }
    });
}

#[test]
fn a_command_that_nobody_stops_ends_by_itself() {
    each(|setting| {
        let ran = setting.run(&["--stop-after", "15000"], &["echo", "whole"]);
        assert_eq!((ran.ended.as_str(), ran.stdout.as_str()), ("Exit(0)", "whole\n"), "{setting:?}: {ran:?}");
    });
}
