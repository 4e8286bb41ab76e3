//! The metadata file beside a skill.

use schemars::JsonSchema;
use serde::Deserialize;

/// The metadata file beside a skill.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SidecarRules {
    /// Paths inside the skill's folder; the first that exists is read.
    pub files: Vec<String>,
    /// What one bad value drops.
    #[serde(default)]
    pub bad: SidecarBad,
    /// Products that `policy.products` may name, first the one that it must name if it names any; another one is a bad
    /// value. Empty: any, and none must be.
    #[serde(default)]
    pub products: Vec<String>,
    /// Whether a plugin's skill can also name a picture in the `assets` of the plugin.
    #[serde(default)]
    pub plugin_assets: bool,
}

/// What one bad value in a metadata file drops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SidecarBad {
    /// That value alone.
    #[default]
    Field,
    /// The whole file.
    File,
}
