//! Watches the command from inside: its end, its processes, its memory, and whether the runtime is still there.

use std::io;
use std::os::unix::net::UnixStream;
use std::process::Child;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, WaitOptions, WaitStatus, pidfd_open, wait};

use crate::{Ended, Limits};

/// How often processes and memory are counted.
const TICK: Timespec = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };

/// Waits for the end of the command, or ends it by returning: everything in the namespace dies with us.
pub(super) fn watch(child: &Child, control: &UnixStream, limits: &Limits) -> io::Result<Ended> {
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

/// Takes in all that have ended, since the first process of a namespace is given everybody's orphans.
fn reap(pid: Pid) -> io::Result<Option<Ended>> {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((ended, status))) if ended == pid => return Ok(Some(how(status))),
            Ok(Some(_)) => {}
            Ok(None) => return Ok(None),
            Err(error) => return Err(error.into()),
        }
    }
}

fn how(status: WaitStatus) -> Ended {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Ended::Exit(code),
        (None, Some(signal)) => by_signal(signal),
        (None, None) => Ended::Exit(-1),
    }
}

/// What a signal means that the kernel sends when a limit is reached.
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
    // Pages that several processes share are counted for each, so a second look is due before anybody is blamed.
    let rough: u64 = processes.iter().filter_map(|pid| resident(*pid)).sum();
    let memory = || processes.iter().filter_map(|pid| proportional(*pid)).sum::<u64>();
    (rough > limits.memory && memory() > limits.memory).then_some(Ended::MemoryLimit)
}

/// All processes of the namespace but the first and ourselves.
fn processes() -> Vec<u32> {
    let own = std::process::id();
    let number = |entry: io::Result<std::fs::DirEntry>| entry.ok()?.file_name().to_str()?.parse::<u32>().ok();
    let all = std::fs::read_dir("/proc").into_iter().flatten().filter_map(number);
    all.filter(|pid| *pid != 1 && *pid != own).collect()
}

/// What a process has in memory, in bytes.
fn resident(pid: u32) -> Option<u64> {
    let text = fs_err::read_to_string(format!("/proc/{pid}/statm")).ok()?;
    let pages: u64 = text.split(' ').nth(1)?.parse().ok()?;
    Some(pages * rustix::param::page_size() as u64)
}

/// A process's share of what is in memory, in bytes.
fn proportional(pid: u32) -> Option<u64> {
    let text = fs_err::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("Pss:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}
