//! What the steps of the helper share: their names, their socket, and errors that name a layer.

use std::{io, os::fd::AsFd as _, os::unix::net::UnixStream};

/// The first argument of a helper.
pub(crate) const HELPER_ARGUMENT: &str = "__openoxide-sandbox";

pub(crate) const FACTS: &str = "facts";
pub(crate) const LAUNCH: &str = "launch";
pub(crate) const SUPERVISE: &str = "supervise";
pub(super) const SUPERVISE_OWN: &str = "supervise-own";
pub(super) const ENTER: &str = "enter";

/// Stands for making the namespaces ourselves, in place of a path to bubblewrap.
pub(crate) const OWN: &str = "own";

/// The layer that takes what a command writes.
pub(crate) const LAYER: &str = "copy-on-write layer";

/// A failed step: the layer that could not be built, and why.
#[derive(Debug)]
pub(super) struct LayerError {
    pub(super) layer: &'static str,
    pub(super) why: String,
}

/// Names the layer that an error belongs to.
pub(super) trait InLayer<T> {
    fn in_layer(self, layer: &'static str) -> Result<T, LayerError>;
}

impl<T, E: std::fmt::Display> InLayer<T> for Result<T, E> {
    fn in_layer(self, layer: &'static str) -> Result<T, LayerError> {
        self.map_err(|error| LayerError { layer, why: error.to_string() })
    }
}

/// Returns the socket that stands in for standard input. The copy is closed when another program takes over.
pub(super) fn control() -> io::Result<UnixStream> {
    Ok(UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?))
}

/// Returns a command that starts our own program with a step, wherever the program is inside.
pub(super) fn ourselves(step: &str) -> std::process::Command {
    let mut command = std::process::Command::new("/proc/self/exe");
    command.args([HELPER_ARGUMENT, step]).env_clear().current_dir("/");
    command
}
