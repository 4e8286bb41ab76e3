//! How this machine can isolate a command, what it lacks, and where that is looked for.

use std::{fmt, io, path::PathBuf};

use crate::system_paths;

/// How this machine can isolate a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Isolation {
    /// The mechanism that is used.
    pub mechanism: Mechanism,
    /// The version of Landlock in the kernel, or 0 if there is none.
    pub landlock: u32,
    /// Whether a control group limits processes and memory. Otherwise limits of the process do, and counting from inside.
    pub control_groups: bool,
    /// Whether a command can be given a folder to write: a copy of it can be made that takes what is written.
    pub layers: bool,
    /// Why better mechanisms, or all of them, cannot be used.
    pub missing: Vec<Missing>,
    /// The program that is started again inside as the helper.
    pub(crate) helper: PathBuf,
}

/// A mechanism to isolate a command. Landlock, seccomp and limits are added to each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mechanism {
    /// The program bubblewrap.
    Bubblewrap {
        /// Its path.
        path: PathBuf,
        /// Its version.
        version: String,
    },
    /// Namespaces that the helper makes itself, with Landlock to guard reading.
    Landlock,
    /// None. Nothing runs.
    None,
}

/// A part that this machine lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The part.
    pub what: &'static str,
    /// Why it cannot be used.
    pub why: String,
    /// What to do.
    pub remedy: &'static str,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({})", self.what, self.why, self.remedy)
    }
}

impl Mechanism {
    /// Returns the name.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Bubblewrap { .. } => "bubblewrap",
            Self::Landlock => "landlock",
            Self::None => "none",
        }
    }
}

impl Isolation {
    /// Returns whether commands can run.
    pub fn is_available(&self) -> bool {
        self.mechanism != Mechanism::None
    }
}

impl fmt::Display for Isolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.mechanism {
            Mechanism::Bubblewrap { path, version } => write!(f, "bubblewrap {version} ({})", path.display())?,
            Mechanism::Landlock => f.write_str("namespaces")?,
            Mechanism::None => {
                f.write_str("none, so no command runs")?;
                return self.missing.iter().try_for_each(|missing| write!(f, "; {missing}"));
            }
        }
        if self.landlock > 0 {
            write!(f, ", Landlock {}", self.landlock)?;
        } else {
            f.write_str(", no Landlock")?;
        }
        f.write_str(if self.control_groups { ", seccomp, cgroups" } else { ", seccomp" })?;
        f.write_str(if self.layers { "" } else { ", nothing writable" })
    }
}

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
