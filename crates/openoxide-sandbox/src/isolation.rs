//! What this machine has to isolate a command with.

use std::fmt;
use std::path::PathBuf;

/// What this machine has to isolate a command with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Isolation {
    /// The way that is taken.
    pub mechanism: Mechanism,
    /// The version of Landlock in the kernel, 0 without.
    pub landlock: u32,
    /// Whether processes and memory are limited by a control group. Otherwise they are by limits of the process and by
    /// counting from inside.
    pub control_groups: bool,
    /// Why better ways are not taken, or none at all.
    pub missing: Vec<Missing>,
    /// Our own program, which is started again inside.
    pub(crate) helper: PathBuf,
}

/// A way to isolate a command. Landlock, seccomp and limits are added to each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mechanism {
    /// The program bubblewrap.
    Bubblewrap {
        /// Where it is.
        path: PathBuf,
        /// Its version.
        version: String,
    },
    /// Namespaces that the helper makes itself, with Landlock to guard reading.
    Landlock,
    /// None. Nothing runs.
    None,
}

/// Something that this machine lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// What it is.
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
    /// Its name.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Bubblewrap { .. } => "bubblewrap",
            Self::Landlock => "landlock",
            Self::None => "none",
        }
    }
}

impl Isolation {
    /// Whether a command can be run.
    pub fn is_there(&self) -> bool {
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
        }
        f.write_str(if self.control_groups { ", seccomp, cgroups" } else { ", seccomp" })
    }
}
