//! Decides whether a skill inside another skill's folder is hidden.

use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;

use openoxide_permissions::Rules;

use super::{MetadataFiles, SingleFiles, spellings};
use crate::catalog::{Catalog, Entry, HostNames, InnerSkills, SearchedRoot, View, is_switched_off};
use crate::discover::{Prefix, read_opened_prefix, read_plain_prefix};
use crate::parse::{CarefulReader, Head, Parsed, parse_head};
use crate::resource::SkillDir;
use crate::skill::{SkillMetadata, SkillPolicy, SkillScope};

/// Hides from a program what lies inside a skill that it may see, and is a skill itself that it may not see.
///
/// Whether a host finds such a skill differs, and the caller chooses the host. So every folder with a skill's file, and
/// every single file that some host takes for a skill, is judged where it is read, by the user's own host.
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
    /// Where single files are skills.
    pub single: SingleFiles,
    /// Reads a skill's own file in the way of every host.
    pub reader: CarefulReader,
}

impl InnerSkills for HiddenSkills {
    fn hides(&self, folder: BorrowedFd<'_>, path: &Path) -> bool {
        let files = spellings(folder);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_hidden = |file: &String| {
            self.hides_skill(read_plain_prefix(folder, Path::new(file)), &path.join(file), &[name.to_string()])
        };
        !files.is_empty() && (files.iter().any(is_hidden) || self.files.keep_off(folder))
    }

    fn hides_file(&self, file: OwnedFd, path: &Path) -> bool {
        let names = self.single.names(path);
        !names.is_empty() && self.hides_skill(read_opened_prefix(Ok(file)), path, &names)
    }
}

impl HiddenSkills {
    /// Tells whether a skill's own file, or the metadata beside it, keeps it from the model, whichever host found it. What
    /// cannot be read does.
    pub fn keep_from_model(&self, catalog: &Catalog, entry: &Entry) -> bool {
        let Ok(dir) = SkillDir::of(catalog, entry) else { return true };
        let Some(prefix) = dir.manifest_prefix() else { return true };
        let is_flat = catalog.roots[entry.root].root.scan.layout.is_flat();
        self.reader.keeps_from_model(&prefix.bytes, prefix.whole) || (!is_flat && self.files.keep_off(dir.fd()))
    }

    /// Tells whether a skill is hidden whose place calls it by these names. What cannot be judged cannot be shown.
    fn hides_skill(&self, prefix: Option<Prefix>, path: &Path, names: &[String]) -> bool {
        let Some(prefix) = prefix else { return true };
        let is_hidden = |name: &String| {
            let head = Head {
                bytes: &prefix.bytes,
                text: std::str::from_utf8(&prefix.bytes),
                whole: prefix.whole,
                folder: name,
                real_folder: name,
            };
            let Some(parsed) = parse_head(head, &self.own.host.parse) else { return true };
            let mut entry = entry_of(&parsed, path);
            entry.aliases.push(name.clone());
            self.names.tell([&mut entry], &self.roots, &self.own.around);
            entry.denied_by(&self.rules).is_some() || is_switched_off(&self.own, &entry)
        };
        self.reader.keeps_from_model(&prefix.bytes, prefix.whole) || names.iter().any(is_hidden)
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
