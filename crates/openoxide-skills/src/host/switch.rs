//! The switch: where a program's own settings turn single skills off, so that `enable` and `disable` can write it.

use schemars::JsonSchema;
use serde::Deserialize;

/// Where the program's own settings switch single skills on and off. `does` of the setting says in which form: rules can
/// be written in TOML, names and states in JSON, and names also in YAML at the top of the file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SwitchRule {
    /// The setting that the switch is part of. It is read back after a change.
    pub setting: String,
    /// The dotted key that is written: of the list, the rules, or the table of names.
    pub key: String,
    /// The user's files, best first: the first that exists is written, else the last is made. Each is a place of the
    /// setting. A setting in OpenOxide's own configuration needs none.
    #[serde(default)]
    pub user: Vec<String>,
    /// The same for the project's files; empty: the program has no switch in a project.
    #[serde(default)]
    pub project: Vec<String>,
}
