//! The second step of the helper: receives the command inside, starts it, and reports how it ended.

use std::process::{Child, Stdio};
use std::{io, os::unix::fs::DirBuilderExt as _, os::unix::net::UnixStream};

use rustix::process::{DumpableBehavior, Signal, set_dumpable_behavior, set_parent_process_death_signal};
use rustix::thread::{
    CapabilitySet, CapabilitySets, clear_ambient_capability_set, remove_capability_from_bounding_set,
};

use super::step::{ENTER, InLayer as _, LayerError, control, ourselves};
use super::{monitor, mounts};
use crate::linux::grant::{self, Grant, Identity};
use crate::linux::spec::{Answer, Spec};
use crate::system_paths;

/// Supervises one command. With `own`, the namespaces are bare and the mounts have still to be made.
pub(super) fn supervise(own: bool) -> Result<(), LayerError> {
    // The command runs as the same user: without this it could open our memory, and with it do what we may.
    set_dumpable_behavior(DumpableBehavior::NotDumpable).in_layer("helper")?;
    let control = control().in_layer("helper")?;
    if own {
        set_parent_process_death_signal(Some(Signal::KILL)).in_layer("helper")?;
    }
    Answer::Ready.send(&control).in_layer("helper")?;
    let Some(mut spec) = Spec::receive(&control).in_layer("helper")? else { return Ok(()) };
    if own {
        mounts::build(&mut spec)?;
        drop_capabilities().in_layer("capabilities")?;
    } else {
        spec.grants.iter_mut().try_for_each(check_mounted).in_layer("mounts")?;
    }
    std::fs::DirBuilder::new().mode(0o700).create(system_paths::HOME).in_layer("private home")?;
    let (child, answer) = start(&spec).in_layer("helper")?;
    answer.send(&control).in_layer("helper")?;
    if answer == Answer::Started {
        let ended = monitor::monitor(&child, &control, &spec.limits).in_layer("helper")?;
        Answer::Ended(ended).send(&control).in_layer("helper")?;
    }
    Ok(())
}

/// Starts the last step. Its end of the socket is closed when the command takes over, so a closed socket means success.
fn start(spec: &Spec) -> io::Result<(Child, Answer)> {
    let (ours, theirs) = UnixStream::pair()?;
    let child = ourselves(ENTER).stdin(Stdio::from(std::os::fd::OwnedFd::from(theirs))).spawn()?;
    spec.send(&ours)?;
    let answer = Answer::receive(&ours)?.unwrap_or_else(|| Answer::Refused {
        layer: "helper".to_owned(),
        why: "the last step ended without a word".to_owned(),
    });
    if answer != Answer::Started {
        return Ok((child, answer));
    }
    let after = Answer::receive(&ours)?.unwrap_or(Answer::Started);
    Ok((child, after))
}

/// Checks that bubblewrap, which goes by paths, mounted what was granted. A copy is ours, and cannot be exchanged.
fn check_mounted(grant: &mut Grant) -> Result<(), String> {
    let opened = match grant.copy {
        Some(_) => grant::open(grant.path()),
        None => grant.identity.open(grant.path()),
    };
    let identity = opened.and_then(Identity::of);
    grant.identity = identity.map_err(|error| format!("{}: {error}", grant.path().display()))?;
    Ok(())
}

fn drop_capabilities() -> io::Result<()> {
    clear_ambient_capability_set()?;
    for capability in CapabilitySet::all().iter() {
        match remove_capability_from_bounding_set(capability) {
            // A kernel may know fewer capabilities than we do.
            Ok(()) | Err(rustix::io::Errno::INVAL) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let none = CapabilitySet::empty();
    rustix::thread::set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })?;
    Ok(())
}
