//! Answers the tool that searches skills.

use openoxide_skills::host::{Caller, ToolFact};
use openoxide_skills::search::SearchHit;
use openoxide_skills::text::{TerminalText, fill};
use serde_json::{Map, json};

use crate::{Runtime, Tool, ToolResult, search_for};

/// Most skills that one search tells.
const TOLD: usize = 10;
const ABOUT: usize = 300;

/// Tells the skills that match, among those that the model may call.
pub(super) fn found(runtime: &Runtime, tool: &Tool, query: &str) -> ToolResult {
    let hits = search_for(runtime.catalog(), Some(Caller::Model), query, TOLD);
    let mut metadata = Map::new();
    if tool.rule.metadata.contains(&ToolFact::Name) {
        let names: Vec<&str> = hits.iter().map(|hit| &*hit.entry.skill.name).collect();
        metadata.insert("names".to_owned(), json!(names));
    }
    let output = match hits.is_empty() {
        true => "No skill matches. Try other words, or go on without one.".to_owned(),
        false => hits.iter().map(line).collect::<Vec<_>>().join("\n"),
    };
    let title = fill(&tool.rule.answer_title, &[("name", query), ("path", "")]);
    ToolResult { title, output, metadata, ..ToolResult::default() }
}

fn line(hit: &SearchHit<'_>) -> String {
    let skill = &hit.entry.skill;
    if hit.entry.name_only || skill.description.is_empty() {
        return format!("- {}", TerminalText(&skill.name));
    }
    let words = skill.description.split_whitespace().collect::<Vec<_>>().join(" ");
    let about = match words.char_indices().nth(ABOUT) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words,
    };
    format!("- {}: {}", TerminalText(&skill.name), TerminalText(&about))
}
