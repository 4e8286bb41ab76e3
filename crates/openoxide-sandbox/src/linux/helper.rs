//! The helper: our own program, started again inside the sandbox with a first argument that nobody types.
//!
//! It takes three steps, each a process of its own, because each has fewer privileges than the one before:
//!
//! 1. *launch* closes everything that the runtime has open, starts bubblewrap or makes the namespaces itself, and stays
//!    outside to end all of it when the runtime ends.
//! 2. *supervise* is inside. It waits for the command, counts its processes and memory, and reports how it ended. When it
//!    ends, so does everything in its namespace.
//! 3. *enter* gives up the rest (limits, Landlock, seccomp) and becomes the command.
//!
//! The runtime and *supervise* talk over a socket that takes the place of standard input. When the runtime is gone, the
//! socket is closed, and the helper notices.

mod enter;
mod landlock_rules;
mod launch;
mod layers;
mod memory;
mod monitor;
mod mounts;
mod seccomp;
mod step;
mod supervise;

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use self::step::{ENTER, InLayer as _, LayerError, SUPERVISE_OWN, control};
pub(crate) use self::step::{FACTS, HELPER_ARGUMENT, LAUNCH, LAYER, OWN, SUPERVISE};
use super::spec::Answer;

/// Whether this program, started again, does the helper's work.
static IS_READY: AtomicBool = AtomicBool::new(false);

/// Does the helper's work if this process was started for it. Call this first in `main`, before there is a second thread.
pub fn main_if_asked() -> Option<ExitCode> {
    IS_READY.store(true, Ordering::Relaxed);
    let mut args = std::env::args_os().skip(1);
    if args.next()? != HELPER_ARGUMENT {
        return None;
    }
    let rest: Vec<OsString> = args.collect();
    Some(match run_step(&rest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(LayerError { layer, why }) => {
            if let Ok(control) = control() {
                let _ = Answer::Refused { layer: layer.to_owned(), why }.send(&control);
            }
            ExitCode::FAILURE
        }
    })
}

pub(crate) fn is_ready() -> bool {
    IS_READY.load(Ordering::Relaxed)
}

fn run_step(args: &[OsString]) -> Result<(), LayerError> {
    let (step, rest) = args.split_first().ok_or("no step is named").in_layer("helper")?;
    match step.to_str() {
        Some(FACTS) => landlock_rules::facts(),
        Some(LAUNCH) => launch::launch(rest),
        Some(SUPERVISE) => supervise::supervise(false),
        Some(SUPERVISE_OWN) => supervise::supervise(true),
        Some(ENTER) => enter::enter(),
        _ => Err("the step is unknown").in_layer("helper"),
    }
}
