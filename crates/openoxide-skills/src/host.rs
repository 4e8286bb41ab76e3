//! Hosts: programs whose skill rules are followed, as data.
//!
//! [`Host`] is the vocabulary of `host.toml`. No code asks which host it is; it asks what the rules say.
//! [`spec`] loads the folders, applies editions and settings, and reports a bad file with its place.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

mod activation;
mod budget;
mod delegate;
mod expansion;
mod found;
mod hooks;
mod mention;
mod parsing;
mod resource;
mod roots;
mod serve;
mod settings;
mod spec;
mod tools;

pub use activation::{
    ActivationRules, ActivationTexts, Caller, Content, CutOf, CutRule, Expand, FilesRule, MessageRule, Role,
    ToolsMeaning,
};
pub use budget::{AliasFrame, BudgetRules, CatalogPlace, CatalogRules, CharsPerToken, FitStep, Measure, Reserved};
pub use delegate::{ForkRules, PreloadRules, ReattachRules};
pub use expansion::{
    ArgumentRules, BlockForm, Callers, Escape, FileBase, FileRules, FileStart, FineStatus, InlinePlace,
    MissingArgument, OnFailure, ShellRules, Variable, VariableName, WordRule,
};
pub use found::FoundRules;
pub use hooks::{HookEvent, HookFolder, HookRules, HookScope, HookTime, Once};
pub use mention::{
    Ambiguous, ArgumentBlanks, CommandRules, LinkRules, MentionOrder, MentionRules, NameEnd, PlainRules,
};
pub use parsing::{
    BadYaml, BoolRule, Chars, Clean, DescriptionRules, Dialect, EmptyText, Fallback, Fence, FenceRules, FieldRules,
    LengthUnit, Mark, NameRules, NameShape, NameSource, NoFrontmatter, NumberText, OnDuplicate, ParseRules, Repair,
    Tags, TextRule, Typed, UnknownFields, Utf8, WrongType,
};
pub use resource::{ReadProblem, ResourceRules};
pub use roots::{FolderNames, Layout, Links, NamespaceRules, RootRule, ScanRules};
pub use serve::{ServeRules, ServeShape};
pub use settings::{FilterRules, PluginSource, SettingKind, SettingRule, SettingSource, StateEffect, YesWords};
pub use spec::{HostError, HostSpec, Hosts};
pub use tools::{ToolAnswer, ToolArgument, ToolDoes, ToolFact, ToolRule};

use crate::code::Code;
use crate::skill::SkillScope;

/// The rules of one host in one edition, with its settings applied.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// What people call the program.
    pub title: String,
    /// The program and version whose behavior is stated.
    pub program: String,
    /// One sentence on what the host is.
    #[serde(default)]
    pub about: String,
    /// Whether it states the standard itself, which `check` measures against.
    #[serde(default)]
    pub standard: bool,
    /// Names for folders, usable as `{name}` in paths.
    #[serde(default)]
    pub vars: BTreeMap<String, String>,
    /// What shows that the program is installed, or configured for a project.
    #[serde(default)]
    pub found: FoundRules,
    /// Whether one bad value takes a whole settings file out.
    #[serde(default)]
    pub strict_files: bool,
    /// How the project's root is found.
    #[serde(default)]
    pub project: ProjectRules,
    /// Places where the program keeps many settings, weakest first, by a name that `from` refers to.
    #[serde(default)]
    pub layers: BTreeMap<String, Vec<SettingSource>>,
    /// The host's own settings that bear on skills.
    #[serde(default)]
    pub settings: BTreeMap<String, SettingRule>,
    /// Where skills are looked for, first to last.
    pub roots: Vec<RootRule>,
    /// How a root is searched.
    #[serde(default)]
    pub scan: ScanRules,
    /// Manifests that prefix names.
    #[serde(default)]
    pub namespace: NamespaceRules,
    /// How a skill file is read.
    #[serde(default)]
    pub parse: ParseRules,
    /// The metadata file beside a skill.
    #[serde(default)]
    pub sidecar: Option<SidecarRules>,
    /// What happens when two skills meet.
    #[serde(default)]
    pub collide: CollideRules,
    /// Which settings switch skills off.
    #[serde(default)]
    pub filter: FilterRules,
    /// Which frontmatter controls count.
    #[serde(default)]
    pub controls: ControlRules,
    /// The order of the list.
    #[serde(default)]
    pub list: ListRules,
    /// The text that shows skills to the model.
    #[serde(default)]
    pub catalog: CatalogRules,
    /// How much of the window that text may take.
    #[serde(default)]
    pub budget: BudgetRules,
    /// How a text names a skill.
    #[serde(default)]
    pub mention: MentionRules,
    /// What is sent when a skill is called.
    #[serde(default)]
    pub activation: ActivationRules,
    /// What stands for arguments and known values in a skill's text; absent: nothing does.
    #[serde(default)]
    pub arguments: Option<ArgumentRules>,
    /// Commands in a skill's text whose output takes their place; absent: none are.
    #[serde(default)]
    pub shell: Option<ShellRules>,
    /// Names of files in a skill's text whose text is attached; absent: none are.
    #[serde(default)]
    pub files: Option<FileRules>,
    /// Commands that a skill wants run on events; absent: none are.
    #[serde(default)]
    pub hooks: Option<HookRules>,
    /// How files of a skill are asked for and answered.
    #[serde(default)]
    pub resource: ResourceRules,
    /// How a skill runs in a conversation of its own; absent: none does, whatever it says.
    #[serde(default)]
    pub fork: Option<ForkRules>,
    /// How a subagent starts with skills.
    #[serde(default)]
    pub preload: PreloadRules,
    /// What is sent again after a conversation was compacted.
    #[serde(default)]
    pub reattach: ReattachRules,
    /// The tools that give skills to a model; empty: it reads their files.
    #[serde(default)]
    pub tools: Vec<ToolRule>,
    /// How the program itself serves its skills over HTTP; absent: it does not.
    #[serde(default)]
    pub serve: Option<ServeRules>,
    /// What is deliberately done differently from the program.
    #[serde(default)]
    pub deviations: Vec<Deviation>,
}

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

/// Something done differently from the real program on purpose.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Deviation {
    /// What the program does, and what is done instead.
    pub what: String,
    /// The reason.
    pub why: String,
}

/// The metadata file beside a skill.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SidecarRules {
    /// Paths inside the skill's folder; the first that exists is read.
    pub files: Vec<String>,
    /// What one bad value drops.
    #[serde(default)]
    pub bad: SidecarBad,
    /// The product that `policy.products` must name, if it names any.
    #[serde(default)]
    pub product: Option<String>,
    /// Products that `policy.products` may name; another one is a bad value. Empty: any.
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

/// What happens when two skills meet.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CollideRules {
    /// Which of the skills with one name count.
    pub names: OnClash,
    /// The rank of the scopes; absent ones, or none at all, rank by the order of the roots.
    pub rank: Vec<SkillScope>,
    /// What skills of one name are sorted by instead, before the first or the last is taken.
    pub order: Vec<OrderKey>,
    /// Whether the model and the user each get the first that they may call.
    pub per_caller: bool,
    /// Whether a skill of an untrusted folder loses every clash.
    pub untrusted_loses: bool,
    /// Whether a file found twice is listed once.
    pub same_file: SameFile,
}

impl Default for CollideRules {
    fn default() -> Self {
        CollideRules {
            names: OnClash::First,
            rank: Vec::new(),
            order: Vec::new(),
            per_caller: false,
            untrusted_loses: false,
            same_file: SameFile::First,
        }
    }
}

/// Which of several skills with one name count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OnClash {
    /// The first, by scope rank if there is one, then by the order of the roots.
    #[default]
    First,
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
    /// What the program says, where it answers with a list, about a file that is no skill to it.
    pub errors: Vec<ErrorText>,
    /// When a program that is running looks at its skills again.
    pub refresh: Refresh,
}

/// What a program says about a file that is no skill to it, by the code of the finding.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ErrorText {
    /// The codes, such as `S0112`.
    pub codes: Vec<String>,
    /// The words; `{message}` is what we say.
    pub text: String,
}

impl ListRules {
    /// Says a finding as the program does where it answers with a list; in our words where it has none.
    pub fn error(&self, code: Code, message: &str) -> String {
        let own = self.errors.iter().find(|text| text.codes.iter().any(|known| known == code.as_str()));
        own.map_or_else(|| message.to_owned(), |own| own.text.replace("{message}", message))
    }
}

impl Default for ListRules {
    fn default() -> Self {
        ListRules {
            order: vec![OrderKey::Scope, OrderKey::Name, OrderKey::Path],
            path: PathForm::Canonical,
            max: None,
            errors: Vec::new(),
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

impl Host {
    /// Tells whether a control has an effect.
    pub fn counts(&self, control: Control) -> bool {
        self.controls.count.contains(&control)
    }
}
