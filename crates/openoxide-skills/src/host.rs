//! Hosts: programs whose skill rules are followed, as data.
//!
//! [`Host`] is the vocabulary of `host.toml`. No code asks which host it is; it asks what the rules say.
//! `spec` loads the folders, applies editions and settings, and reports a bad file with its place.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::settings::HostSettings;

mod activation;
mod agents;
mod budget;
mod expansion;
mod fields;
mod frontmatter;
mod hooks;
mod list;
mod mention;
mod name;
mod parsing;
mod resource;
mod roots;
mod settings;
mod spec;
mod switch;
mod texts;
mod tools;
mod traces;
mod versions;

pub use activation::{
    ActivationRules, Caller, Callers, CatalogFor, Content, CutOf, CutRule, Expand, FilesRule, ForkRules, MessageClean,
    MessageRule, PreloadRules, Role, ToolsMeaning,
};
pub use agents::AgentRules;
pub use budget::{
    AliasFrame, BudgetRules, CatalogLines, CatalogPlace, CatalogRules, CharsPerToken, FitStep, Measure, ModelWindow,
    Reserved,
};
pub use expansion::{
    ArgumentRules, BlockForm, Escape, FileBase, FileNameEnd, FileRules, FileStart, InlinePlace, MissingArgument,
    OnFailure, ShellRules, Variable, VariableName, WordRule,
};
pub use fields::{
    BoolRule, DescriptionRules, EmptyText, FieldRules, FirstLine, SidecarBad, SidecarRules, Spelling, UnclearControl,
    UnknownFields,
};
pub use frontmatter::{BadYaml, Dialect, EmptyBlock, Fence, FenceRules, NumberText, OnDuplicate, Repair, Tags, Typed};
pub use hooks::{HookEvent, HookFolder, HookRules, HookScope, Once};
pub use list::{CollideRules, Control, ControlRules, ListRules, OnClash, OrderKey, PathForm, Refresh, SameFile};
pub use mention::{
    Ambiguous, ArgumentBlanks, CommandPlace, CommandRules, LinkRules, MentionOrder, MentionRules, NameEnd, PlainRules,
};
pub use name::{Chars, NameRule, NameRules, NameShape, NameSource, NameStep};
pub use parsing::{Clean, LengthUnit, Mark, NoFrontmatter, ParseRules, Prepare, TextRule, Utf8, WrongType};
pub use resource::{PathLeniency, ReadProblem, ResourceRules};
pub use roots::{
    FolderNames, FoundRules, Layout, Links, ManifestFolders, NamespaceRules, PluginPrefix, ProjectRules, RootRule,
    ScanRules, Unmarked, VersionSource,
};
pub use settings::{
    ActivePlugins, Combine, ManifestRule, PluginSource, STATES, SettingDoes, SettingKind, SettingLayer, SettingRule,
    SettingSource, YesWords,
};
pub use spec::{HostError, HostSpec, Hosts};
pub use switch::SwitchRule;
pub use texts::{Situation, Texts};
pub use tools::{ServeRules, ServeShape, ToolAnswer, ToolArgument, ToolArgumentKind, ToolDoes, ToolFact, ToolRule};
pub use traces::HostTraces;
pub use versions::{BadVersionRange, VersionRange};

/// The rules of one host in one edition, with its settings applied.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// What people call the program.
    pub title: String,
    /// The program and version that the rules describe.
    pub program: String,
    /// The versions of the program that the rules are for; absent: nothing is said about versions. An edition without its
    /// own is for none.
    pub versions: Option<VersionRange>,
    /// One sentence on what the host is.
    #[serde(default)]
    pub about: String,
    /// Whether these are the rules of the standard itself.
    #[serde(default)]
    pub standard: bool,
    /// Names for folders, usable as `{name}` in paths.
    #[serde(default)]
    pub vars: BTreeMap<String, String>,
    /// What shows that the program is installed, or configured for a project.
    #[serde(default)]
    pub found: FoundRules,
    /// Whether one bad value makes a whole settings file invalid.
    #[serde(default)]
    pub strict_files: bool,
    /// How the project's root is found.
    #[serde(default)]
    pub project: ProjectRules,
    /// Settings files and variables of the program, weakest first, by a name that `from` refers to.
    #[serde(default)]
    pub layers: BTreeMap<String, Vec<SettingLayer>>,
    /// The table in the files of `layers` that sets environment variables of the program. They win over those of the shell.
    pub variables: Option<String>,
    /// The host's own settings that affect skills.
    #[serde(default)]
    pub settings: BTreeMap<String, SettingRule>,
    /// The program's agents, each with its own permissions; absent: `{agent}` means none.
    pub agents: Option<AgentRules>,
    /// Where the program's own settings switch single skills off; absent: it has no such switch.
    pub switch: Option<SwitchRule>,
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
    pub sidecar: Option<SidecarRules>,
    /// What happens when two skills have one name, or are one file.
    #[serde(default)]
    pub collide: CollideRules,
    /// Whether rules under `[permission]` in OpenOxide's own settings decide which skills are active.
    #[serde(default)]
    pub own_permissions: bool,
    /// Which frontmatter controls are obeyed.
    #[serde(default)]
    pub controls: ControlRules,
    /// The order of the list.
    #[serde(default)]
    pub list: ListRules,
    /// The text that shows skills to the model.
    #[serde(default)]
    pub catalog: CatalogRules,
    /// How much of the context window that text may take.
    #[serde(default)]
    pub budget: BudgetRules,
    /// How a text names a skill.
    #[serde(default)]
    pub mention: MentionRules,
    /// What is sent when a skill is called.
    #[serde(default)]
    pub activation: ActivationRules,
    /// Placeholders for arguments and known values in a skill's text; absent: none.
    pub arguments: Option<ArgumentRules>,
    /// Commands in a skill's text that are replaced by their output; absent: none.
    pub shell: Option<ShellRules>,
    /// File names in a skill's text whose text is attached; absent: none.
    pub files: Option<FileRules>,
    /// Commands that a skill runs on events; absent: none.
    pub hooks: Option<HookRules>,
    /// How files of a skill are read.
    #[serde(default)]
    pub resource: ResourceRules,
    /// How a skill runs in a conversation of its own; absent: it never does.
    pub fork: Option<ForkRules>,
    /// How a subagent starts with skills.
    #[serde(default)]
    pub preload: PreloadRules,
    /// The program's own texts, by situation.
    #[serde(default)]
    pub texts: Texts,
    /// The program's own texts to the user, where they differ.
    #[serde(default)]
    pub user_texts: Texts,
    /// The tools with which a model loads skills; empty: it reads their files.
    #[serde(default)]
    pub tools: Vec<ToolRule>,
    /// How the program itself serves its skills over HTTP; absent: it does not.
    pub serve: Option<ServeRules>,
    /// What OpenOxide deliberately does differently.
    #[serde(default)]
    pub deviations: Vec<Deviation>,
    /// In an edition: what it does differently besides what the default one does; the two lists are joined.
    #[serde(default)]
    pub more_deviations: Vec<Deviation>,
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

impl Host {
    /// Returns the setting that does something to skills, with its name.
    pub fn setting_that(&self, does: SettingDoes) -> Option<(&str, &SettingRule)> {
        let mut settings = self.settings.iter().filter(|(_, rule)| rule.does == Some(does));
        settings.next().map(|(name, rule)| (name.as_str(), rule))
    }

    /// Tells whether a switch among the settings is on, by its default where nobody set it.
    pub fn is_on(&self, name: &str, settings: &HostSettings) -> bool {
        let default = self.settings.get(name).and_then(|rule| rule.default.as_ref()?.as_bool());
        settings.is_on(name, default.unwrap_or(false))
    }

    /// Returns the setting with rules that switch skills on or off.
    pub fn switching(&self) -> Option<(&str, &SettingRule)> {
        self.setting_that(SettingDoes::Switch).or_else(|| self.setting_that(SettingDoes::SwitchFolders))
    }

    /// Returns the program's own text to a caller for a situation.
    pub fn own_text(&self, caller: Caller, situation: Situation) -> Option<&str> {
        let to_user = (caller == Caller::User).then(|| self.user_texts.get(situation)).flatten();
        to_user.or_else(|| self.texts.get(situation))
    }
}
