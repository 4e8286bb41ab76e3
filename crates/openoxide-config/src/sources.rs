//! The files and folders that a project's settings and a host's view come from, so that somebody can watch them.

use std::path::{Path, PathBuf};

use openoxide_skills::{Host, PluginSource, ProjectRules, SettingSource, Surroundings, View};

use crate::plugins::placed;
use crate::workspace::Workspace;

/// What settings and a view come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WatchPaths {
    /// Files and folders, whether or not they are there: it counts what is there, and where links lead.
    pub paths: Vec<PathBuf>,
    /// Folders in which everything counts.
    pub folders: Vec<PathBuf>,
}

impl Workspace {
    /// Returns what the settings and a view come from.
    pub fn watch_paths(&self, view: &View) -> WatchPaths {
        let mut sources = WatchPaths::default();
        self.own_sources(&mut sources);
        add_host_files(&view.host, &view.around, &mut sources);
        for rules in [&ProjectRules::default(), &view.host.project] {
            add_markers(&self.environment.cwd, &rules.markers, &mut sources);
        }
        for rule in view.host.settings.values() {
            if let Some(source) = &rule.plugins {
                add_plugins(source, view, &mut sources);
            }
        }
        for plugins in view.settings.plugins.values() {
            sources.paths.extend(plugins.iter().map(|plugin| plugin.dir.clone()));
        }
        add_roots(view, &mut sources);
        for list in [&mut sources.paths, &mut sources.folders] {
            list.sort();
            list.dedup();
        }
        sources
    }

    fn own_sources(&self, sources: &mut WatchPaths) {
        sources.paths.push(self.environment.cwd.clone());
        sources.paths.push(self.environment.admin.join("config.toml"));
        sources.paths.push(self.project.join(".openoxide/config.toml"));
        if let Some(home) = self.environment.openoxide_home() {
            sources.paths.push(home.join("config.toml"));
            sources.paths.push(home.join("hosts"));
            add_hosts(&home.join("hosts"), sources);
        }
        sources.paths.extend(self.config.trust().path().map(Path::to_owned));
        let trusted = self.config.layers.iter().flat_map(|layer| self.config.trusted_folders(layer));
        sources.paths.extend(trusted.map(|(_, folder)| folder));
    }
}

/// Adds the folders of hosts that somebody added, with those of their editions.
fn add_hosts(dir: &Path, sources: &mut WatchPaths) {
    let inner = |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let Ok(real) = std::fs::canonicalize(dir) else { return };
    sources.folders.push(real.clone());
    for host in inner(&real).filter(|path| path.is_dir()) {
        sources.folders.extend(inner(&host).filter(|path| path.is_dir()));
        sources.folders.push(host);
    }
}

fn add_host_files(host: &Host, around: &Surroundings, sources: &mut WatchPaths) {
    let all = host.settings.values().flat_map(|rule| &rule.from).chain(host.layers.values().flatten());
    for source in all {
        sources.paths.extend(files(source, host, around));
    }
}

fn files(source: &SettingSource, host: &Host, around: &Surroundings) -> Vec<PathBuf> {
    if let Some(file) = &source.file {
        return around.expand(file, &host.vars).into_iter().collect();
    }
    let folders = source.folder.iter().flat_map(|folder| around.places(folder, &host.vars));
    folders.flat_map(|folder| source.files.iter().map(move |file| folder.join(file))).collect()
}

/// Adds what would mark a folder above as the project's root.
fn add_markers(cwd: &Path, markers: &[String], sources: &mut WatchPaths) {
    let markers = markers.iter().filter(|marker| !marker.is_empty());
    sources.paths.extend(markers.flat_map(|marker| cwd.ancestors().map(move |folder| folder.join(marker))));
}

fn add_plugins(source: &PluginSource, view: &View, sources: &mut WatchPaths) {
    let around = placed(source, &view.around);
    let expand = |template: &String| around.expand(template, &view.host.vars);
    let lists = source.installed.iter().chain(&source.marketplaces).chain(&source.unless_in);
    sources.paths.extend(lists.filter_map(expand));
    add_markers(&around.cwd, &source.project_markers, sources);
    // Versions come and go two folders below: `marketplace/name/version`.
    if let Some(cache) = source.cache.as_ref().and_then(expand) {
        let inner = |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        sources.paths.push(cache.clone());
        if let Ok(cache) = std::fs::canonicalize(&cache) {
            let markets: Vec<PathBuf> = inner(&cache).filter(|path| path.is_dir()).collect();
            sources.folders.extend(markets.iter().flat_map(|market| inner(market)).filter(|path| path.is_dir()));
            sources.folders.extend(markets);
            sources.folders.push(cache);
        }
    }
    for plugin in view.settings.plugins.values().flatten() {
        sources.paths.extend(source.manifests.iter().map(|manifest| plugin.dir.join(manifest)));
    }
}

/// Adds the roots, and the folders that decide which of them there are.
fn add_roots(view: &View, sources: &mut WatchPaths) {
    sources.paths.extend(view.roots.iter().map(|root| root.path.clone()));
    for rule in &view.host.roots {
        sources.paths.extend(rule.unless_same.iter().filter_map(|other| view.around.expand(other, &view.host.vars)));
        let plugins = view.settings.plugins.values().flatten();
        sources.paths.extend(plugins.filter_map(|plugin| Some(plugin.dir.join(rule.without_folder.as_ref()?))));
        for climbing in &rule.climbing {
            sources.paths.extend(view.around.cwd.ancestors().map(|folder| folder.join(climbing)));
        }
    }
    sources.paths.extend(view.manifests_above());
}
