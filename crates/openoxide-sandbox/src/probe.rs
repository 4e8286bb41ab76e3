//! Says where to look for a mechanism to isolate commands with.

use std::{io, path::PathBuf};

use crate::system_paths;

/// Where to look for a mechanism, and which program to use as the helper.
#[derive(Clone, Debug)]
pub struct Probe {
    /// Our own program, or one that calls [`helper::main_if_asked`](crate::helper::main_if_asked) first in its `main`.
    pub helper: PathBuf,
    /// The folders to search for bubblewrap: never the project, never the user's `PATH`.
    pub folders: Vec<PathBuf>,
    /// Whether to ignore Landlock.
    pub without_landlock: bool,
}

impl Probe {
    /// Uses this program as the helper, and the folders of the system.
    pub fn new() -> io::Result<Self> {
        const OTHERS: [&str; 2] = ["/run/current-system/sw/bin", "/run/wrappers/bin"];
        let folders = system_paths::PATH.split(':').chain(OTHERS).map(PathBuf::from).collect();
        Ok(Self { helper: std::env::current_exe()?, folders, without_landlock: false })
    }
}
