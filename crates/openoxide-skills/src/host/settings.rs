//! The host's own settings: where they stand in the program's files, and what they change.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::skill::SkillScope;

/// A setting of the host that bears on skills.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SettingRule {
    /// What it is for.
    pub about: String,
    /// What values it takes.
    #[serde(rename = "type")]
    pub kind: SettingKind,
    /// The value when nobody sets it.
    #[serde(default)]
    #[schemars(with = "serde_json::Value")]
    pub default: Option<toml::Value>,
    /// Where the program keeps it, weakest first; a later one wins.
    #[serde(default)]
    pub from: Vec<SettingSource>,
    /// The rule of this host that the value replaces, such as `budget.share`.
    #[serde(default)]
    pub sets: Option<String>,
    /// The least that a number may be.
    #[serde(default)]
    pub min: Option<f64>,
    /// The most that a number may be.
    #[serde(default)]
    pub max: Option<f64>,
    /// Whether an empty list is the same as none.
    #[serde(default)]
    pub empty_is_unset: bool,
    /// Whether tables and lists of several places add up.
    #[serde(default)]
    pub adds_up: bool,
    /// Whether a no of any place counts, whatever the others say: nobody can loosen it.
    #[serde(default)]
    pub strictest: bool,
    /// Where installed plugins are found.
    #[serde(default)]
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

/// One place where a program keeps a setting.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SettingSource {
    /// A JSON, TOML or YAML file, with placeholders as in roots.
    #[serde(default)]
    pub file: Option<String>,
    /// A folder of such files, with placeholders and walks as in roots.
    #[serde(default)]
    pub folder: Option<String>,
    /// The names of the files in that folder, weakest first.
    #[serde(default)]
    pub files: Vec<String>,
    /// The list under `layers` whose places all hold the key.
    #[serde(default)]
    pub layers: Option<String>,
    /// Whether the JSON may hold comments, and a comma after the last item.
    #[serde(default)]
    pub comments: bool,
    /// A setting that must be on for this place to count.
    #[serde(default)]
    pub needs: Option<String>,
    /// An environment variable.
    #[serde(default)]
    pub env: Option<String>,
    /// A key of OpenOxide's own configuration.
    #[serde(default)]
    pub config: Option<String>,
    /// The dotted key inside the file, or inside a variable that holds JSON.
    #[serde(default)]
    pub key: Option<String>,
    /// What stands between the items of a list in a variable.
    #[serde(default)]
    pub split: Option<String>,
    /// Words of which a list there must hold one, for the value to be yes; without them, and for other values, it is no.
    #[serde(default)]
    pub holds: Vec<String>,
    /// What a variable says to mean yes.
    #[serde(default)]
    pub yes: YesWords,
    /// Whether the value is turned around: the key says "disable".
    #[serde(default)]
    pub negate: bool,
}

/// What a variable says to mean yes.
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

/// Where a program keeps what plugins are installed and switched on. A plugin's id is `name@marketplace`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PluginSource {
    /// The setting that maps an id to yes or no, or to a table with `enabled`.
    #[serde(default)]
    pub enabled: String,
    /// Whether an id without a yes or no is on.
    #[serde(default)]
    pub enabled_by_default: bool,
    /// A folder that holds `marketplace/name/version`; the highest version counts.
    #[serde(default)]
    pub cache: Option<String>,
    /// A JSON file whose `plugins` maps ids to entries with `installPath`.
    #[serde(default)]
    pub installed: Option<String>,
    /// Whether every entry of that file counts that is not switched off, in its order; one of a project only there.
    #[serde(default)]
    pub every_entry: bool,
    /// Whether entries of any project count, not only those of this one.
    #[serde(default)]
    pub any_project: bool,
    /// What marks the project that entries belong to, best first: the nearest folder from cwd up to the home that has it.
    #[serde(default)]
    pub project_markers: Vec<String>,
    /// Whether a manifest that cannot be read counts as none.
    #[serde(default)]
    pub loose_manifest: bool,
    /// Whose all entries are; absent: each says so itself.
    #[serde(default)]
    pub entries_scope: Option<SkillScope>,
    /// The setting that must be on for entries of the user to count.
    #[serde(default)]
    pub user_switch: Option<String>,
    /// Files of the same kind whose plugins do not count here.
    #[serde(default)]
    pub unless_in: Vec<String>,
    /// Whether a folder in a manifest need not begin with `./`.
    #[serde(default)]
    pub any_folder: bool,
    /// A JSON file that maps marketplaces to where they lie.
    #[serde(default)]
    pub marketplaces: Option<String>,
    /// The file in a marketplace that lists its plugins.
    #[serde(default)]
    pub marketplace_manifest: Option<String>,
    /// The files in a plugin that name it, best first.
    pub manifests: Vec<String>,
    /// Whether a plugin without such a file does not count.
    #[serde(default)]
    pub manifest_required: bool,
    /// Whether a manifest with a name or a folder that is not allowed takes the plugin out.
    #[serde(default)]
    pub strict: bool,
    /// Keys of the manifest whose folders replace the usual one instead of adding to it.
    #[serde(default)]
    pub replaces: Vec<String>,
}

/// Which settings switch skills off, and by what name they call them.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FilterRules {
    /// The setting with rules by name or path; a later rule wins.
    pub rules: Option<String>,
    /// Whether a rule's path may name the skill's folder.
    pub folders: bool,
    /// The setting that maps a name to a state.
    pub states: Option<String>,
    /// What the states mean.
    pub effects: BTreeMap<String, StateEffect>,
    /// The setting that lists what is denied.
    pub denied: Option<String>,
    /// What in that list keeps every skill from the model.
    pub denied_all: Vec<String>,
    /// What in that list stands around the pattern of a name that the model may not call, with `{name}`.
    pub denied_one: Option<String>,
    /// The setting with patterns of names that do not count.
    pub ignored: Option<String>,
    /// The setting with patterns of names that alone count, if it has any.
    pub included: Option<String>,
    /// The setting that lets the user call skills.
    pub user_calls: Option<String>,
    /// The setting that lists skills that are switched off.
    pub off: Option<String>,
    /// What stands before a skill's name in that list.
    pub off_prefix: String,
    /// Whether upper and lower case are the same in that list.
    pub off_any_case: bool,
    /// Settings with permissions, weakest first; the last rule that matches decides, and `deny` keeps from the model.
    pub permissions: Vec<String>,
    /// What calling a skill is called in them.
    pub permission: String,
    /// Whether rules under `[permission]` in OpenOxide's own settings decide which skills count.
    pub own_rules: bool,
}

/// What a state in a setting does to a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StateEffect {
    /// Nothing.
    On,
    /// The model sees its name only.
    NameOnly,
    /// The model does not see it.
    UserOnly,
    /// It does not count.
    Off,
}
