//! What shows that a host's program is installed, or configured for a project.

use schemars::JsonSchema;
use serde::Deserialize;

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
