//! Shortens the paths that the model sees by aliases for their roots.

use std::path::{Path, PathBuf};

use super::fit::Fit;
use crate::catalog::{Catalog, Entry, View};
use crate::text::tokens;

/// A root and its short name, as the template of the catalog lists them.
pub(super) struct AliasLine {
    pub(super) alias: String,
    pub(super) path: String,
}

/// The roots that have short names, and what listing them costs.
pub(super) struct Aliases {
    pub(super) table: Vec<AliasLine>,
    pub(super) overhead: u64,
}

impl Aliases {
    /// Names the roots that hold an entry, in the order of the roots.
    pub(super) fn new(pattern: &str, view: &View, catalog: &Catalog, entries: &[&Entry]) -> Aliases {
        let mut paths: Vec<PathBuf> = Vec::new();
        for (index, searched) in catalog.roots.iter().enumerate() {
            if entries.iter().all(|entry| entry.root != index) {
                continue;
            }
            let lone = view.host.catalog.alias_lone_plugin.zip(searched.root.plugin.as_ref());
            let path = match lone.filter(|(_, plugin)| plugin_count(catalog, entries, &plugin.dir) == 1) {
                Some((up, plugin)) => canonical(&plugin.dir).ancestors().nth(up).unwrap_or(&plugin.dir).to_owned(),
                None => searched.canonical.clone(),
            };
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        let name = |(number, path): (usize, &PathBuf)| AliasLine {
            alias: pattern.replace("{n}", &number.to_string()),
            path: text_path(path),
        };
        let table: Vec<AliasLine> = paths.iter().enumerate().map(name).collect();
        let frame = view.host.catalog.alias_frame;
        let lines: u64 = table.iter().map(|line| (line.alias.len() + line.path.len() + 10) as u64).sum();
        let overhead = tokens(frame.aliased + lines).saturating_sub(tokens(frame.whole));
        Aliases { table, overhead }
    }

    pub(super) fn fits(&self, fit: &Fit) -> bool {
        fit.budget.is_none_or(|budget| self.overhead < budget)
    }

    /// Replaces the longest root in a path by its short name.
    pub(super) fn shorten(&self, path: &str) -> String {
        let matching =
            self.table.iter().filter_map(|line| Some((line, Path::new(path).strip_prefix(&line.path).ok()?)));
        let best = matching.max_by_key(|(line, _)| line.path.len());
        best.map_or_else(|| path.to_owned(), |(line, rest)| format!("{}/{}", line.alias, text_path(rest)))
    }
}

fn canonical(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

fn plugin_count(catalog: &Catalog, entries: &[&Entry], dir: &Path) -> usize {
    let of_plugin =
        |entry: &&&Entry| catalog.roots[entry.root].root.plugin.as_ref().is_some_and(|plugin| plugin.dir == dir);
    entries.iter().filter(of_plugin).count()
}

fn text_path(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
