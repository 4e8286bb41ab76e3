//! Use case: draws the skills as the model sees them before anything is called, and what the budget left out.

use std::sync::Arc;

use openoxide_live::Snapshot;
use openoxide_runtime::{Pinned, Preloaded, PreloadedSkill, Session, seen_by_model};
use openoxide_skills::host::PreloadRules;
use openoxide_skills::judge::forged_line;
use openoxide_skills::prelude::{Catalog, Entry, Model, render};
use openoxide_skills::render::render_served;
use openoxide_skills::text::{hidden_runs, path_text};
use openoxide_wire::{NoticeLine, PreloadedLine, PromptAnswer};

use crate::activate::{message_line, notice_line};
use crate::catalog_use::now;
use crate::error::Error;

/// The model and the agent that see the catalog.
#[derive(Clone, Debug)]
pub struct PromptInput {
    /// The model's context window, in tokens.
    pub window: Option<u64>,
    /// Whether the agent can read files.
    pub can_read: bool,
    /// The skills that the agent starts with; if empty, those of its settings.
    pub preload: Vec<String>,
    /// Whether the text is for a model that we serve: then each description is on one line, and nothing is hidden.
    /// Otherwise it is what the host's own program would send, and notices say what is wrong with that.
    pub served: bool,
}

/// What the model sees before anything is called.
#[derive(Clone, Debug)]
pub struct DrawnPrompt {
    /// The answer.
    pub answer: PromptAnswer,
    /// What people should know besides.
    pub notices: Vec<NoticeLine>,
    /// The catalog that was drawn.
    pub catalog: Arc<Catalog>,
}

/// Draws what the model of an agent sees before anything is called.
pub fn prompt(snapshot: &Snapshot, input: &PromptInput) -> Result<DrawnPrompt, Error> {
    let (runtime, workspace) = (snapshot.runtime()?, &snapshot.workspace);
    let catalog = seen_by_model(workspace, Arc::clone(&snapshot.catalog))?;
    let model = Model { window: input.window, now: now() };
    let mut prompt = match input.served {
        true => render_served(runtime.view(), &catalog, model)?,
        false => render(runtime.view(), &catalog, model)?,
    };
    let of_agent = || workspace.agent().map(|agent| agent.skills.clone()).unwrap_or_default();
    let skills = if input.preload.is_empty() { of_agent() } else { input.preload.clone() };
    let preloaded = match skills.is_empty() {
        true => Preloaded::default(),
        false => runtime.preload(&Session::new(""), &Pinned { task: None, skills })?,
    };
    let unlisted = unlisted(&runtime.view().host.preload, input.can_read, !preloaded.skills.is_empty());
    if unlisted.is_some() {
        (prompt.text, prompt.shown, prompt.used, prompt.own) = (String::new(), Vec::new(), 0, 0);
    }
    let answer = PromptAnswer {
        unlisted: unlisted.map(str::to_owned),
        messages: preloaded.messages.iter().map(message_line).collect(),
        preloaded: preloaded.skills.iter().map(preloaded_line).collect(),
        ..PromptAnswer::new(catalog.host.clone(), &prompt)
    };
    let mut notices: Vec<NoticeLine> = preloaded.notices.iter().map(notice_line).collect();
    if !input.served && !runtime.view().host.catalog.lines.hides_nothing() {
        notices.extend(catalog.skills.iter().filter(|entry| entry.model).filter_map(deception));
    }
    Ok(DrawnPrompt { answer, notices, catalog })
}

/// Says that a description deceives the model, or hides something from people.
fn deception(entry: &Entry) -> Option<NoticeLine> {
    let description = &entry.skill.description;
    let what = match (forged_line(description), hidden_runs(description).next()) {
        (Some(line), _) => format!("a line of its description looks like another skill: {}", line.trim()),
        (None, Some(run)) => match run.decoded(description) {
            Some(decoded) => format!("its description hides a text: {decoded}"),
            None => "its description has characters that cannot be seen".to_owned(),
        },
        (None, None) => return None,
    };
    let help = "the agent's own program sends it like this; OpenOxide does not. `openoxide check` shows the place";
    Some(NoticeLine { skill: entry.skill.name.to_string(), text: what, help: Some(help.to_owned()) })
}

/// Returns why an agent is not shown the catalog, if it is not.
fn unlisted(rules: &PreloadRules, can_read: bool, preloaded: bool) -> Option<&'static str> {
    match (rules.catalog_is_listed(can_read, preloaded), can_read) {
        (true, _) => None,
        (false, false) => Some("the agent cannot read files"),
        (false, true) => Some("the agent starts with skills"),
    }
}

fn preloaded_line(skill: &PreloadedSkill) -> PreloadedLine {
    let (name, digest) = (skill.name.clone(), skill.digest.clone());
    PreloadedLine { name, path: path_text(&skill.path), digest }
}
