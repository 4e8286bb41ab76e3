//! What the manifest of a plugin says: its name, and the folders of its skills.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use openoxide_skills::host::{ManifestRule, PluginSource};
use serde_json::Value as Json;

use crate::host_settings::limit;

/// What gives a plugin its name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum PluginName {
    /// Its id, because the manifest cannot be read.
    #[default]
    Id,
    /// Its folder.
    Folder,
    /// The manifest.
    Given(String),
}

/// A manifest, as far as it is used.
#[derive(Debug, Default)]
pub(super) struct Manifest {
    pub(super) name: PluginName,
    /// The folders that it names, in that of the plugin, by key: at most one more than are used.
    pub(super) folders: BTreeMap<String, Vec<PathBuf>>,
    /// Keys whose folders replace the usual one.
    pub(super) replaced: Vec<String>,
}

impl Manifest {
    /// Parses a manifest. Returns `None` if the program would not load the plugin.
    pub(super) fn parse(source: &PluginSource, json: &Json) -> Option<Manifest> {
        let name = match json.get("name") {
            Some(Json::String(name)) if !name.trim().is_empty() => PluginName::Given(name.clone()),
            None | Some(Json::String(_)) => PluginName::Folder,
            Some(_) if source.manifest == ManifestRule::Loose => PluginName::Folder,
            Some(_) => return None,
        };
        let allowed = matches!(&name, PluginName::Given(name) if !name.contains(char::is_whitespace));
        if source.manifest == ManifestRule::Strict && !allowed {
            return None;
        }
        let mut manifest = Manifest { name, ..Manifest::default() };
        for key in ["skills", "commands"] {
            let Some(value) = json.get(key) else { continue };
            let Some(paths) = texts(value) else {
                if source.manifest == ManifestRule::Strict {
                    return None;
                }
                continue;
            };
            let folders = folders(source, &paths)?;
            if source.replaces.iter().any(|replaced| replaced == key) && !folders.is_empty() {
                manifest.replaced.push(key.to_owned());
            }
            manifest.folders.insert(key.to_owned(), folders);
        }
        Some(manifest)
    }
}

/// Returns the text of a value, or the texts of its list; nothing if it is anything else.
fn texts(value: &Json) -> Option<Vec<&str>> {
    match value {
        Json::String(path) => Some(vec![path]),
        Json::Array(paths) => paths.iter().map(Json::as_str).collect(),
        _ => None,
    }
}

/// Returns the folders that paths name. Returns `None` if the program would not load the plugin because of one of them.
fn folders(source: &PluginSource, paths: &[&str]) -> Option<Vec<PathBuf>> {
    let allowed = |path: &&str| source.manifest == ManifestRule::Loose || (path.starts_with("./") && path.len() > 2);
    let mut folders: Vec<PathBuf> = paths.iter().copied().filter(allowed).filter_map(inside).collect();
    if source.manifest == ManifestRule::Strict && folders.len() < paths.len() {
        return None;
    }
    folders.truncate(limit::MAX + 1);
    Some(folders)
}

/// Returns a path in a folder; nothing if it leads out of it.
pub(super) fn inside(path: &str) -> Option<PathBuf> {
    let parts: Vec<Component<'_>> = Path::new(path).components().filter(|part| *part != Component::CurDir).collect();
    let stays = parts.iter().all(|part| matches!(part, Component::Normal(_)));
    stays.then(|| parts.iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_stay_inside_their_plugin() {
        assert_eq!(inside("./a/b"), Some(PathBuf::from("a/b")));
        assert_eq!(inside("./../b"), None);
        assert_eq!(inside("/b"), None);
    }
}
