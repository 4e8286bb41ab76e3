//! `models --json`: the models of the settings, and servers of models on this machine.

use crate::{JsonSchema, SchemaVersion, Serialize};

/// The models of the settings, and servers of models on this machine.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ModelsAnswer {
    /// The version of the format.
    pub schema: SchemaVersion,
    /// The models, by name; one of them if one was named.
    pub models: Vec<ModelLine>,
    /// Servers of models that answer on this machine and that no setting names; none where one model was named.
    pub servers: Vec<ModelServerLine>,
    /// What a model answered, if it was tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tried: Option<TriedLine>,
}

/// A model of the settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ModelLine {
    /// What the settings call it.
    pub name: String,
    /// The format of its server: `openai` or `anthropic`.
    pub api: String,
    /// What the server calls it.
    pub model: String,
    /// The address of the server.
    pub url: String,
    /// Where the key is; absent if the server gets none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<ModelKeyLine>,
    /// The tokens of its context window, if the settings say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<u64>,
    /// Whether it is used where none is named.
    pub default: bool,
    /// Where it is set.
    pub origin: String,
}

/// Where the key of a model is. The key itself is never answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ModelKeyLine {
    /// The variable that holds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variable: Option<String>,
    /// The file that holds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Why it cannot be used; absent if it is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// A server of models on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ModelServerLine {
    /// The program that usually listens there.
    pub program: String,
    /// Its address.
    pub url: String,
    /// The models that it says it has.
    pub models: Vec<String>,
    /// The lines for `config.toml` that add the first of them.
    pub config: String,
}

/// What a model answered to one short request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TriedLine {
    /// The name of the model.
    pub name: String,
    /// Its answer; absent if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// The milliseconds until the end of the answer.
    pub milliseconds: u64,
    /// The tokens that it read, if the server says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// The tokens that it wrote, if the server says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// Why it has no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ModelErrorLine>,
}

/// Why a model has no answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ModelErrorLine {
    /// What is wrong, as a word that does not change: `unreachable`, `key-refused`, `unknown-model` and so on.
    pub why: String,
    /// What is said.
    pub text: String,
    /// The next step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}
