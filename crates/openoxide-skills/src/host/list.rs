//! Which skills of a host count: the order of its list, clashes of names and files, and controls in the frontmatter.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{diagnostic::Code, skill::SkillScope};

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
    /// When it starts, or on request.
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

/// What happens when two skills meet.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CollideRules {
    /// Which of the skills with one name count.
    pub names: OnClash,
    /// The rank of the scopes; absent ones, or none at all, rank by the order of the roots.
    pub rank: Vec<SkillScope>,
    /// What skills of one name are sorted by instead, before the first or the last is taken.
    pub order: Vec<OrderKey>,
    /// Whether a skill of an untrusted folder loses every clash.
    pub untrusted_loses: bool,
    /// Whether a file found twice is listed once.
    pub same_file: SameFile,
}

/// Which of several skills with one name count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OnClash {
    /// The first, by scope rank if there is one, then by the order of the roots.
    #[default]
    First,
    /// For the model and for the user, the first in that order that each may call.
    FirstPerCaller,
    /// The last in that order.
    Last,
    /// All of them.
    All,
}

/// What happens to a file that two roots lead to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SameFile {
    /// The first root's entry counts.
    #[default]
    First,
    /// Each entry counts.
    All,
    /// Names are settled first, root by root; then the first entry that still counts does.
    AfterNames,
}

/// Which frontmatter controls count.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ControlRules {
    /// Controls that have an effect.
    pub count: Vec<Control>,
}

/// A control that a skill's own text can set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Control {
    /// `disable-model-invocation: true` keeps the model from calling it.
    DisableModelInvocation,
    /// `user-invocable: false` keeps the user from calling it.
    UserInvocable,
    /// `policy.allow_implicit_invocation: false` keeps it out of the model's list.
    AllowImplicitInvocation,
    /// `paths` keeps it dormant until a matching file is touched.
    Paths,
    /// `paths` keeps it from the model, and from nobody else, until a matching file is touched.
    PathsForModel,
    /// `enabled: false` switches it off.
    Enabled,
    /// `hide: true` keeps it out of the model's list.
    Hide,
}
