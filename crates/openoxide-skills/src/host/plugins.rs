//! Where a program keeps its plugins, and what their manifests must be like.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::skill::SkillScope;

/// Where a program keeps what plugins are installed and switched on. A plugin's id is `name@marketplace`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PluginSource {
    /// The setting that maps an id to yes or no, or to a table with `enabled`.
    #[serde(default)]
    pub enabled: String,
    /// Which plugins are active.
    #[serde(default)]
    pub active: ActivePlugins,
    /// A folder that holds `marketplace/name/version`; the highest version is taken.
    #[serde(default)]
    pub cache: Option<String>,
    /// A JSON file whose `plugins` maps ids to entries with `installPath`.
    #[serde(default)]
    pub installed: Option<String>,
    /// What marks the project that entries belong to, best first: the nearest folder from cwd up to the home that has it.
    #[serde(default)]
    pub project_markers: Vec<String>,
    /// Whose all entries are; absent: each says so itself.
    #[serde(default)]
    pub entries_scope: Option<SkillScope>,
    /// The setting that must be on for entries of the user to be active.
    #[serde(default)]
    pub user_switch: Option<String>,
    /// Files of the same kind whose plugins are left out here.
    #[serde(default)]
    pub unless_in: Vec<String>,
    /// A JSON file that maps marketplaces to where they lie. Each lists its plugins in a `marketplace.json`, in the folder
    /// where plugins keep their manifest.
    #[serde(default)]
    pub marketplaces: Option<String>,
    /// The files in a plugin that name it, best first.
    pub manifests: Vec<String>,
    /// What a manifest must be like.
    #[serde(default)]
    pub manifest: ManifestRule,
    /// Keys of the manifest whose folders replace the usual one instead of adding to it.
    #[serde(default)]
    pub replaces: Vec<String>,
}

/// Which plugins are active.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ActivePlugins {
    /// Those that the setting switches on.
    #[default]
    SwitchedOn,
    /// Those that the setting names and does not switch off.
    Named,
    /// Every entry of the list of installed ones that is not switched off, in its order; one of a project only there.
    Installed,
    /// The same, and entries of any project.
    InstalledAnywhere,
}

/// What the manifest of a plugin must be like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ManifestRule {
    /// It may be missing; if it is there it must be readable, and a folder in it begins with `./`.
    #[default]
    Optional,
    /// The same, and it must be there.
    Required,
    /// It may be missing; a name or a folder in it that is not allowed takes the plugin out.
    Strict,
    /// It may be missing or unreadable, and a folder in it need not begin with `./`.
    Loose,
}

impl ActivePlugins {
    /// Tells whether the list of installed plugins says which are active, not the setting.
    pub fn are_installed(self) -> bool {
        matches!(self, ActivePlugins::Installed | ActivePlugins::InstalledAnywhere)
    }
}
