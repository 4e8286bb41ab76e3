//! The files and folders that a workspace and a view are read from, for a watcher.

use std::path::{Path, PathBuf};

use openoxide_skills::host::{Host, PluginSource, ProjectRules};
use openoxide_skills::{catalog::View, root::Surroundings};

use super::Workspace;
use crate::host_settings::plugins::plugin_surroundings;
use crate::host_settings::reader::{layer_files, setting_layers};

/// The paths to watch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WatchPaths {
    /// Files and folders, which need not exist. It matters whether they exist, what they contain, and where links lead.
    pub paths: Vec<PathBuf>,
    /// Folders of which every entry matters.
    pub folders: Vec<PathBuf>,
}

impl Workspace {
    /// Returns the paths that the settings and a view are read from.
    pub fn watch_paths(&self, view: &View) -> WatchPaths {
        let mut watched = WatchPaths::default();
        self.add_own_files(&mut watched);
        watched.add_host_files(&view.host, &view.around);
        for rules in [&ProjectRules::default(), &view.host.project] {
            watched.add_markers(&self.environment.cwd, &rules.markers);
        }
        for rule in view.host.settings.values() {
            if let Some(source) = &rule.plugins {
                watched.add_plugins(source, view);
            }
        }
        for plugins in view.settings.plugins.values() {
            watched.paths.extend(plugins.iter().map(|plugin| plugin.dir.clone()));
        }
        watched.add_roots(view);
        for list in [&mut watched.paths, &mut watched.folders] {
            list.sort();
            list.dedup();
        }
        watched
    }

    fn add_own_files(&self, watched: &mut WatchPaths) {
        watched.paths.push(self.environment.cwd.clone());
        watched.paths.push(self.environment.admin.join("config.toml"));
        watched.paths.extend(self.project_files());
        if let Some(home) = self.environment.openoxide_home() {
            watched.paths.push(home.join("config.toml"));
            watched.paths.push(home.join("hosts"));
            watched.add_two_levels(&home.join("hosts"));
        }
        watched.paths.extend(self.config.trust.path().map(Path::to_owned));
        let trusted = self.config.layers.iter().flat_map(|layer| self.config.trusted_folders(layer));
        watched.paths.extend(trusted.map(|(_, folder)| folder));
    }
}

impl WatchPaths {
    /// Adds a folder, and the folders up to two levels below it: hosts have editions, plugin caches have versions.
    fn add_two_levels(&mut self, folder: &Path) {
        let Ok(real) = std::fs::canonicalize(folder) else { return };
        for inner in subfolders(&real) {
            self.folders.extend(subfolders(&inner));
            self.folders.push(inner);
        }
        self.folders.push(real);
    }

    fn add_host_files(&mut self, host: &Host, around: &Surroundings) {
        self.paths.extend(setting_layers(host).flat_map(|layer| layer_files(&layer, host, around)));
    }

    /// Adds the files that would make a folder above the project's root.
    fn add_markers(&mut self, cwd: &Path, markers: &[String]) {
        let markers = markers.iter().filter(|marker| !marker.is_empty());
        self.paths.extend(markers.flat_map(|marker| cwd.ancestors().map(move |folder| folder.join(marker))));
    }

    fn add_plugins(&mut self, source: &PluginSource, view: &View) {
        let around = plugin_surroundings(source, &view.around);
        let expand = |template: &String| around.expand(template, &view.host.vars);
        let lists = source.installed.iter().chain(&source.marketplaces).chain(&source.unless_in);
        self.paths.extend(lists.filter_map(expand));
        self.add_markers(&around.cwd, &source.project_markers);
        // Versions come and go two levels below: `marketplace/name/version`.
        if let Some(cache) = source.cache.as_ref().and_then(expand) {
            self.add_two_levels(&cache);
            self.paths.push(cache);
        }
        for plugin in view.settings.plugins.values().flatten() {
            self.paths.extend(source.manifests.iter().map(|manifest| plugin.dir.join(manifest)));
        }
    }

    /// Adds the roots, and the folders that decide which roots there are.
    fn add_roots(&mut self, view: &View) {
        self.paths.extend(view.roots.iter().map(|root| root.path.clone()));
        for rule in &view.host.roots {
            self.paths.extend(rule.unless_same.iter().filter_map(|other| view.around.expand(other, &view.host.vars)));
            let plugins = view.settings.plugins.values().flatten();
            self.paths.extend(plugins.filter_map(|plugin| Some(plugin.dir.join(rule.without_folder.as_ref()?))));
            for climbing in &rule.climbing {
                self.paths.extend(view.around.cwd.ancestors().map(|folder| folder.join(climbing)));
            }
        }
        self.paths.extend(view.manifests_above());
    }
}

fn subfolders(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.is_dir())
}
