//! Where to look for what this machine has to isolate a command with.

use std::io;
use std::path::PathBuf;

use crate::{Isolation, here};

/// Where to look, and with which helper.
#[derive(Clone, Debug)]
pub struct Probe {
    /// Our own program, or one that calls [`helper::main_if_asked`](crate::helper::main_if_asked) first in its `main`.
    pub helper: PathBuf,
    /// The folders that bubblewrap is looked for in. Never the project, never the user's `PATH`.
    pub folders: Vec<PathBuf>,
    /// Whether to pass over Landlock.
    pub without_landlock: bool,
}

impl Isolation {
    /// Finds out what this machine has. It starts a few short processes, the last of them in a sandbox; none where the
    /// system is not Linux, because there is nothing to find.
    pub fn probe(probe: &Probe) -> Self {
        here::probe(probe)
    }
}

impl Probe {
    /// This process as the helper, and the system's folders.
    pub fn new() -> io::Result<Self> {
        const OTHERS: [&str; 2] = ["/run/current-system/sw/bin", "/run/wrappers/bin"];
        let folders = crate::PATH.split(':').chain(OTHERS).map(PathBuf::from).collect();
        Ok(Self { helper: std::env::current_exe()?, folders, without_landlock: false })
    }
}
