//! What the model sees before anything is called.

use openoxide_skills::{PreloadRules, Prompt, path_text};
use openoxide_wire::{PreloadedLine, PromptAnswer};

use super::message_line;
use crate::preload::{Preloaded, PreloadedSkill};

/// Returns what the model of an agent sees: the catalog, unless it is `unlisted`, and what the agent starts with.
pub fn prompt_answer(host: String, prompt: &Prompt, started: &Preloaded, unlisted: Option<&str>) -> PromptAnswer {
    PromptAnswer {
        unlisted: unlisted.map(str::to_owned),
        messages: started.messages.iter().map(message_line).collect(),
        preloaded: started.skills.iter().map(preloaded_line).collect(),
        ..PromptAnswer::new(host, prompt)
    }
}

/// Says why an agent is not shown the catalog, if it is not.
pub fn unlisted(rules: &PreloadRules, can_read: bool, preloaded: bool) -> Option<&'static str> {
    match (rules.catalog_is_listed(can_read, preloaded), can_read || !rules.catalog_needs_reading) {
        (true, _) => None,
        (false, false) => Some("the agent cannot read files"),
        (false, true) => Some("the agent starts with skills"),
    }
}

/// Returns the line of a skill that an agent starts with.
pub fn preloaded_line(skill: &PreloadedSkill) -> PreloadedLine {
    let (name, digest) = (skill.name.clone(), skill.digest.clone());
    PreloadedLine { name, path: path_text(&skill.path), digest }
}
