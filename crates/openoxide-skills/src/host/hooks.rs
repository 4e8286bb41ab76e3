//! Commands that a skill wants run on events: which events there are, where the commands run, and for how long.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::expansion::VariableName;

/// Commands that a skill runs on events.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct HookRules {
    /// Whether commands may be run at all.
    pub run: bool,
    /// The events that are supported.
    pub events: Vec<HookEvent>,
    /// When a command that runs once is done.
    pub once: Once,
    /// The working folder of commands.
    pub folder: HookFolder,
    /// How long a skill's commands stay, unless the skill is deactivated.
    pub scope: HookScope,
    /// Environment variables that hold a known value; the skill's folder is the copy that runs.
    pub variables: Vec<VariableName>,
    /// The time limit of a command that names none, in seconds; the user's limit on scripts applies too.
    pub seconds: f64,
    /// The time limit for single events.
    pub times: BTreeMap<HookEvent, f64>,
    /// The seconds that all commands of one event may take together; the others do not run then, and that is said.
    #[serde(skip)]
    pub event_seconds: f64,
    /// The most characters of each text that a command says.
    #[serde(skip)]
    pub output_max: usize,
    /// How often in a row an end of the turn can be put off.
    #[serde(skip)]
    pub stop_max: u32,
}

impl Default for HookRules {
    fn default() -> Self {
        HookRules {
            run: true,
            events: HookEvent::ALL.to_vec(),
            once: Once::FirstRun,
            folder: HookFolder::Skill,
            scope: HookScope::UntilDeactivated,
            variables: Vec::new(),
            seconds: 600.0,
            times: BTreeMap::new(),
            event_seconds: 600.0,
            output_max: 10_000,
            stop_max: 8,
        }
    }
}

/// Something that happens in a conversation, by the name that frontmatter uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, JsonSchema)]
pub enum HookEvent {
    /// The skill itself was activated.
    SkillActivated,
    /// The skill itself is deactivated.
    SkillDeactivated,
    /// A tool is about to be used.
    PreToolUse,
    /// A tool was used.
    PostToolUse,
    /// The user says something.
    UserPromptSubmit,
    /// The turn is about to end.
    Stop,
    /// The session begins, or goes on.
    SessionStart,
    /// The session ends.
    SessionEnd,
}

impl HookEvent {
    /// Every event.
    pub const ALL: [HookEvent; 8] = [
        HookEvent::SkillActivated,
        HookEvent::SkillDeactivated,
        HookEvent::PreToolUse,
        HookEvent::PostToolUse,
        HookEvent::UserPromptSubmit,
        HookEvent::Stop,
        HookEvent::SessionStart,
        HookEvent::SessionEnd,
    ];

    /// Returns its name.
    pub fn as_str(self) -> &'static str {
        match self {
            HookEvent::SkillActivated => "SkillActivated",
            HookEvent::SkillDeactivated => "SkillDeactivated",
            HookEvent::PreToolUse => "PreToolUse",
            HookEvent::PostToolUse => "PostToolUse",
            HookEvent::UserPromptSubmit => "UserPromptSubmit",
            HookEvent::Stop => "Stop",
            HookEvent::SessionStart => "SessionStart",
            HookEvent::SessionEnd => "SessionEnd",
        }
    }

    /// Finds the event of a name.
    pub fn parse(name: &str) -> Option<HookEvent> {
        HookEvent::ALL.into_iter().find(|event| event.as_str() == name)
    }

    /// Tells whether it is about a tool.
    pub fn is_of_tool(self) -> bool {
        matches!(self, HookEvent::PreToolUse | HookEvent::PostToolUse)
    }

    /// Tells whether exit status 2 keeps it from happening.
    pub fn can_block(self) -> bool {
        matches!(self, HookEvent::PreToolUse | HookEvent::UserPromptSubmit | HookEvent::Stop)
    }
}

/// When a command that runs once is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Once {
    /// After its first start.
    #[default]
    FirstRun,
    /// After it first succeeded, without blocking anything.
    FirstSuccess,
}

/// The working folder of a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HookFolder {
    /// The skill's, as a copy of the bytes that were trusted.
    #[default]
    Skill,
    /// The folder in which the session was started.
    Project,
}

/// How long a skill's commands stay, unless the skill is deactivated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HookScope {
    /// Until the session ends, even if the skill's own fork ended before.
    Session,
    /// Until the turn ends.
    Turn,
    /// Until the skill's own fork or the session ends.
    #[default]
    UntilDeactivated,
}
