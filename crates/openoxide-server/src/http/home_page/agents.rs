//! The user's agents on the home page: what each of them sees, and what to fix.

use openoxide_app::{Snapshot, catalog_use, overview};
use openoxide_wire::{AgentLine, CatalogUse, OverviewAnswer, SuggestionLine};

use super::finding::finding;
use crate::http::{HttpContext, Page};

/// Suggestions that are shown; the terminal has the rest.
const SUGGESTIONS: usize = 8;

/// Draws what `openoxide` alone shows in a terminal. Its numbers count every skill, so that it is for the user only.
pub(super) async fn draw(page: &mut Page, context: &HttpContext, snapshot: &Snapshot) {
    let settings = snapshot.settings();
    let overview = context.work(move || Ok(overview::overview(&settings, &|_| String::new())?)).await;
    page.write("<h2 id=\"agents\">Your agents</h2>", &[]);
    match overview {
        Ok(answer) => {
            agents(page, &answer);
            to_fix(page, &answer.to_fix);
        }
        Err(failure) => {
            page.write("<ul class=\"skills\">", &[]);
            finding(page, &failure.line);
            page.write("</ul>", &[]);
        }
    }
}

fn agents(page: &mut Page, answer: &OverviewAnswer) {
    if answer.agents_from == "none" {
        page.write("<p>", &[]);
        page.prose(
            "No agent was found on this machine or in this project, so OpenOxide's own rules apply. \
             `openoxide config set my_agents '[\"NAME\"]'` names yours.",
        );
        page.write("</p>", &[]);
    }
    page.write("<ul class=\"skills\">", &[]);
    for agent in &answer.agents {
        let sees = format!("{} active, {} ignored", agent.active, agent.ignored);
        page.write("<li><strong>{}</strong><span class=\"dim\"> {}</span>", &[&agent.title, &sees]);
        page.write("<p>{}</p>", &[&catalog(agent)]);
        if let Some(note) = agent.installed.as_ref().and_then(|installed| installed.note.as_ref()) {
            page.write("<p class=\"dim\">{}</p>", &[note]);
        }
        page.write("</li>", &[]);
    }
    page.write("</ul>", &[]);
}

fn catalog(agent: &AgentLine) -> String {
    let Some(catalog) = &agent.catalog else { return "no templates".to_owned() };
    let CatalogUse { full, shortened, name_only, left_out, .. } = catalog;
    let parts = [(full, "whole"), (shortened, "shortened"), (name_only, "name only"), (left_out, "left out")];
    let parts = parts.into_iter().filter(|(number, _)| **number > 0).map(|(number, how)| format!("{number} {how}"));
    let parts = parts.collect::<Vec<_>>().join(", ");
    let room = catalog_use::room_text(catalog);
    if parts.is_empty() { format!("catalog: {room}") } else { format!("catalog: {room}; {parts}") }
}

fn to_fix(page: &mut Page, suggestions: &[SuggestionLine]) {
    if suggestions.is_empty() {
        return;
    }
    page.write("<h2 id=\"fix\">To fix</h2><ul class=\"skills\">", &[]);
    for line in suggestions.iter().take(SUGGESTIONS) {
        page.write("<li>{}", &[&line.text]);
        for detail in &line.details {
            page.write("<p class=\"dim\">", &[]);
            page.prose(detail);
            page.write("</p>", &[]);
        }
        page.write("</li>", &[]);
    }
    page.write("</ul><p>", &[]);
    let more = suggestions.len().saturating_sub(SUGGESTIONS);
    page.prose(&match more {
        0 => "`openoxide` in a terminal, in this folder, names the command for each.".to_owned(),
        more => format!("`openoxide -v` in a terminal, in this folder, has {more} more, and the command for each."),
    });
    page.write("</p>", &[]);
}
