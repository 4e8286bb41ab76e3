//! All layers of `config.toml` together: which value of a key wins, and which projects are trusted.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use openoxide_permissions::{RuleError, Rules};
use openoxide_skills::diagnostic::{Code, Diagnostic};
use openoxide_skills::ownership::{ForeignWriter, check_place};
use openoxide_skills::settings::{Origin, Setting};
use toml::Value;

use super::key::{ConfigKey, ProjectAccess};
use super::key_table::CONFIG_KEYS;
use super::layer::{ConfigProblem, Layer, LayerKind};
use super::permission_rules::{AgentSettings, PermissionRules};
use crate::document::{PlannedFile, dotted_key::quote_part};
use crate::{ConfiguredModel, ConfiguredServer, Trust, mcp::parse::parse_server, models::parse::parse_model};

/// All layers of settings, weakest first.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// The layers.
    pub layers: Vec<Layer>,
    /// The problems that were found in them.
    pub problems: Vec<ConfigProblem>,
    /// What `~` stands for.
    pub(super) home: Option<PathBuf>,
    /// What the user trusts besides `trust.folders`.
    pub trust: Trust,
    pub(super) permissions: PermissionRules,
    /// The first file that cannot be read, or value that is not understood, where it may have been meant to deny.
    pub(super) doubt: Option<RuleError>,
    /// A file that is read as it would be after a change.
    pub(crate) planned: Option<PlannedFile>,
}

impl Config {
    /// Tells whether the user trusts a project: by `trust.folders`, or by a recorded decision.
    ///
    /// Files inside the project are ignored, because a project cannot vouch for itself.
    pub fn trusts(&self, project: &Path) -> bool {
        self.check_trust(project) == Ok(true)
    }

    /// Tells the same. It is an error if the user trusts this path, and another user can have put the folder there.
    pub fn check_trust(&self, project: &Path) -> Result<bool, ForeignWriter> {
        let real = std::fs::canonicalize(project).unwrap_or_else(|_| project.to_owned());
        let vouches = |listed: &ListedFolder<'_>| listed.folder == real && is_outside(listed.file, &real);
        let mut outcome = Ok(false);
        for listed in self.listed_folders().filter(vouches) {
            match listed.check() {
                Ok(()) => return Ok(true),
                Err(why) => outcome = Err(why),
            }
        }
        outcome
    }

    /// Returns the nearest folder at or above `folder` that the user trusts.
    pub(crate) fn trusted_above(&self, folder: &Path) -> Option<PathBuf> {
        self.trusted_holding(folder).pop()
    }

    /// Returns the trusted folders that a project lies in, outermost first. Their settings hold in the project.
    pub fn trusted_around(&self, project: &Path) -> Vec<PathBuf> {
        project.parent().map_or_else(Vec::new, |parent| self.trusted_holding(parent))
    }

    /// Returns the trusted folders at or above `folder`, outermost first. One that holds the whole home is not meant.
    fn trusted_holding(&self, folder: &Path) -> Vec<PathBuf> {
        let home = self.home.as_ref().map(|home| std::fs::canonicalize(home).unwrap_or_else(|_| home.clone()));
        let is_project = |listed: &ListedFolder<'_>| {
            let is_narrow =
                listed.folder.parent().is_some() && !home.iter().any(|home| home.starts_with(&listed.folder));
            folder.starts_with(&listed.folder) && is_narrow && self.trusts(&listed.folder)
        };
        let mut holding: Vec<PathBuf> = self.listed_folders().filter(is_project).map(|listed| listed.folder).collect();
        // Folders that hold the same one sort by their depth.
        holding.sort();
        holding.dedup();
        holding
    }

    /// Returns why folders that the user trusts are not trusted now.
    pub fn foreign_folders(&self) -> Vec<ConfigProblem> {
        let problem = |listed: ListedFolder<'_>| Some(foreign_folder(&listed.folder, &listed.check().err()?));
        self.listed_folders().filter_map(problem).collect()
    }

    /// Returns every folder that is listed as trusted.
    fn listed_folders(&self) -> impl Iterator<Item = ListedFolder<'_>> {
        let in_layers = self.layers.iter().flat_map(|layer| {
            let folders = self.trusted_folders(layer).into_iter();
            folders.filter_map(|(text, folder)| {
                Some(ListedFolder { file: layer.path.as_deref(), written: self.absolute_path(&text)?, folder })
            })
        });
        let file = self.trust.path();
        let recorded = self.trust.folders().map(Path::to_owned);
        in_layers.chain(recorded.map(move |folder| ListedFolder { file, written: folder.clone(), folder }))
    }

    /// Returns the folders that a layer's `trust.folders` lists: as they are written, and with links resolved.
    pub fn trusted_folders(&self, layer: &Layer) -> Vec<(String, PathBuf)> {
        if layer.kind == LayerKind::Project {
            return Vec::new();
        }
        let real = |path: PathBuf| std::fs::canonicalize(&path).unwrap_or(path);
        let listed = layer.document.get("trust.folders").and_then(Value::as_array).into_iter().flatten();
        let listed = listed.filter_map(Value::as_str);
        listed.filter_map(|text| Some((text.to_owned(), real(self.absolute_path(text)?)))).collect()
    }

    /// Returns the path that a setting names, with `~/` expanded. A relative path names nothing.
    pub(super) fn absolute_path(&self, text: &str) -> Option<PathBuf> {
        match text.strip_prefix("~/") {
            Some(rest) => self.home.as_ref().map(|home| home.join(rest)),
            None => Some(PathBuf::from(text)).filter(|path| path.is_absolute()),
        }
    }

    /// Returns the rules under `[permission]`, weakest first. It is an error if a rule of any agent cannot be used.
    pub fn rules(&self) -> Result<&Rules, RuleError> {
        self.permissions.error.clone().map_or(Ok(&self.permissions.rules), Err)
    }

    /// Returns the same rules for a caller that is about to grant something.
    ///
    /// It is also an error if a file cannot be read, or something in it is not understood: that may have been what denies.
    pub fn complete_rules(&self) -> Result<&Rules, RuleError> {
        match self.doubt.as_ref().or(self.permissions.doubt.as_ref()) {
            Some(doubt) => Err(doubt.clone()),
            None => self.rules(),
        }
    }

    /// Returns the agents by name.
    pub fn agents(&self) -> &BTreeMap<String, AgentSettings> {
        &self.permissions.agents
    }

    /// Returns the servers, sorted by name.
    pub fn mcp_servers(&self) -> Vec<ConfiguredServer> {
        let entries = self.entries("mcp.servers", parse_server).into_iter();
        entries.map(|(name, (server, origin))| ConfiguredServer { name, server, origin }).collect()
    }

    /// Returns the models, sorted by name.
    pub fn models(&self) -> Vec<ConfiguredModel> {
        let entries = self.entries("models", parse_model).into_iter();
        entries.map(|(name, (settings, origin))| ConfiguredModel { name, settings, origin }).collect()
    }

    /// Returns what the tables below a key mean, by name. Where several layers have one of the same name, the last replaces
    /// the others as a whole: a mixture would be one that nobody wrote.
    fn entries<T, E>(&self, key: &str, parse: fn(&str, &Value) -> Result<T, E>) -> BTreeMap<String, (T, Origin)> {
        let mut entries = BTreeMap::new();
        for layer in self.layers.iter().filter(|layer| layer.is_active) {
            let tables = layer.document.get(key).and_then(Value::as_table).into_iter().flatten();
            for (name, table) in tables {
                let Ok(entry) = parse(name, table) else { continue };
                let origin = layer.origin(&format!("{key}.{}", quote_part(name)));
                entries.insert(name.clone(), (entry, origin));
            }
        }
        entries
    }

    /// Returns every active value of a key, weakest first.
    pub fn values(&self, key: &str) -> Vec<Setting> {
        self.values_of(key, |_| true)
    }

    /// Returns the same without the project's values, for keys that a project must not set.
    pub fn values_outside_project(&self, key: &str) -> Vec<Setting> {
        self.values_of(key, |layer| layer.kind != LayerKind::Project)
    }

    fn values_of(&self, key: &str, includes: impl Fn(&Layer) -> bool) -> Vec<Setting> {
        let needs_no_trust = ConfigKey::needs_no_trust(key);
        let layers = self.layers.iter().filter(|layer| (layer.is_active || needs_no_trust) && includes(layer));
        layers
            .filter_map(|layer| Some(Setting { value: layer.document.get(key)?.clone(), origin: layer.origin(key) }))
            .collect()
    }

    /// Returns the value of a key that wins, or its default.
    pub fn get(&self, key: &str) -> Option<Setting> {
        self.enforced(key).or_else(|| self.values(key).pop()).or_else(|| {
            let known = CONFIG_KEYS.iter().find(|known| known.name == key)?;
            Some(Setting { value: known.default_value()?, origin: Origin::Default })
        })
    }

    /// Returns the administrator's value if it is the strictest one: no other layer can loosen that.
    fn enforced(&self, name: &str) -> Option<Setting> {
        let access = ConfigKey::find(name)?.project;
        let admin = self.layers.iter().find(|layer| layer.kind == LayerKind::Admin)?;
        let is_strictest = |value: &&Value| matches!(access, ProjectAccess::Only(_)) && access.allows(value);
        let value = admin.document.get(name).filter(is_strictest)?;
        Some(Setting { value: value.clone(), origin: admin.origin(name) })
    }

    /// Returns the winning value of a key if it is a text.
    pub fn text(&self, key: &str) -> Option<String> {
        self.get(key)?.value.as_str().map(str::to_owned)
    }
}

/// A folder that is listed as trusted.
struct ListedFolder<'c> {
    /// The file that lists it.
    file: Option<&'c Path>,
    written: PathBuf,
    /// The same without links.
    folder: PathBuf,
}

impl ListedFolder<'_> {
    /// Checks that nobody else can have exchanged it, or a link that leads to it.
    fn check(&self) -> Result<(), ForeignWriter> {
        check_place(&self.written).and_then(|()| check_place(&self.folder))
    }
}

/// Says that trust in a folder is ignored, and what to do.
pub(super) fn foreign_folder(folder: &Path, why: &ForeignWriter) -> ConfigProblem {
    let diagnostic = Diagnostic::warning(Code::TrustRefused, format!("not trusted: {}", why.message))
        .help(format!("{}; or move the project to a folder of your own", why.help));
    ConfigProblem { path: Some(folder.to_owned()), diagnostic }
}

fn is_outside(file: Option<&Path>, project: &Path) -> bool {
    file.is_none_or(|file| !std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned()).starts_with(project))
}

#[cfg(test)]
mod tests;
