//! The part of us that runs inside: our own program, started again with a first argument that nobody types.
//!
//! Three steps, each a process of its own, because each has less power than the one before:
//!
//! 1. *launch* lets go of everything that the runtime has open, starts bubblewrap or makes the namespaces itself, and
//!    stays outside to end all of it when the runtime ends;
//! 2. *supervise* is inside, waits for the command, counts its processes and memory, and answers how it ended; when it
//!    ends, so does everything in its namespace;
//! 3. *enter* gives up the rest (limits, Landlock, seccomp) and becomes the command.
//!
//! The runtime and *supervise* speak over a socket that takes the place of standard input. When the runtime is gone, the
//! socket tells.

mod enter;
mod filter;
mod launch;
mod mounts;
mod rules;
mod supervise;
mod watch;

use std::ffi::OsString;
use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

use super::spec::Answer;

/// The first argument of a helper.
pub(crate) const ASKED: &str = "__openoxide-sandbox";

pub(crate) const FACTS: &str = "facts";
pub(crate) const LAUNCH: &str = "launch";
pub(crate) const SUPERVISE: &str = "supervise";
pub(crate) const SUPERVISE_OWN: &str = "supervise-own";
pub(crate) use launch::OWN;
pub(crate) const ENTER: &str = "enter";

/// Why a step could not be taken: the layer and what happened.
#[derive(Debug)]
struct Refusal {
    layer: &'static str,
    why: String,
}

/// Names the layer that an error belongs to.
trait Layer<T> {
    fn layer(self, layer: &'static str) -> Result<T, Refusal>;
}

impl<T, E: std::fmt::Display> Layer<T> for Result<T, E> {
    fn layer(self, layer: &'static str) -> Result<T, Refusal> {
        self.map_err(|error| Refusal { layer, why: error.to_string() })
    }
}

/// Does the helper's work if that is what this process was started for. To be called first in `main`, before there is a
/// second thread.
pub fn main_if_asked() -> Option<ExitCode> {
    let mut args = std::env::args_os().skip(1);
    if args.next()? != ASKED {
        return None;
    }
    let rest: Vec<OsString> = args.collect();
    Some(match step(&rest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Refusal { layer, why }) => {
            if let Ok(control) = control() {
                let _ = Answer::Refused { layer: layer.to_owned(), why }.message().send(&control);
            }
            ExitCode::FAILURE
        }
    })
}

fn step(args: &[OsString]) -> Result<(), Refusal> {
    let (step, rest) = args.split_first().ok_or("no step is named").layer("helper")?;
    match step.to_str() {
        Some(FACTS) => rules::facts(),
        Some(LAUNCH) => launch::launch(rest),
        Some(SUPERVISE) => supervise::supervise(false),
        Some(SUPERVISE_OWN) => supervise::supervise(true),
        Some(ENTER) => enter::enter(),
        _ => Err("the step is unknown").layer("helper"),
    }
}

/// The socket that stands in for standard input. The copy is closed when another program takes over.
fn control() -> io::Result<UnixStream> {
    Ok(UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?))
}

/// Our own program, wherever it is inside.
fn ourselves(step: &str) -> std::process::Command {
    let mut command = std::process::Command::new("/proc/self/exe");
    command.args([ASKED, step]).env_clear().current_dir("/");
    command
}
