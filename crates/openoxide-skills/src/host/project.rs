//! How a host finds the root of a project.

use schemars::JsonSchema;
use serde::Deserialize;

/// How the project's root is found.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ProjectRules {
    /// Files or folders that mark it; the nearest folder from cwd up that holds one is the root.
    pub markers: Vec<String>,
    /// What is the root when nothing marks it.
    pub unmarked: Unmarked,
    /// Whether folders from the user's home upward are never part of a project.
    pub below_home: bool,
}

impl Default for ProjectRules {
    fn default() -> Self {
        ProjectRules { markers: vec![".git".to_owned()], unmarked: Unmarked::Cwd, below_home: false }
    }
}

/// What is the project's root when nothing marks it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Unmarked {
    /// The folder that was started in.
    #[default]
    Cwd,
    /// The root of the filesystem.
    Top,
    /// The user's home; the root of the filesystem where cwd is not below it.
    Home,
}
