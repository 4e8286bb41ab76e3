//! The models under `[models.NAME]` of `config.toml`.

pub(crate) mod parse;

use openoxide_skills::settings::Origin;

use crate::TokenSource;

/// The wire format of a server of models.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ModelApi {
    /// Chat completions, as `OpenAI` and most other servers have them.
    #[default]
    OpenAi,
    /// Messages, as Anthropic has them.
    Anthropic,
}

impl ModelApi {
    /// The words of all of them.
    pub const WORDS: &[&str] = &["openai", "anthropic"];

    /// Returns the word used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            ModelApi::OpenAi => "openai",
            ModelApi::Anthropic => "anthropic",
        }
    }

    fn parse(word: &str) -> Option<ModelApi> {
        [ModelApi::OpenAi, ModelApi::Anthropic].into_iter().find(|api| api.as_str() == word)
    }
}

/// A model, and the server that has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelSettings {
    /// The address of the server. Without a path, `/v1` is meant.
    pub url: String,
    /// Its wire format.
    pub api: ModelApi,
    /// What the server calls the model.
    pub model: String,
    /// Where the key is, if the server wants one.
    pub key: Option<TokenSource>,
    /// The tokens of its context window, if known.
    pub context: Option<u64>,
}

/// A model with its name and the place where it is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfiguredModel {
    /// The name.
    pub name: String,
    /// The model.
    pub settings: ModelSettings,
    /// Where it is set.
    pub origin: Origin,
}

#[cfg(test)]
mod tests;
