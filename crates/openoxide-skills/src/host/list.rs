//! Which skills of a host are active: the order of its list, clashes of names and files, and controls in the frontmatter.

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
    /// Paths.
    pub path: PathForm,
    /// Most skills that are active, in the order in which they are found.
    pub max: Option<usize>,
    /// The program's own error texts in its list of skills, by the code of the
    /// finding, such as `S0112`; `{message}` is our text.
    pub errors: BTreeMap<String, String>,
    /// When a running program looks at its skills again.
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

/// When a running program looks at its skills again.
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
    /// The rank of the scope, from `collide.rank` or `catalog.rank`.
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

/// The form of paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PathForm {
    /// With links resolved.
    #[default]
    Canonical,
    /// As it was found.
    AsFound,
}

/// What happens when two skills have one name, or are one file.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CollideRules {
    /// Which of several skills with one name are active.
    pub names: OnClash,
    /// The rank of the scopes, best first; the order of the roots decides the rest.
    pub rank: Vec<SkillScope>,
    /// What decides between skills of one name instead.
    pub order: Vec<OrderKey>,
    /// Whether a skill of an untrusted project loses to every other of its name.
    pub untrusted_loses: bool,
    /// How a skill of an added folder is called whose name another root has, such as `{rel}:{name}`; empty: it loses the
    /// name. `{rel}` is the folder, below cwd or by as much of its end as tells it from the other added ones. Such skills
    /// are listed last.
    pub added_on_clash: String,
    /// A file that two roots lead to.
    pub same_file: SameFile,
}

/// Which of several skills with one name are active.
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
    /// Only the first root's entry is active.
    #[default]
    First,
    /// Each entry is active.
    All,
    /// Names are settled first, root by root; then the first entry that is left is active.
    AfterNames,
}

/// Which frontmatter controls are obeyed.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ControlRules {
    /// Controls that are obeyed.
    pub obeyed: Vec<Control>,
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
    /// `paths` keeps it from the model, but not from the user, until a matching file is touched.
    PathsForModel,
    /// `enabled: false` switches it off.
    Enabled,
    /// `hide: true` keeps it out of the model's list.
    Hide,
}
