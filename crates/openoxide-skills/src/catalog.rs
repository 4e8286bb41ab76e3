//! The catalog: what one host finds, in the host's order, with the status of every skill.
//!
//! [`load`] makes one catalog for each [`View`]; [`IncrementalLoader`] does so again and again, and looks only where something changed.

use std::path::{Path, PathBuf};
use std::{collections::BTreeSet, sync::Arc};

use openoxide_permissions::Rules;

pub use crate::discover::{LimitReached, PlannedLink, Reason, Watched};
use crate::host::{Host, HostError, HostSpec, ManifestFolders};
use crate::root::{Root, SleepingSearch, Surroundings, resolve_roots};
use crate::settings::HostSettings;

mod build;
mod entry;
mod filter;
mod host_names;
mod incremental;
mod inner_skills;
mod load;
mod name_patterns;
mod order;
mod permission;
mod rank;
mod searched_root;
#[cfg(test)]
mod tests;
mod what_if;

pub use entry::{Entry, Problem, Status};
pub use filter::{SwitchRules, switches_by_name};
pub use host_names::{HostNames, KnownPlugins};
pub use incremental::{Changes, IncrementalLoader};
pub use inner_skills::InnerSkills;
pub use load::{Depth, discover_dir, load};
pub(crate) use order::{FolderPlaces, collator, sort_entries};
pub use rank::ambiguities;
pub use searched_root::SearchedRoot;
pub use what_if::Searched;

/// What one host sees.
#[derive(Clone, Debug)]
pub struct Catalog {
    /// The host's `name` or `name@edition`.
    pub host: String,
    /// Skills that are active, in the host's order.
    pub skills: Vec<Entry>,
    /// Everything else that was found, by path.
    pub others: Vec<Entry>,
    /// Findings, by path and place.
    pub problems: Vec<Problem>,
    /// Limits that were reached.
    pub limits: Vec<LimitReached>,
    /// The folders that were searched.
    pub roots: Vec<SearchedRoot>,
    /// Decides which skills inside other skills' folders are hidden; absent: none.
    pub inner_skills: Option<Arc<dyn InnerSkills>>,
}

impl Catalog {
    /// Tells whether a skill comes inside the program, and its files are not written yet, or not safe from other users.
    pub fn is_only_in_program(&self, entry: &Entry) -> bool {
        let embedded = self.roots.get(entry.root).and_then(|searched| searched.embedded.as_ref());
        embedded.is_some_and(|embedded| !embedded.is_written())
    }

    /// Returns about how many bytes of frontmatters it keeps.
    pub fn text_size(&self) -> usize {
        let of = |entry: &Entry| entry.skill.description.len() + entry.skill.frontmatter.text_size();
        self.entries().map(of).sum()
    }

    /// Returns every entry, those that are active first.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.skills.iter().chain(&self.others)
    }

    /// Returns the skills that are active and those that are switched off, in the host's order.
    pub fn switchable(&self, host: &Host) -> Vec<&Entry> {
        let off = self.others.iter().filter(|entry| entry.status == Status::Disabled);
        let mut entries: Vec<&Entry> = self.skills.iter().chain(off).collect();
        if entries.len() > self.skills.len() {
            let by_keys = order::by_keys(&host.list.order, &host.collide.rank);
            entries.sort_by(|left, right| by_keys(left, right));
        }
        entries
    }

    /// Finds the entries that a name, a path or else a folder's name means, those that are active first.
    pub fn find(&self, wanted: &str) -> Vec<&Entry> {
        let called = self.called(wanted);
        let is_folder = |entry: &&Entry| entry.dir().file_name().is_some_and(|name| name == wanted);
        if called.is_empty() { self.entries().filter(is_folder).collect() } else { called }
    }

    /// Returns the entries whose file a path without links is, and its path in the skill: every skill that it lies in.
    pub fn files_at<'p>(&self, file: &'p Path) -> Vec<(&Entry, &'p Path)> {
        let path_in = |entry: &Entry| {
            let is_flat = self.roots.get(entry.root).is_some_and(|searched| searched.root.scan.layout.is_flat());
            let canonical = entry.canonical();
            // Nothing beside a skill that is a single file belongs to it.
            let below = file.strip_prefix(canonical.parent()?).ok()?;
            (!is_flat || canonical == file).then_some(below)
        };
        self.entries().filter_map(|entry| Some((entry, path_in(entry)?))).collect()
    }

    /// Returns what calls this entry and no other active one: its name, or else its path.
    pub fn call_of(&self, entry: &Entry) -> String {
        let named: Vec<&Entry> = self.find(&entry.skill.name).into_iter().filter(|entry| entry.is_active()).collect();
        match named.as_slice() {
            [only] if only.skill.path == entry.skill.path => entry.skill.name.to_string(),
            _ => crate::text::path_text(&entry.skill.path),
        }
    }

    /// Finds the entries that a name or a path calls, those that are active first.
    pub fn called(&self, wanted: &str) -> Vec<&Entry> {
        let path = Path::new(wanted);
        let is_path =
            |entry: &Entry| path.is_absolute() && [&*entry.skill.path, entry.dir(), entry.found()].contains(&path);
        let is_name =
            |entry: &&Entry| *entry.skill.name == *wanted || entry.aliases.iter().any(|alias| alias == wanted);
        let by_path: Vec<&Entry> = self.entries().filter(|entry| is_path(entry)).collect();
        if by_path.is_empty() { self.entries().filter(is_name).collect() } else { by_path }
    }
}

/// One host's view of one project: its rules, settings and roots.
#[derive(Clone, Debug)]
pub struct View {
    /// The host as its folder states it.
    pub spec: HostSpec,
    /// Its rules with settings applied.
    pub host: Host,
    /// Its settings.
    pub settings: HostSettings,
    /// The folders it searches.
    pub roots: Vec<Root>,
    /// The environment around the project, as values.
    pub around: Arc<Surroundings>,
    /// Permission rules of the user and the agent; a skill that they deny is not active.
    pub rules: Rules,
    /// How hosts change the names of skills, where rules mean skills by names; absent: nothing is looked up.
    pub host_names: Option<Arc<HostNames>>,
    /// How far the roots among these were searched for that are asleep.
    pub sleeping_search: SleepingSearch,
}

impl View {
    /// Makes a view from a host, its settings and its surroundings, without permission rules.
    pub fn new(spec: HostSpec, settings: HostSettings, around: Arc<Surroundings>) -> Result<View, HostError> {
        let host = spec.with(&settings)?;
        let roots = resolve_roots(&host, &settings, &around);
        Ok(View {
            spec,
            host,
            settings,
            roots,
            around,
            rules: Rules::default(),
            host_names: None,
            sleeping_search: SleepingSearch::Whole,
        })
    }

    /// Returns the plugin manifests above its roots that prefix its skills' names, here or where rules mean them by the names
    /// of other hosts, whether or not they exist.
    pub fn manifests_above(&self) -> Vec<PathBuf> {
        let rules = &self.host.namespace;
        let own = rules.manifests.iter().filter(|_| rules.folders == ManifestFolders::ToTop);
        let of_others = self.host_names.iter().flat_map(|names| names.manifests());
        let manifests: BTreeSet<&String> = own.chain(of_others).collect();
        if manifests.is_empty() {
            return Vec::new();
        }
        let mut paths = BTreeSet::new();
        for root in &self.roots {
            let root = std::fs::canonicalize(&root.path).unwrap_or_else(|_| root.path.clone());
            for folder in root.ancestors().skip(1) {
                paths.extend(manifests.iter().map(|file| folder.join(file)));
            }
        }
        paths.into_iter().collect()
    }
}
