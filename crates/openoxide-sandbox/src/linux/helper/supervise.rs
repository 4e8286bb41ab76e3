//! Waits inside for the command, starts it, and answers how it ended.

use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::os::unix::net::UnixStream;
use std::process::{Child, Stdio};

use rustix::process::{Signal, set_parent_process_death_signal};
use rustix::thread::{
    CapabilitySet, CapabilitySets, clear_ambient_capability_set, remove_capability_from_bounding_set,
};

use super::{ENTER, Layer as _, Refusal, control, mounts, ourselves, watch};
use crate::linux::spec::{Answer, Spec};
use crate::system;

/// `own` is whether the namespaces are bare, so that the mounts are still to be made.
pub(super) fn supervise(own: bool) -> Result<(), Refusal> {
    let control = control().layer("helper")?;
    if own {
        set_parent_process_death_signal(Some(Signal::KILL)).layer("helper")?;
    }
    Answer::Ready.message().send(&control).layer("helper")?;
    let Some(spec) = Spec::receive(&control).layer("helper")? else { return Ok(()) };
    if own {
        mounts::build(&spec)?;
        drop_power().layer("capabilities")?;
    }
    std::fs::DirBuilder::new().mode(0o700).create(system::HOME).layer("private home")?;
    let (child, answer) = start(&spec).layer("helper")?;
    answer.message().send(&control).layer("helper")?;
    if answer == Answer::Started {
        let ended = watch::watch(&child, &control, &spec.limits).layer("helper")?;
        Answer::Ended(ended).message().send(&control).layer("helper")?;
    }
    Ok(())
}

/// Starts the last step. Its end of the socket is closed when the command takes over, so that silence means success.
fn start(spec: &Spec) -> io::Result<(Child, Answer)> {
    let (ours, theirs) = UnixStream::pair()?;
    let child = ourselves(ENTER).stdin(Stdio::from(std::os::fd::OwnedFd::from(theirs))).spawn()?;
    spec.message().send(&ours)?;
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

fn drop_power() -> io::Result<()> {
    clear_ambient_capability_set()?;
    for capability in CapabilitySet::all().iter() {
        match remove_capability_from_bounding_set(capability) {
            // A kernel may know fewer than we do.
            Ok(()) | Err(rustix::io::Errno::INVAL) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let none = CapabilitySet::empty();
    rustix::thread::set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })?;
    Ok(())
}
