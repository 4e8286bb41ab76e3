//! `activate --json`: what the model is sent, and what is not.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{IgnoredLine, SchemaVersion};

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
    /// Whether it was cut.
    pub cut: bool,
    /// Whether the model has it already.
    pub repeated: bool,
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
    /// What the caller is told.
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
