//! Decides whether a skill inside another skill's folder is hidden.

use std::os::fd::BorrowedFd;
use std::path::Path;
use std::sync::Arc;

use openoxide_permissions::Rules;

use super::{MetadataFiles, spellings};
use crate::catalog::{Entry, HostNames, InnerSkills, SearchedRoot, View, is_switched_off};
use crate::discover::read_plain_prefix;
use crate::parse::{Head, Parsed, parse_head};
use crate::skill::{SkillMetadata, SkillPolicy, SkillScope};

/// Hides from a program what lies inside a skill that it may see, and is a skill itself that it may not see.
///
/// Whether a host finds such a skill differs, and the caller chooses the host. So every folder with a skill's file is judged
/// where it is read, by the user's own host.
#[derive(Debug)]
pub struct HiddenSkills {
    /// The user's rules, and the agent's.
    pub rules: Rules,
    /// The view of the user's own host, whose switches hold for every host.
    pub own: View,
    /// How hosts change names.
    pub names: HostNames,
    /// The folders that were searched, whose plugins give names.
    pub roots: Vec<SearchedRoot>,
    /// Metadata that keeps a skill from the model.
    pub files: MetadataFiles,
}

impl InnerSkills for HiddenSkills {
    fn hides(&self, folder: BorrowedFd<'_>, path: &Path) -> bool {
        let files = spellings(folder);
        !files.is_empty()
            && (files.iter().any(|file| self.hides_file(folder, path, file)) || self.files.keep_off(folder))
    }
}

impl HiddenSkills {
    fn hides_file(&self, folder: BorrowedFd<'_>, path: &Path, file: &str) -> bool {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // What cannot be judged cannot be shown.
        let Some(prefix) = read_plain_prefix(folder, Path::new(file)) else { return true };
        let head = Head {
            bytes: &prefix.bytes,
            text: std::str::from_utf8(&prefix.bytes),
            whole: prefix.whole,
            folder: &name,
            real_folder: &name,
        };
        let Some(parsed) = parse_head(head, &self.own.host.parse) else { return true };
        let mut entry = entry_of(&parsed, &path.join(file));
        self.names.tell([&mut entry], &self.roots, &self.own.around);
        entry.skill.frontmatter.keeps_from_model
            || entry.denied_by(&self.rules).is_some()
            || is_switched_off(&self.own, &entry)
    }
}

fn entry_of(parsed: &Parsed, path: &Path) -> Entry {
    let skill = SkillMetadata {
        name: parsed.name.clone(),
        description: parsed.description.clone(),
        short_description: None,
        path: Arc::from(path),
        scope: SkillScope::Repo,
        policy: SkillPolicy::default(),
        interface: None,
        dependencies: None,
        permissions: None,
        described: true,
        frontmatter: Arc::clone(&parsed.frontmatter),
    };
    Entry::alone(skill, 0)
}
