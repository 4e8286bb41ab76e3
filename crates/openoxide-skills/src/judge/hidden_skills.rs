//! Decides whether a skill is hidden from a program, alone or with the folder that it lies in.

use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;

use openoxide_permissions::Rules;

use super::{MetadataFiles, OuterSkills, SingleFiles, spellings};
use crate::catalog::{Catalog, Entry, HostNames, InnerSkills, KnownPlugins, SearchedRoot, SwitchRules, View};
use crate::discover::{Prefix, read_opened_prefix, read_plain_prefix};
use crate::parse::{CarefulNames, CarefulReader, CarefulReading, Head, Parsed, parse_head};
use crate::resource::SkillDir;
use crate::skill::{SkillMetadata, SkillPolicy, SkillScope};

/// Hides from a program what lies inside a skill that it may see, and is a skill itself that it may not see; and what lies
/// inside a skill that it may not see.
///
/// Whether a host finds such a skill differs, and the caller chooses the host. So every folder with a skill's file, and
/// every single file that some host takes for a skill, is judged where it is read, by the user's own host.
#[derive(Debug)]
pub struct HiddenSkills {
    /// The user's rules, and the agent's.
    pub rules: Rules,
    /// The view of the user's own host, whose switches hold for every host.
    pub own: View,
    /// The rules of that view.
    pub switches: SwitchRules,
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
    /// Whether rules or switches mean skills by their names.
    pub by_name: CarefulNames,
    /// The folders above skills.
    pub outer: OuterSkills,
}

impl InnerSkills for HiddenSkills {
    fn hides(&self, folder: BorrowedFd<'_>, path: &Path) -> bool {
        let files = spellings(folder);
        let is_hidden = |file: &String| {
            // What cannot be read cannot be judged, and so cannot be shown.
            let Some(text) = read_plain_prefix(folder, Path::new(file)) else { return true };
            self.hides_text(&text.bytes, text.whole, &path.join(file))
        };
        !files.is_empty() && (files.iter().any(is_hidden) || self.files.keep_off(folder))
    }

    fn hides_file(&self, file: OwnedFd, path: &Path) -> bool {
        let names = self.single.names(path);
        let is_hidden = |text: Prefix| self.hides_skill(&text.bytes, text.whole, path, &names);
        !names.is_empty() && read_opened_prefix(Ok(file)).is_none_or(is_hidden)
    }

    fn is_kept_by_metadata(&self, folder: BorrowedFd<'_>) -> bool {
        self.files.keep_off(folder)
    }

    fn hides_text(&self, text: &[u8], whole: bool, path: &Path) -> bool {
        let place = if path.file_name().is_some_and(|name| name.eq_ignore_ascii_case("SKILL.md")) {
            path.parent().and_then(Path::file_name)
        } else {
            path.file_stem()
        };
        let name = place.unwrap_or_default().to_string_lossy().into_owned();
        self.hides_skill(text, whole, path, &[name])
    }
}

impl HiddenSkills {
    /// Returns every name by which rules mean a skill that some host found; nothing if it is hidden. Its own file, or the
    /// metadata beside it, may keep it from the model, and what cannot be read does.
    pub fn names_if_visible(
        &self,
        catalog: &Catalog,
        entry: &Entry,
        plugins: &mut KnownPlugins,
    ) -> Option<Vec<String>> {
        let dir = SkillDir::of(catalog, entry).ok()?;
        let text = dir.manifest_prefix()?;
        let is_flat = catalog.roots[entry.root].root.scan.layout.is_flat();
        if !is_flat && self.files.keep_off(dir.fd()) {
            return None;
        }
        if self.is_in_hidden(entry, is_flat) {
            return None;
        }
        let folder = entry.dir().file_name().unwrap_or_default().to_string_lossy();
        let reading = self.reader.read(&text.bytes, text.whole, &folder, self.by_name);
        self.other_names(entry, &reading, plugins)
    }

    /// Tells whether a skill lies in the folder of another one that is hidden, where it really is or where it was found.
    fn is_in_hidden(&self, entry: &Entry, is_flat: bool) -> bool {
        // The folder around a single file may be another skill's.
        let own = usize::from(!is_flat);
        let hides = |folder: BorrowedFd<'_>, path: &Path| self.hides(folder, path);
        let mut around =
            [entry.canonical(), entry.found()].into_iter().filter_map(|file| file.ancestors().nth(1 + own));
        around.any(|folder| self.outer.hide(folder, &hides))
    }

    /// Tells whether a skill is hidden whose place calls it by these names.
    fn hides_skill(&self, text: &[u8], whole: bool, path: &Path, names: &[String]) -> bool {
        let mut plugins = KnownPlugins::default();
        let mut is_hidden = |name: &String| {
            let head = Head { bytes: text, text: std::str::from_utf8(text), whole, folder: name, real_folder: name };
            let Some(parsed) = parse_head(head, &self.own.host.parse) else { return true };
            let mut entry = entry_of(&parsed, path);
            entry.aliases.push(name.clone());
            let reading = self.reader.read(text, whole, name, self.by_name);
            self.other_names(&entry, &reading, &mut plugins).is_none()
        };
        names.iter().any(&mut is_hidden)
    }

    /// Returns the names of a skill besides those that it has in its catalog; nothing if its text, a rule or a switch hides it.
    fn other_names(&self, entry: &Entry, reading: &CarefulReading, plugins: &mut KnownPlugins) -> Option<Vec<String>> {
        if reading.keeps_from_model {
            return None;
        }
        let mut told = entry.clone();
        told.aliases.extend(reading.names.iter().cloned());
        self.names.tell([&mut told], &self.roots, &self.own.around, plugins);
        let is_hidden = told.denied_by(&self.rules).is_some() || self.switches.switch_off(&self.own, &told);
        (!is_hidden).then(|| told.names_for_rules().map(str::to_owned).collect())
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
