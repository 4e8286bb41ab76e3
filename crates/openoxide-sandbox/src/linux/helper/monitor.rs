//! Monitors the command from inside: its end, its processes, its memory, and whether the runtime is still there.

use std::{io, os::unix::net::UnixStream, process::Child};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, WaitOptions, WaitStatus, pidfd_open, wait};

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
    let processes = processes();
    if processes.len() > limits.processes as usize {
        return Some(Ended::ProcessLimit);
    }
    // The rough count includes shared pages once per process, so an exact count has to confirm it.
    let rough: u64 = processes.iter().filter_map(|pid| resident(*pid)).sum();
    let memory = || processes.iter().filter_map(|pid| proportional(*pid)).sum::<u64>();
    (rough > limits.memory && memory() > limits.memory).then_some(Ended::MemoryLimit)
}

/// Returns all processes of the namespace but the first and ourselves.
fn processes() -> Vec<u32> {
    let own = std::process::id();
    let number = |entry: io::Result<std::fs::DirEntry>| entry.ok()?.file_name().to_str()?.parse::<u32>().ok();
    let all = std::fs::read_dir("/proc").into_iter().flatten().filter_map(number);
    all.filter(|pid| *pid != 1 && *pid != own).collect()
}

/// Returns the resident memory of a process, in bytes.
fn resident(pid: u32) -> Option<u64> {
    let text = fs_err::read_to_string(format!("/proc/{pid}/statm")).ok()?;
    let pages: u64 = text.split(' ').nth(1)?.parse().ok()?;
    Some(pages * rustix::param::page_size() as u64)
}

/// Returns a process's proportional share of memory, in bytes.
fn proportional(pid: u32) -> Option<u64> {
    let text = fs_err::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("Pss:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}
