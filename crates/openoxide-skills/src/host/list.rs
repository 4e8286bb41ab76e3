//! The order of a host's list of skills, and the form of its paths.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::code::Code;

/// The order of the list and the form of its paths.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ListRules {
    /// What the list is sorted by.
    pub order: Vec<OrderKey>,
    /// Whether paths are shown with links resolved.
    pub path: PathForm,
    /// Most skills that count, in the order in which they are found.
    pub max: Option<usize>,
    /// What the program says, where it answers with a list, about a file that is no skill to it, by the code of the
    /// finding, such as `S0112`; `{message}` is what we say.
    pub errors: BTreeMap<String, String>,
    /// When a program that is running looks at its skills again.
    pub refresh: Refresh,
}

impl ListRules {
    /// Says a finding as the program does where it answers with a list; in our words where it has none.
    pub fn error(&self, code: Code, message: &str) -> String {
        self.errors.get(code.as_str()).map_or_else(|| message.to_owned(), |own| own.replace("{message}", message))
    }
}

impl Default for ListRules {
    fn default() -> Self {
        ListRules {
            order: vec![OrderKey::Scope, OrderKey::Name, OrderKey::Path],
            path: PathForm::Canonical,
            max: None,
            errors: BTreeMap::new(),
            refresh: Refresh::Live,
        }
    }
}

/// When a program that is running looks at its skills again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Refresh {
    /// When they change.
    #[default]
    Live,
    /// When it starts, or when somebody asks for that.
    Start,
}

/// Something skills are sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OrderKey {
    /// The rank of the scope, as stated under `collide.rank` or `catalog.rank`.
    Scope,
    /// The order of the roots.
    Root,
    /// The name, by bytes.
    Name,
    /// The name, as dictionaries sort.
    NameCollated,
    /// The name without regard to case, then as it is, by UTF-16 units.
    NameFolded,
    /// The path, part by part.
    Path,
    /// The path, as one text.
    PathText,
    /// The path of the skill's folder as one text, upper and lower case alike.
    FolderAnyCase,
}

/// Whether a path is shown with links resolved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PathForm {
    /// With links resolved.
    #[default]
    Canonical,
    /// As it was found.
    AsFound,
}
