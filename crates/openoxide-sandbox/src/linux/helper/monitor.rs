//! Monitors the command from inside: its end, its processes, its memory, and whether the runtime is still there.

use std::{io, os::unix::net::UnixStream, process::Child};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, WaitOptions, WaitStatus, pidfd_open, wait};

use super::memory;
use crate::{Ended, Limits};

/// How often processes and memory are counted.
const TICK: Timespec = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };

/// Waits for the end of the command. Returning early ends it, because everything in the namespace dies with us.
pub(super) fn monitor(child: &Child, control: &UnixStream, limits: &Limits) -> io::Result<Ended> {
    let pid = Pid::from_child(child);
    let end = pidfd_open(pid, PidfdFlags::empty())?;
    loop {
        let mut events = [PollFd::new(&end, PollFlags::IN), PollFd::new(control, PollFlags::IN)];
        match poll(&mut events, Some(&TICK)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        if !events[1].revents().is_empty() {
            return Err(io::Error::other("the runtime has ended"));
        }
        if let Some(ended) = reap(pid)? {
            return Ok(ended);
        }
        if let Some(ended) = exceeded(limits) {
            return Ok(ended);
        }
    }
}

/// Reaps every process that has ended: the first process of a namespace inherits all orphans.
fn reap(pid: Pid) -> io::Result<Option<Ended>> {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((ended, status))) if ended == pid => return Ok(Some(ended_by(status))),
            Ok(Some(_)) => {}
            Ok(None) => return Ok(None),
            Err(error) => return Err(error.into()),
        }
    }
}

fn ended_by(status: WaitStatus) -> Ended {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Ended::Exit(code),
        (None, Some(signal)) => by_signal(signal),
        (None, None) => Ended::Exit(-1),
    }
}

/// Returns the meaning of a signal. The kernel sends some when a limit is reached.
fn by_signal(signal: i32) -> Ended {
    match signal {
        libc::SIGXFSZ => Ended::FileSizeLimit,
        libc::SIGXCPU => Ended::TimedOut,
        other => Ended::Signal(other),
    }
}

fn exceeded(limits: &Limits) -> Option<Ended> {
    let processes = memory::processes();
    if processes.len() > limits.processes as usize {
        return Some(Ended::ProcessLimit);
    }
    memory::exceeds(limits.memory, &processes).then_some(Ended::MemoryLimit)
}
