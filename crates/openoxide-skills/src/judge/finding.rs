//! What was found in a skill's folder.

use std::path::{Path, PathBuf};

use crate::diagnostic::Diagnostic;

/// One finding, and the hosts that do not load the skill because of it.
#[derive(Clone, Debug)]
pub struct SkillFinding {
    /// The file.
    pub path: PathBuf,
    /// What is found.
    pub diagnostic: Diagnostic,
    /// Hosts by title.
    pub dropped_by: Vec<String>,
}

impl SkillFinding {
    /// Makes a finding that keeps no host from loading the skill.
    pub fn new(path: &Path, diagnostic: Diagnostic) -> SkillFinding {
        SkillFinding { path: path.to_owned(), diagnostic, dropped_by: Vec::new() }
    }
}
