//! How a host's program and the root of a project are found.

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

/// What shows that the program is there. Looking for it runs nothing.
///
/// The last part of a path may end in `*`, which stands for any ending: a folder with a version in its name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FoundRules {
    /// Names of the program on `PATH`, best first; one with a `/` is a path, with placeholders as in roots.
    pub programs: Vec<String>,
    /// Files or folders of the user that the program makes, with placeholders as in roots.
    pub home: Vec<String>,
    /// Files or folders of a project that are for this program, seen from each folder between cwd and the project's root.
    pub project: Vec<String>,
}
