//! The host's own settings: where they stand in the program's files, what they change, and where plugins are kept.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::skill::SkillScope;

/// A setting of the host that affects skills.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SettingRule {
    /// What it is for.
    pub about: String,
    /// What values it takes.
    #[serde(rename = "type")]
    pub kind: SettingKind,
    /// The value if nothing sets it.
    #[serde(default)]
    #[schemars(with = "serde_json::Value")]
    pub default: Option<toml::Value>,
    /// Where the program keeps it, weakest first; a later one wins.
    #[serde(default)]
    pub from: Vec<SettingSource>,
    /// The rule of this host that the value replaces, such as `budget.share`.
    pub sets: Option<String>,
    /// What it does to skills.
    pub does: Option<SettingDoes>,
    /// How it writes a skill, with `{name}`; absent: by its name alone.
    pub form: Option<String>,
    /// The permission, of those that it holds, for files outside of the project. Folders of skills are allowed by it
    /// before any rule.
    pub outside: Option<String>,
    /// The least and the most that a number may be.
    pub range: Option<[f64; 2]>,
    /// Whether an empty list is the same as none.
    #[serde(default)]
    pub empty_is_unset: bool,
    /// Values from several places.
    #[serde(default)]
    pub combine: Combine,
    /// Where installed plugins are found.
    pub plugins: Option<PluginSource>,
}

/// What values a setting takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SettingKind {
    /// Yes or no.
    Bool,
    /// A number.
    Number,
    /// A text.
    Text,
    /// A list of texts.
    List,
    /// A table.
    Table,
    /// A list of tables with `name` or `path`, and `enabled`.
    Rules,
    /// What is allowed: a word for everything, or a table from permissions to words or to tables of patterns and words.
    Permissions,
    /// Folders of installed plugins.
    Plugins,
}

/// What happens to values from several places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Combine {
    /// The strongest place wins.
    #[default]
    Last,
    /// They are merged: tables and lists add up.
    AddUp,
    /// `false` wins, wherever it is set.
    Strictest,
}

/// A place where a program keeps many settings: files, or a variable that holds JSON.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SettingLayer {
    /// JSON, TOML or YAML files, weakest first, with placeholders as in roots; those with the same walk are read folder by folder.
    pub files: Vec<String>,
    /// An environment variable that holds JSON.
    pub env: Option<String>,
    /// Whether the JSON may hold comments, and a comma after the last item.
    pub comments: bool,
    /// A setting that must be on for this place to be read.
    pub needs: Option<String>,
}

/// One place where a program keeps a setting.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SettingSource {
    /// The list under `layers` whose places all hold the key.
    pub layers: Option<String>,
    /// A JSON, TOML or YAML file, with placeholders as in roots.
    pub file: Option<String>,
    /// An environment variable.
    pub env: Option<String>,
    /// A key of OpenOxide's own configuration.
    pub config: Option<String>,
    /// The dotted key inside the file, or inside a variable that holds JSON; `{agent}` in it is the conversation's agent.
    pub key: Option<String>,
    /// The separator of a list in a variable.
    pub split: Option<String>,
    /// The value is `true` if the list there has one of these words.
    pub holds: Vec<String>,
    /// How a variable says `true`.
    pub yes: YesWords,
    /// Whether the value is the list of the keys of a table there.
    pub keys: bool,
    /// Whether the value is inverted: the key says "disable".
    pub negate: bool,
}

impl SettingSource {
    /// Returns the place as a layer of its own.
    pub fn layer(&self) -> SettingLayer {
        SettingLayer { files: self.file.iter().cloned().collect(), env: self.env.clone(), ..SettingLayer::default() }
    }
}

/// How a variable says `true`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum YesWords {
    /// Anything but `0`, `false`, `no` and `off`.
    #[default]
    NotNo,
    /// `true`, `yes`, `on`, `1` or `y`; no is `false`, `no`, `off`, `0` or `n`, and another text is a mistake.
    Listed,
    /// `true` or `1`, in any case; anything else means no.
    True,
}

/// What a setting does to skills.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SettingDoes {
    /// Switches skills on or off by name or path; a later rule wins.
    Switch,
    /// Switches skills on or off by name, path or folder; a later rule wins.
    SwitchFolders,
    /// Sets skills to `on`, `name-only`, `user-invocable-only` or `off`, by name.
    SetStates,
    /// Lists what the model may not call: `*`, or a name in its `form`; a form `Tool({name})` without a name means all skills.
    Deny,
    /// Lists patterns of names that are ignored.
    Ignore,
    /// Lists patterns of names; all other skills are ignored.
    Include,
    /// Lets the user call skills.
    LetUserCall,
    /// Lists skills that are switched off, in its `form`.
    SwitchOff,
    /// Lists skills that are switched off, in its `form`, in upper or lower case.
    SwitchOffAnyCase,
    /// Holds permissions; its `form` is the permission for calling a skill. The last rule that matches wins, and
    /// `deny` keeps a skill from the model.
    Permit,
    /// Holds permissions of the agent, which are stronger.
    PermitAgent,
}

/// The states that a setting can give to a skill: active, shown to the model by its name only, kept from the model, off.
pub const STATES: [&str; 4] = ["on", "name-only", "user-invocable-only", "off"];

/// Where a program records which plugins are installed and switched on. A plugin's id is `name@marketplace`.
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
    pub cache: Option<String>,
    /// A JSON file whose `plugins` maps ids to entries with `installPath`.
    pub installed: Option<String>,
    /// What marks the project that entries belong to, best first: the nearest folder from cwd up to the home that has it.
    #[serde(default)]
    pub project_markers: Vec<String>,
    /// The scope of all entries; absent: each entry says so.
    pub entries_scope: Option<SkillScope>,
    /// The setting that must be on for entries of the user to be active.
    pub user_switch: Option<String>,
    /// Files of the same kind whose plugins are left out here.
    #[serde(default)]
    pub unless_in: Vec<String>,
    /// A JSON file with the folders of marketplaces. Each lists its plugins in a `marketplace.json`, in the folder
    /// where plugins keep their manifest.
    pub marketplaces: Option<String>,
    /// The files in a plugin that name it, best first.
    pub manifests: Vec<String>,
    /// Rules for a manifest.
    #[serde(default)]
    pub manifest: ManifestRule,
    /// Whether a linked skill must lie in the marketplace of its plugin, or in the plugin if its marketplace is elsewhere.
    #[serde(default)]
    pub links_stay: bool,
    /// Keys of the manifest that replace the usual folder instead of adding to it.
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
    /// Every installed plugin that is not switched off, in the order of the list; those of a project only there.
    Installed,
    /// The same, with those of every project.
    InstalledAnywhere,
}

/// Rules for the manifest of a plugin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ManifestRule {
    /// It may be missing; otherwise it must be readable, and its folders begin with `./`.
    #[default]
    Optional,
    /// The same, and it must be there.
    Required,
    /// It may be missing; a bad name or folder in it makes the plugin invalid.
    Strict,
    /// It may be missing or unreadable, and its folders need not begin with `./`.
    Loose,
}
