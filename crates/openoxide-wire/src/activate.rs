//! `activate --json`: the messages to the model, and the skills that were refused.

use crate::{IgnoredLine, JsonSchema, SchemaVersion, Serialize};

/// What the model is sent when skills are called.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct ActivateAnswer {
    /// The version of the format.
    pub schema: SchemaVersion,
    /// The host whose rules were followed.
    pub host: String,
    /// What is sent, in order.
    pub messages: Vec<MessageLine>,
    /// The skills that these carry.
    pub activated: Vec<ActivatedLine>,
    /// The skills that are sent again, after a conversation was compacted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reattached: Vec<ReattachedLine>,
    /// Everything that the record holds, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub recorded: Vec<RecordedLine>,
    /// The skills that were asked for and are not sent.
    pub refused: Vec<RefusedLine>,
    /// What looks like a name in the turn and means nothing, in the order of the turn.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<IgnoredLine>,
    /// What people should know besides.
    pub notices: Vec<NoticeLine>,
}

/// One message to the model.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MessageLine {
    /// Whose words it is: `user`, `tool` or `system`.
    pub role: String,
    /// What it says.
    pub text: String,
}

/// A skill that is sent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ActivatedLine {
    /// Its name.
    pub name: String,
    /// Its file.
    pub path: String,
    /// The digest of its folder; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Who called: `user` or `model`.
    pub caller: String,
    /// What was said with the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<String>,
    /// Tools that the model may now use without a question.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// The only tools that the model may now use; absent: any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limited_to: Option<Vec<String>>,
    /// The model that the skill asks for while it is active.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How hard the model should think meanwhile, as the skill asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<String>,
    /// How it runs in a conversation of its own; then it is not among the messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fork: Option<ForkLine>,
    /// Whether it was cut.
    pub cut: bool,
    /// Whether the model has it already.
    pub repeated: bool,
}

/// How a skill runs in a conversation of its own.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ForkLine {
    /// The kind of agent.
    pub agent_type: String,
    /// Whether the caller goes on meanwhile.
    pub background: bool,
    /// The only message of the user that the agent gets.
    pub prompt: String,
    /// The model that the skill asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How hard the model should think, as the skill asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<String>,
    /// Tools that the agent may use without a question.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// What the caller gets at once, if it goes on meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started: Option<String>,
    /// What the caller gets in the end, with `{result}` where the agent's last words go.
    pub result: String,
}

/// A skill that is sent again.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ReattachedLine {
    /// Its name.
    pub name: String,
    /// Its file.
    pub path: String,
    /// The place of the call among all of the conversation.
    pub order: u64,
    /// What it takes, in tokens.
    pub tokens: u64,
    /// Whether its folder has changed since.
    pub changed: bool,
    /// Whether it was cut.
    pub cut: bool,
}

/// One activation of a record.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RecordedLine {
    /// Its place, from 1.
    pub order: u64,
    /// The skill's name.
    pub name: String,
    /// Its file.
    pub path: String,
    /// The digest of its folder; empty if there was none.
    pub digest: String,
    /// Who called: `user` or `model`.
    pub caller: String,
    /// What was said with the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<String>,
    /// Whether it ran in a conversation of its own.
    pub forked: bool,
}

/// A skill that is not sent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RefusedLine {
    /// What was asked for.
    pub name: String,
    /// Its file, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Why, as a word that does not change.
    pub why: String,
    /// The code of the finding behind it, where the status of the skill is the reason; `openoxide explain` knows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diagnostic: Option<String>,
    /// The message for the caller.
    pub text: String,
    /// The next step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// Something that people should know.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NoticeLine {
    /// The skill.
    pub skill: String,
    /// What it is.
    pub text: String,
    /// The next step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}
