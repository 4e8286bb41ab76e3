//! What the model sees before anything is called.

use std::sync::Arc;

use openoxide_config::Workspace;
use openoxide_permissions::RuleError;
use openoxide_skills::catalog::Catalog;
use openoxide_skills::host::PreloadRules;
use openoxide_skills::render::{Model, Prompt, render};
use openoxide_skills::text::{RenderError, path_text};
use openoxide_wire::{PreloadedLine, PromptAnswer};

use super::message_line;
use crate::call::Refusal;
use crate::preload::{Pinned, Preloaded, PreloadedSkill};
use crate::runtime::{Runtime, seen_by_model};
use crate::session::Session;

/// Who is to see the catalog.
#[derive(Clone, Debug)]
pub struct Onlooker {
    /// The model.
    pub model: Model,
    /// Whether the agent can read files.
    pub reads: bool,
    /// The skills that it starts with; none: those of its settings.
    pub preload: Vec<String>,
}

/// What an agent's model sees before anything is called.
#[derive(Clone, Debug)]
pub struct Beginning {
    /// The catalog.
    pub prompt: Prompt,
    /// What the agent starts with.
    pub started: Preloaded,
    /// Why the catalog is left out, if it is.
    pub unlisted: Option<&'static str>,
    /// The catalog that was drawn.
    pub catalog: Arc<Catalog>,
}

/// Why a model sees nothing.
#[derive(Debug, thiserror::Error)]
pub enum BeginningError {
    /// A permission rule cannot count.
    #[error(transparent)]
    Rule(#[from] RuleError),
    /// The host's templates cannot be drawn.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// The agent cannot start with a skill.
    #[error("{}", _0.text)]
    Refused(Box<Refusal>),
}

impl Runtime {
    /// Returns what the model of an agent sees before anything is called. `catalog` is the one that is drawn.
    pub fn beginning(
        &self,
        workspace: &Workspace,
        catalog: Arc<Catalog>,
        onlooker: &Onlooker,
    ) -> Result<Beginning, BeginningError> {
        let catalog = seen_by_model(workspace, catalog)?;
        let mut prompt = render(self.view(), &catalog, onlooker.model)?;
        let of_agent = || workspace.agent().map(|agent| agent.skills.clone()).unwrap_or_default();
        let skills = if onlooker.preload.is_empty() { of_agent() } else { onlooker.preload.clone() };
        let started = match skills.is_empty() {
            true => Preloaded::default(),
            false => self
                .preload(&Session::default(), &Pinned { task: None, skills })
                .map_err(|refusal| BeginningError::Refused(Box::new(refusal)))?,
        };
        let unlisted = unlisted(&self.view().host.preload, onlooker.reads, !started.skills.is_empty());
        if unlisted.is_some() {
            (prompt.text, prompt.shown, prompt.used) = (String::new(), Vec::new(), 0);
        }
        Ok(Beginning { prompt, started, unlisted, catalog })
    }
}

/// Returns what the model of an agent sees: the catalog, and what the agent starts with.
pub fn prompt_answer(beginning: &Beginning) -> PromptAnswer {
    PromptAnswer {
        unlisted: beginning.unlisted.map(str::to_owned),
        messages: beginning.started.messages.iter().map(message_line).collect(),
        preloaded: beginning.started.skills.iter().map(preloaded_line).collect(),
        ..PromptAnswer::new(beginning.catalog.host.clone(), &beginning.prompt)
    }
}

/// Says why an agent is not shown the catalog, if it is not.
fn unlisted(rules: &PreloadRules, can_read: bool, preloaded: bool) -> Option<&'static str> {
    match (rules.catalog_is_listed(can_read, preloaded), can_read) {
        (true, _) => None,
        (false, false) => Some("the agent cannot read files"),
        (false, true) => Some("the agent starts with skills"),
    }
}

/// Returns the line of a skill that an agent starts with.
fn preloaded_line(skill: &PreloadedSkill) -> PreloadedLine {
    let (name, digest) = (skill.name.clone(), skill.digest.clone());
    PreloadedLine { name, path: path_text(&skill.path), digest }
}
