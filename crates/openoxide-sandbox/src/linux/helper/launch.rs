//! Lets go of the runtime's belongings, and makes or starts what isolates.

use std::ffi::OsString;
use std::os::fd::RawFd;
use std::process::Command;

use nix::sched::{CloneFlags, unshare};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, getgid, getuid, kill_current_process_group, pidfd_open, setsid};
use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, configure_capability_in_ambient_set};

use super::{Layer as _, Refusal, SUPERVISE_OWN, ourselves};
use crate::linux::inside;

/// The word for making the namespaces ourselves, in place of a path to bubblewrap.
pub(crate) const OWN: &str = "own";

/// How long the others may take to end by themselves once the runtime has ended.
const GRACE: Timespec = Timespec { tv_sec: 0, tv_nsec: 400_000_000 };

/// `launch NETWORK GROUP… -- (own | BWRAP ARG…)`
pub(super) fn launch(args: &[OsString]) -> Result<(), Refusal> {
    let malformed = || Err("arguments are missing").layer("helper");
    let [network, rest @ ..] = args else { return malformed() };
    let mut parts = rest.splitn(2, |arg| arg == "--");
    let (Some(groups), Some([way, rest @ ..])) = (parts.next(), parts.next()) else { return malformed() };
    close_what_is_inherited().layer("open files")?;
    groups.iter().try_for_each(|door| fs_err::write(door, "0")).layer("control groups")?;
    setsid().layer("session")?;
    if way == OWN {
        namespaces(network == "network").layer("namespaces")?;
        return attend(&mut ourselves(SUPERVISE_OWN)).layer("helper");
    }
    attend(Command::new(way).args(rest).env_clear().current_dir("/")).layer("bubblewrap")
}

/// Starts the next step and stays until it ends. When the runtime ends first, so does everything here.
///
/// This step is not tied to the runtime's life by a signal: bubblewrap leaves a process behind that waits forever if it is
/// killed while it starts, so somebody has to be left to end the whole group.
fn attend(command: &mut Command) -> std::io::Result<()> {
    let child = command.spawn()?;
    let end = pidfd_open(Pid::from_child(&child), PidfdFlags::empty())?;
    let stdin = std::io::stdin();
    let mut events = [PollFd::new(&end, PollFlags::IN), PollFd::new(&stdin, PollFlags::RDHUP)];
    wait(&mut events, None)?;
    if events[0].revents().is_empty() {
        wait(&mut events[..1], Some(&GRACE))?;
    }
    // All that are still there are of this group or die with one that is.
    Ok(kill_current_process_group(Signal::KILL)?)
}

fn wait(events: &mut [PollFd<'_>], longest: Option<&Timespec>) -> std::io::Result<()> {
    loop {
        match poll(events, longest) {
            Ok(_) => return Ok(()),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Whatever is open beyond the three streams was left open by whoever started the runtime, and is no business of a
/// command.
fn close_what_is_inherited() -> std::io::Result<()> {
    let numbers = |entry: std::io::Result<std::fs::DirEntry>| entry.ok()?.file_name().to_str()?.parse::<RawFd>().ok();
    let open: Vec<RawFd> = std::fs::read_dir("/proc/self/fd")?.filter_map(numbers).collect();
    for number in open.into_iter().filter(|number| *number > 2) {
        // The folder that was just read is among them, and is closed already.
        let _ = nix::unistd::close(number);
    }
    Ok(())
}

fn namespaces(network: bool) -> std::io::Result<()> {
    let mut flags = CloneFlags::CLONE_NEWUSER
        | CloneFlags::CLONE_NEWNS
        | CloneFlags::CLONE_NEWPID
        | CloneFlags::CLONE_NEWIPC
        | CloneFlags::CLONE_NEWUTS
        | CloneFlags::CLONE_NEWCGROUP;
    if !network {
        flags |= CloneFlags::CLONE_NEWNET;
    }
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    unshare(flags)?;
    fs_err::write("/proc/self/setgroups", "deny")?;
    fs_err::write("/proc/self/gid_map", format!("{} {group} 1", inside::ID))?;
    fs_err::write("/proc/self/uid_map", format!("{} {user} 1", inside::ID))?;
    pass_on_power()
}

/// Lets the supervisor mount, although it is no root: the power is over the new namespaces only.
fn pass_on_power() -> std::io::Result<()> {
    let now = capabilities(None)?;
    rustix::thread::set_capabilities(None, CapabilitySets { inheritable: now.permitted, ..now })?;
    for capability in [CapabilitySet::SYS_ADMIN, CapabilitySet::SETPCAP] {
        configure_capability_in_ambient_set(capability, true)?;
    }
    Ok(())
}
