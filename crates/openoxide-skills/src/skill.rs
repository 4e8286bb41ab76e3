//! The data model of one skill, which every other module works on.

use std::path::{Path, PathBuf};
use std::{collections::BTreeMap, sync::Arc, time::Duration};

pub use openoxide_permissions::PermissionsProfile;
use openoxide_permissions::ProfileSource;
use schemars::JsonSchema;
use serde::Deserialize;

/// Whose root a skill was found in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SkillScope {
    /// The project's.
    #[default]
    Repo,
    /// The user's.
    User,
    /// The program's own.
    System,
    /// The machine's administrator's.
    Admin,
    /// An installed plugin's.
    Plugin,
}

impl SkillScope {
    /// Returns the word used in text and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            SkillScope::Repo => "repo",
            SkillScope::User => "user",
            SkillScope::System => "system",
            SkillScope::Admin => "admin",
            SkillScope::Plugin => "plugin",
        }
    }
}

/// The program's own skills and the administrator's are trusted with a permission profile.
impl From<SkillScope> for ProfileSource {
    fn from(scope: SkillScope) -> ProfileSource {
        match scope {
            SkillScope::System | SkillScope::Admin => ProfileSource::Trusted,
            SkillScope::Repo | SkillScope::User | SkillScope::Plugin => ProfileSource::Other,
        }
    }
}

/// Everything known about a skill before its body is read.
///
/// Texts and paths are shared: several hosts mostly see the same.
#[derive(Clone, Debug, PartialEq)]
pub struct SkillMetadata {
    /// What it is called, prefix included.
    pub name: Arc<str>,
    /// What it is for; empty only where the host allows that.
    pub description: Arc<str>,
    /// A shorter description for people.
    pub short_description: Option<String>,
    /// Its `SKILL.md`, in the form the host lists.
    pub path: Arc<Path>,
    /// Whose it is.
    pub scope: SkillScope,
    /// Who may call it.
    pub policy: SkillPolicy,
    /// How it presents itself to people.
    pub interface: Option<Box<SkillInterface>>,
    /// What it needs.
    pub dependencies: Option<SkillDependencies>,
    /// What it asks to be allowed.
    pub permissions: Option<Box<PermissionsProfile>>,
    /// Whether the description is its own, not a stand-in.
    pub described: bool,
    /// The frontmatter, field by field.
    pub frontmatter: Arc<Frontmatter>,
}

/// Who may call a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillPolicy {
    /// Whether the model may call it by itself.
    pub allow_implicit_invocation: bool,
    /// The products it is made for; empty means all.
    pub products: Vec<String>,
}

impl Default for SkillPolicy {
    fn default() -> Self {
        SkillPolicy { allow_implicit_invocation: true, products: Vec::new() }
    }
}

/// How a skill presents itself to people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkillInterface {
    /// The name people see.
    pub display_name: Option<String>,
    /// One line for people.
    pub short_description: Option<String>,
    /// A small picture, as an absolute path.
    pub icon_small: Option<PathBuf>,
    /// A large picture, as an absolute path.
    pub icon_large: Option<PathBuf>,
    /// A color, as `#RRGGBB`.
    pub brand_color: Option<String>,
    /// What to ask it first.
    pub default_prompt: Option<String>,
}

/// What a skill needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkillDependencies {
    /// Tools, variables and servers.
    pub tools: Vec<ToolDependency>,
}

/// One thing a skill needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolDependency {
    /// What kind of thing: `env_var`, `mcp`, or one this version does not know.
    pub kind: String,
    /// Its name.
    pub value: String,
    /// What it is for.
    pub description: Option<String>,
    /// How to reach a server.
    pub transport: Option<String>,
    /// The command that starts a server.
    pub command: Option<String>,
    /// Where a server listens.
    pub url: Option<String>,
}

/// Where a skill runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SkillContext {
    /// In the conversation that called it.
    #[default]
    Inline,
    /// In a conversation of its own.
    Fork {
        /// The kind of agent that runs it.
        agent_type: Option<String>,
    },
}

/// How much of the model's window skills may take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SkillBudget {
    /// The share of the context window.
    pub max_pct: f32,
    /// The budget in characters when the window is not known.
    pub fallback_chars: usize,
}

impl Default for SkillBudget {
    fn default() -> Self {
        SkillBudget { max_pct: 0.02, fallback_chars: 16_000 }
    }
}

/// Commands that a skill wants run on events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkillHooks {
    /// Handlers by the name of the event.
    pub hooks: BTreeMap<String, Vec<HookHandler>>,
}

/// One command that a skill wants run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HookHandler {
    /// What kind of handler: `command`, or one this version does not know.
    pub hook_type: String,
    /// Which tools or names it is for; absent means all.
    pub matcher: Option<String>,
    /// What is run: a line for the shell, or with `args` a program.
    pub command: String,
    /// The program's arguments, one by one; then no shell reads the command.
    pub args: Option<Vec<String>>,
    /// `if`: a permission rule that a call of a tool must match.
    pub condition: Option<String>,
    /// `timeout`: how long it may take.
    pub timeout: Option<Duration>,
    /// `shell`: the shell that reads the command.
    pub shell: Option<String>,
    /// `async`: whether nobody waits for what it says.
    pub background: bool,
    /// Whether it runs once and is then removed.
    pub once: bool,
    /// `statusMessage`: what people see while it runs.
    pub status: Option<String>,
}

/// The fields of a frontmatter that have a meaning to some host.
///
/// A field is absent when the text does not have it, or has it with a value that the host does not take.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frontmatter {
    /// `license`.
    pub license: Option<String>,
    /// `compatibility`.
    pub compatibility: Option<String>,
    /// `metadata`, values as text.
    pub metadata: Vec<(String, String)>,
    /// `allowed-tools`, one rule each.
    pub allowed_tools: Vec<String>,
    /// `disable-model-invocation`.
    pub disable_model_invocation: Option<bool>,
    /// `user-invocable`.
    pub user_invocable: Option<bool>,
    /// `name` as the text has it, whatever the host calls the skill.
    pub declared_name: Option<Box<str>>,
    /// Whether the text keeps the skill from the model as a careful reader takes it, whatever the host reads: by
    /// `disable-model-invocation` or `hide` in any spelling with any value but no, or `enabled` with any but yes.
    pub keeps_from_model: bool,
    /// Fields that few skills have.
    pub rare: Option<Box<RareFields>>,
    /// Keys without a meaning, with their values as written.
    pub unknown: Vec<(String, String)>,
}

impl Frontmatter {
    /// Returns how many bytes of text it holds. Each field is named, so that none is forgotten.
    pub fn text_size(&self) -> usize {
        let Frontmatter {
            license,
            compatibility,
            metadata,
            allowed_tools,
            disable_model_invocation: _,
            user_invocable: _,
            declared_name,
            keeps_from_model: _,
            rare,
            unknown,
        } = self;
        let pairs = metadata.iter().chain(unknown).map(|(key, value)| key.len() + value.len());
        let declared = declared_name.as_deref().map_or(0, str::len);
        let rare = rare.as_ref().map_or(0, |rare| rare.text_size());
        size([license, compatibility], [allowed_tools]) + pairs.sum::<usize>() + declared + rare
    }
}

impl RareFields {
    fn text_size(&self) -> usize {
        let RareFields {
            when_to_use,
            argument_hint,
            arguments,
            disallowed_tools,
            model,
            effort,
            context,
            background: _,
            hooks,
            paths,
            shell,
            globs,
            always_apply: _,
            hide: _,
            enabled: _,
            short_description,
        } = self;
        let agent = match context {
            SkillContext::Inline | SkillContext::Fork { agent_type: None } => 0,
            SkillContext::Fork { agent_type: Some(agent) } => agent.len(),
        };
        let handlers = |(event, handlers): (&String, &Vec<HookHandler>)| {
            event.len() + handlers.iter().map(HookHandler::text_size).sum::<usize>()
        };
        let texts = [when_to_use, argument_hint, model, effort, shell, short_description];
        let lists = [arguments, disallowed_tools, paths, globs];
        size(texts, lists) + agent + hooks.hooks.iter().map(handlers).sum::<usize>()
    }
}

impl HookHandler {
    fn text_size(&self) -> usize {
        let HookHandler {
            hook_type,
            matcher,
            command,
            args,
            condition,
            timeout: _,
            shell,
            background: _,
            once: _,
            status,
        } = self;
        size([matcher, condition, shell, status], args.iter()) + hook_type.len() + command.len()
    }
}

/// Returns how many bytes texts and lists of texts have.
fn size<'t, const N: usize>(texts: [&'t Option<String>; N], lists: impl IntoIterator<Item = &'t Vec<String>>) -> usize {
    let listed = lists.into_iter().flatten().map(String::len);
    texts.into_iter().flatten().map(String::len).chain(listed).sum()
}

/// Fields that few skills have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RareFields {
    /// `when_to_use`.
    pub when_to_use: Option<String>,
    /// `argument-hint`.
    pub argument_hint: Option<String>,
    /// `arguments`, the names in order.
    pub arguments: Vec<String>,
    /// `disallowed-tools`.
    pub disallowed_tools: Vec<String>,
    /// `model`.
    pub model: Option<String>,
    /// `effort`.
    pub effort: Option<String>,
    /// `context`, with `agent`.
    pub context: SkillContext,
    /// `background`.
    pub background: Option<bool>,
    /// `hooks`.
    pub hooks: SkillHooks,
    /// `paths`, one pattern each.
    pub paths: Vec<String>,
    /// `shell`.
    pub shell: Option<String>,
    /// `globs`, one pattern each.
    pub globs: Vec<String>,
    /// `alwaysApply`.
    pub always_apply: Option<bool>,
    /// `hide`.
    pub hide: Option<bool>,
    /// `enabled`.
    pub enabled: Option<bool>,
    /// `metadata.short-description`.
    pub short_description: Option<String>,
}

impl Frontmatter {
    /// Returns the rare fields, empty ones if there are none.
    pub fn rare(&self) -> &RareFields {
        static EMPTY: std::sync::LazyLock<RareFields> = std::sync::LazyLock::new(RareFields::default);
        self.rare.as_deref().unwrap_or(&EMPTY)
    }
}
