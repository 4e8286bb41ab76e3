//! What was found in a skill's folder.

use std::path::{Path, PathBuf};

use crate::diagnostic::{Code, Diagnostic};

/// One finding, and the hosts that mind it.
#[derive(Clone, Debug)]
pub struct SkillFinding {
    /// The file.
    pub path: PathBuf,
    /// What is found.
    pub diagnostic: Diagnostic,
    /// Hosts that do not load the skill because of it, by title.
    pub dropped_by: Vec<String>,
    /// Hosts that load the skill, but not as it is written, by title.
    pub differs_in: Vec<String>,
}

impl SkillFinding {
    /// Makes a finding that no host minds more than another.
    pub fn new(path: &Path, diagnostic: Diagnostic) -> SkillFinding {
        SkillFinding { path: path.to_owned(), diagnostic, dropped_by: Vec::new(), differs_in: Vec::new() }
    }

    /// Takes in the same finding of another host: the words of the first stay, unless the other one finds worse.
    pub(super) fn merge(&mut self, title: &str, other: Diagnostic) {
        let own = &mut self.diagnostic;
        if other.code == Code::FieldNotRead {
            own.message = format!("{}, {title}", own.message);
        }
        let fix = own.fix.take().or(other.fix.clone());
        if other.level > own.level && other.code != own.code {
            *own = other;
        } else {
            own.level = own.level.max(other.level);
        }
        own.fix = fix;
    }
}
