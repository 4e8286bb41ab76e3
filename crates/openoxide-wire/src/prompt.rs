//! `prompt --json`: the text that the model sees, and how each skill is shown in it.

use openoxide_skills::render::{DetailLevel, Prompt, ShownSkill};
use openoxide_skills::text::path_text;

use crate::{CatalogUse, JsonSchema, MessageLine, SchemaVersion, Serialize};

/// What the model sees, and what that cost whom.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PromptAnswer {
    /// The version of the format.
    pub schema: SchemaVersion,
    /// The host whose rules were followed.
    pub host: String,
    /// The text.
    pub text: String,
    /// Where the model meets it: `system-prompt` or `tool-description`.
    pub place: String,
    /// What it takes, and how much of each skill the model sees.
    #[serde(flatten)]
    pub catalog: CatalogUse,
    /// Every skill that the model may call, and how it is shown.
    pub shown: Vec<ShownLine>,
    /// Why the list is left out although there are skills: the agent cannot read files, or starts with skills.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unlisted: Option<String>,
    /// What the agent starts with, after the text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<MessageLine>,
    /// The skills that it starts with.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub preloaded: Vec<PreloadedLine>,
}

/// A skill that an agent starts with.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PreloadedLine {
    /// Its name.
    pub name: String,
    /// Its file.
    pub path: String,
    /// The digest of its folder; empty if there is none.
    pub digest: String,
}

/// One skill and how it is shown.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ShownLine {
    /// Its name.
    pub name: String,
    /// Its file.
    pub path: String,
    /// `full`, `shortened`, `name-only` or `left-out`.
    pub how: String,
}

impl PromptAnswer {
    /// Makes the answer for a host.
    pub fn new(host: String, prompt: &Prompt) -> PromptAnswer {
        PromptAnswer {
            schema: SchemaVersion::default(),
            host,
            text: prompt.text.clone(),
            place: prompt.place.as_str().to_owned(),
            catalog: CatalogUse::from(prompt),
            shown: prompt.shown.iter().map(ShownLine::from).collect(),
            unlisted: None,
            messages: Vec::new(),
            preloaded: Vec::new(),
        }
    }
}

impl From<&ShownSkill> for ShownLine {
    fn from(shown: &ShownSkill) -> ShownLine {
        let how = match shown.detail {
            DetailLevel::Full => "full",
            DetailLevel::Shortened => "shortened",
            DetailLevel::NameOnly => "name-only",
            DetailLevel::LeftOut => "left-out",
        };
        ShownLine { name: shown.name.to_string(), path: path_text(&shown.path), how: how.to_owned() }
    }
}
