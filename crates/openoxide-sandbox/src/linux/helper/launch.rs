//! The first step of the helper: closes inherited files, and makes the namespaces or starts bubblewrap.

use std::{ffi::OsString, os::fd::RawFd, process::Command};

use nix::sched::{CloneFlags, unshare};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, getgid, getuid, kill_current_process_group, pidfd_open, setsid};
use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, configure_capability_in_ambient_set};

use super::layers;
use super::step::{InLayer as _, LayerError, OWN, SUPERVISE_OWN, ourselves};
use crate::linux::visible_files;

/// How long the other processes may take to end by themselves once the runtime has ended.
const GRACE: Timespec = Timespec { tv_sec: 0, tv_nsec: 400_000_000 };

/// `launch NETWORK GROUP… -- (FOLDER IDENTITY LAYER)… -- (own | BWRAP ARG…)`
pub(super) fn launch(args: &[OsString]) -> Result<(), LayerError> {
    let malformed = || Err("arguments are missing").in_layer("helper");
    let [network, rest @ ..] = args else { return malformed() };
    let mut parts = rest.splitn(3, |arg| arg == "--");
    let (Some(groups), Some(layers), Some([mechanism, rest @ ..])) = (parts.next(), parts.next(), parts.next()) else {
        return malformed();
    };
    close_what_is_inherited().in_layer("open files")?;
    groups.iter().try_for_each(|file| fs_err::write(file, "0")).in_layer("control groups")?;
    setsid().in_layer("session")?;
    if mechanism == OWN {
        namespaces(network == "network").in_layer("namespaces")?;
        layers::mount_all(layers)?;
        pass_on_capabilities().in_layer("capabilities")?;
        return attend(&mut ourselves(SUPERVISE_OWN)).in_layer("helper");
    }
    if !layers.is_empty() {
        let (user, group) = (getuid().as_raw(), getgid().as_raw());
        enter(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNS, user, group).in_layer("namespaces")?;
        layers::mount_all(layers)?;
    }
    attend(Command::new(mechanism).args(rest).env_clear().current_dir("/")).in_layer("bubblewrap")
}

/// Starts the next step and waits for its end. When the runtime ends first, it ends the whole process group.
///
/// No signal ties this step to the life of the runtime: if bubblewrap is killed while it starts, it leaves a process behind
/// that waits forever, so this step has to survive in order to end the group.
fn attend(command: &mut Command) -> std::io::Result<()> {
    let child = command.spawn()?;
    let end = pidfd_open(Pid::from_child(&child), PidfdFlags::empty())?;
    let stdin = std::io::stdin();
    let mut events = [PollFd::new(&end, PollFlags::IN), PollFd::new(&stdin, PollFlags::RDHUP)];
    wait(&mut events, None)?;
    if events[0].revents().is_empty() {
        wait(&mut events[..1], Some(&GRACE))?;
    }
    // Every process that is left is in this group, or dies with one that is.
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

/// Closes everything but the three standard streams. The parent of the runtime may have left files open, which a command
/// must not get.
fn close_what_is_inherited() -> std::io::Result<()> {
    let numbers = |entry: std::io::Result<std::fs::DirEntry>| entry.ok()?.file_name().to_str()?.parse::<RawFd>().ok();
    let open: Vec<RawFd> = std::fs::read_dir("/proc/self/fd")?.filter_map(numbers).collect();
    for number in open.into_iter().filter(|number| *number > 2) {
        // The folder that was just read is among them and is closed already.
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
    enter(flags, visible_files::ID, visible_files::ID)
}

/// Enters new namespaces, in which this user and group have these numbers.
fn enter(flags: CloneFlags, user: u32, group: u32) -> std::io::Result<()> {
    let (real_user, real_group) = (getuid().as_raw(), getgid().as_raw());
    unshare(flags)?;
    fs_err::write("/proc/self/setgroups", "deny")?;
    fs_err::write("/proc/self/gid_map", format!("{group} {real_group} 1"))?;
    fs_err::write("/proc/self/uid_map", format!("{user} {real_user} 1"))
}

/// Lets the supervisor mount although it is not root. The capabilities apply to the new namespaces only.
fn pass_on_capabilities() -> std::io::Result<()> {
    let now = capabilities(None)?;
    rustix::thread::set_capabilities(None, CapabilitySets { inheritable: now.permitted, ..now })?;
    for capability in [CapabilitySet::SYS_ADMIN, CapabilitySet::SETPCAP] {
        configure_capability_in_ambient_set(capability, true)?;
    }
    Ok(())
}
