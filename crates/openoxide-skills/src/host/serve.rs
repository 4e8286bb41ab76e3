//! How a program itself serves its skills over HTTP.

use schemars::JsonSchema;
use serde::Deserialize;

/// How a program itself serves its skills over HTTP, so that its clients are answered as they expect.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ServeRules {
    /// The shape of its answers.
    pub shape: ServeShape,
    /// Names that its own commands have; a skill of such a name is not listed as a command.
    #[serde(default)]
    pub taken: Vec<String>,
    /// The header with which its clients name the folder, where the address does not; it may be percent-encoded.
    pub folder_header: Option<String>,
}

/// The shape of what a program answers about skills.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ServeShape {
    /// `GET /skill` lists name, description, location and content; `GET /command` lists name, description, source,
    /// template and hints. A description that is missing is null.
    Records,
}
