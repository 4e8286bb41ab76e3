//! The names that other hosts give to a skill, so that a rule means the skill by any of them.
//!
//! A caller that chooses the host would otherwise choose the rules: one host folds a name, another replaces characters in it,
//! a third puts the plugin's name before it.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use openoxide_permissions::folded;

use super::{Entry, SearchedRoot};
use crate::host::Hosts;
use crate::namespace::{plugin_name, qualify};
use crate::root::Surroundings;

/// How hosts change the names of skills.
#[derive(Clone, Debug, Default)]
pub struct HostNames {
    /// For each way: the characters that become `-`.
    replaced: BTreeSet<String>,
    /// The manifests that put a plugin's name before a skill's.
    manifests: BTreeSet<String>,
}

impl HostNames {
    /// Returns how these hosts change names.
    pub fn of(hosts: &Hosts) -> HostNames {
        let mut names = HostNames::default();
        for host in hosts.all().filter_map(|spec| spec.host().ok()) {
            names.replaced.insert(host.parse.name.replaced().to_owned());
            names.manifests.extend(host.namespace.manifests);
        }
        names
    }

    /// Returns the manifests that put a plugin's name before a skill's, by their path in the plugin.
    pub(super) fn manifests(&self) -> impl Iterator<Item = &String> {
        self.manifests.iter()
    }

    /// Tells each entry the names that other hosts give it. Folders whose plugins are known are not looked at again.
    pub fn tell<'e>(
        &self,
        entries: impl IntoIterator<Item = &'e mut Entry>,
        roots: &[SearchedRoot],
        around: &Surroundings,
        known: &mut KnownPlugins,
    ) {
        let mut plugins = Plugins { manifests: &self.manifests, around, known };
        for entry in entries {
            // Names from an earlier call are none of those that it has here.
            entry.other_names.clear();
            entry.other_names = self.names(entry, roots, &mut plugins);
        }
    }

    fn names(&self, entry: &Entry, roots: &[SearchedRoot], plugins: &mut Plugins<'_>) -> Vec<String> {
        let given: Vec<String> = entry.names_for_rules().map(str::to_owned).collect();
        let bare = given.iter().map(|name| name.rsplit_once(':').map_or(name.as_str(), |(_, bare)| bare));
        let mut names: BTreeSet<String> =
            bare.chain(given.iter().map(String::as_str)).flat_map(|name| self.changed(name)).collect();
        let holds = |searched: &&SearchedRoot| {
            entry.found().starts_with(&searched.root.path) || entry.canonical().starts_with(&searched.canonical)
        };
        let plugins_of_roots = roots.iter().filter(holds).filter_map(|searched| searched.root.plugin.as_ref());
        let mut prefixes: BTreeSet<String> = plugins_of_roots.map(|plugin| plugin.name.clone()).collect();
        for file in [entry.found(), entry.canonical()] {
            prefixes.extend(plugins.above(file));
        }
        let with_prefix = |prefix: &String| {
            let names = names.iter().filter(|name| !name.contains(':'));
            let both = names.flat_map(|name| [qualify(prefix, name, true), qualify(prefix, name, false)]);
            both.collect::<Vec<_>>()
        };
        let prefixed: Vec<String> = prefixes.iter().flat_map(with_prefix).collect();
        names.extend(prefixed);
        names.retain(|name| !given.contains(name));
        names.into_iter().collect()
    }

    /// Returns a name as each host may change it.
    fn changed(&self, name: &str) -> BTreeSet<String> {
        let tidy = name.split_whitespace().collect::<Vec<_>>().join(" ");
        let folded = folded(&tidy).into_owned();
        let replaced = self
            .replaced
            .iter()
            .flat_map(|odd| [&tidy, &folded].map(|name| name.replace(|one| odd.contains(one), "-")));
        let mut all: BTreeSet<String> = replaced.collect();
        all.extend([name.trim().to_owned(), tidy.clone(), folded.clone()]);
        all
    }
}

/// The names of the plugins that folders are, as they were when each was first looked at.
#[derive(Debug, Default)]
pub struct KnownPlugins(HashMap<PathBuf, Vec<String>>);

/// Looks for the plugins that folders are.
struct Plugins<'p> {
    manifests: &'p BTreeSet<String>,
    around: &'p Surroundings,
    known: &'p mut KnownPlugins,
}

impl Plugins<'_> {
    /// Returns the names of the plugins that a file lies in, from its folder upwards.
    fn above(&mut self, file: &Path) -> Vec<String> {
        file.ancestors().skip(1).flat_map(|folder| self.at(folder)).collect()
    }

    fn at(&mut self, folder: &Path) -> Vec<String> {
        if let Some(known) = self.known.0.get(folder) {
            return known.clone();
        }
        let boundary = self.around.boundary_at(folder);
        let names = self.manifests.iter().filter_map(|file| plugin_name(folder, file, &boundary)).collect::<Vec<_>>();
        self.known.0.insert(folder.to_owned(), names.clone());
        names
    }
}
