//! Lets go of the runtime's belongings, and makes or starts what isolates.

use std::ffi::OsString;
use std::os::fd::RawFd;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use nix::sched::{CloneFlags, unshare};
use rustix::process::{Pid, Signal, getgid, getppid, getuid, set_parent_process_death_signal, setsid};
use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, configure_capability_in_ambient_set};

use super::{Layer as _, Refusal, SUPERVISE_OWN, ourselves};
use crate::system;

/// The word for making the namespaces ourselves, in place of a path to bubblewrap.
pub(crate) const OWN: &str = "own";

/// `launch PARENT NETWORK GROUP… -- (own | BWRAP ARG…)`
pub(super) fn launch(args: &[OsString]) -> Result<(), Refusal> {
    let malformed = || Err("arguments are missing").layer("helper");
    let [parent, network, rest @ ..] = args else { return malformed() };
    let mut parts = rest.splitn(2, |arg| arg == "--");
    let (Some(groups), Some([way, rest @ ..])) = (parts.next(), parts.next()) else { return malformed() };
    close_what_is_inherited().layer("open files")?;
    groups.iter().try_for_each(|door| fs_err::write(door, "0")).layer("control groups")?;
    let _ = setsid();
    if way == OWN {
        namespaces(network == "network").layer("namespaces")?;
        tie_to(parent)?;
        let status = ourselves(SUPERVISE_OWN).status().layer("helper")?;
        return if status.success() { Ok(()) } else { Err("the supervisor failed").layer("helper") };
    }
    tie_to(parent)?;
    Err(Command::new(way).args(rest).env_clear().current_dir("/").exec()).layer("bubblewrap")
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

/// Ends this process when the runtime ends. Comes after the namespaces, because gaining power in them undoes it.
fn tie_to(parent: &OsString) -> Result<(), Refusal> {
    set_parent_process_death_signal(Some(Signal::KILL)).layer("helper")?;
    let expected = parent.to_str().and_then(|text| text.parse().ok()).and_then(Pid::from_raw);
    if getppid() == expected { Ok(()) } else { Err("the runtime has ended").layer("helper") }
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
    fs_err::write("/proc/self/gid_map", format!("{} {group} 1", system::ID))?;
    fs_err::write("/proc/self/uid_map", format!("{} {user} 1", system::ID))?;
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
