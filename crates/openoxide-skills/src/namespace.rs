//! Finds the prefixes that plugin manifests give to names: `plugin:skill`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::boundary::Boundary;
use crate::diagnostic::{Code, Diagnostic};
use crate::discover::{Manifest, Survey, read_manifest};
use crate::host::{ManifestFolders, NamespaceRules};
use crate::parse::first_bad;
use crate::root::Surroundings;

/// Finds the prefix of each skill folder, and remembers what it read.
pub(crate) struct Namespaces<'n> {
    rules: &'n NamespaceRules,
    around: &'n Surroundings,
    /// The nearest valid manifest's name, at or above a folder.
    known: HashMap<PathBuf, Option<String>>,
    surveys: Vec<&'n Survey>,
    /// Manifests that the searches came across, by folder; made when a folder is asked for.
    surveyed: Option<HashMap<&'n Path, &'n [Manifest]>>,
    pub(crate) problems: Vec<(PathBuf, Diagnostic)>,
}

impl<'n> Namespaces<'n> {
    pub(crate) fn new(
        rules: &'n NamespaceRules,
        around: &'n Surroundings,
        surveys: impl Iterator<Item = &'n Survey>,
    ) -> Namespaces<'n> {
        let (known, surveys, surveyed, problems) = (HashMap::new(), surveys.collect(), None, Vec::new());
        Namespaces { rules, around, known, surveys, surveyed, problems }
    }

    /// Returns the prefix that every skill below a root has, if it is the same for all of them.
    #[expect(clippy::option_option, reason = "not the same for all, or the same: one prefix or none")]
    pub(crate) fn same_for_all(&mut self, survey: &Survey) -> Option<Option<String>> {
        if self.rules.manifests.is_empty() {
            return Some(None);
        }
        if survey.folders.iter().any(|folder| !folder.manifests.is_empty() || folder.linked) {
            return None;
        }
        let above = survey.canonical.parent().filter(|_| self.rules.folders == ManifestFolders::ToTop);
        Some(above.and_then(|above| self.prefix(above, above)))
    }

    /// Returns the prefix of the skill that `folder` is.
    pub(crate) fn prefix_of(&mut self, folder: &Path, root: &Path) -> Option<String> {
        if self.rules.folders != ManifestFolders::AboveSkill {
            return self.prefix(folder, root);
        }
        let above = folder.parent().filter(|above| above.starts_with(root))?;
        self.prefix(above, root)
    }

    /// Returns the prefix for skills in `folder`, looking upward as far as `root`, or to the top if the host does.
    fn prefix(&mut self, folder: &Path, root: &Path) -> Option<String> {
        if let Some(known) = self.known.get(folder) {
            return known.clone();
        }
        let own = self.manifest(folder);
        let prefix = own.or_else(|| {
            let parent = folder.parent()?;
            let goes_on = self.rules.folders == ManifestFolders::ToTop || (folder != root && parent.starts_with(root));
            if goes_on { self.prefix(parent, root) } else { None }
        });
        self.known.insert(folder.to_owned(), prefix.clone());
        prefix
    }

    fn surveyed(&mut self, folder: &Path) -> Option<&'n [Manifest]> {
        if !self.surveys.iter().any(|survey| folder.starts_with(&survey.canonical)) {
            return None;
        }
        let surveyed = self.surveyed.get_or_insert_with(|| {
            let folders = self.surveys.iter().flat_map(|survey| &survey.folders).filter(|folder| folder.entries > 0);
            folders.map(|folder| (folder.canonical(), folder.manifests.as_slice())).collect()
        });
        surveyed.get(folder).copied()
    }

    fn manifest(&mut self, folder: &Path) -> Option<String> {
        let surveyed = self.surveyed(folder);
        let mut best_first = self.rules.manifests.iter();
        let (file, bytes) = best_first.find_map(|file| match surveyed {
            Some(manifests) => manifests.iter().find(|(found, _)| found == file).cloned(),
            None => Some((file.clone(), read_manifest(folder, file, &self.around.boundary_at(folder))?)),
        })?;
        let name = bytes.and_then(|bytes| manifest_name(&bytes, folder)).and_then(|name| self.allowed(name));
        name.map_err(|why| self.problems.push((folder.join(file), invalid(&why)))).ok()
    }

    fn allowed(&self, name: String) -> Result<String, String> {
        match first_bad(&name, self.rules.chars) {
            Some(bad) => Err(format!("`{}` is not allowed in its name", crate::text::TerminalText(&bad.to_string()))),
            None => Ok(name),
        }
    }
}

fn invalid(why: &str) -> Diagnostic {
    Diagnostic::warning(Code::ManifestInvalid, format!("the plugin manifest gives no prefix: {why}"))
        .help("fix the manifest, or remove it")
}

#[derive(serde::Deserialize)]
struct ManifestText {
    #[serde(default)]
    name: String,
}

/// Returns the name that a manifest gives, or its folder's where it gives none.
fn manifest_name(bytes: &[u8], folder: &Path) -> Result<String, String> {
    let manifest: ManifestText = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    let folder = folder.file_name().unwrap_or_default().to_string_lossy();
    Ok(if manifest.name.trim().is_empty() { folder.into_owned() } else { manifest.name })
}

/// Returns the name of the plugin whose manifest lies in a folder, if it can be read.
pub(crate) fn plugin_name(folder: &Path, file: &str, boundary: &Boundary) -> Option<String> {
    manifest_name(&read_manifest(folder, file, boundary)?.ok()?, folder).ok()
}

/// Puts a plugin's name before a skill's.
pub(crate) fn qualify(prefix: &str, name: &str, plain: bool) -> String {
    let is_odd = |character: char| !character.is_ascii_alphanumeric() && !matches!(character, '_' | '-');
    if plain { format!("{prefix}:{}", name.replace(is_odd, "-")) } else { format!("{prefix}:{name}") }
}
