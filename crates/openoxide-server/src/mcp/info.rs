//! Describes the server to a client: its capabilities, and the instructions for the model.

use std::{collections::BTreeMap, fmt::Write as _};

use openoxide_app::list::{catalog_room, model_skills};
use openoxide_app::{CatalogPlace, Entry, TerminalText, ToolDoes};
use rmcp::model::{Implementation, JsonObject, ServerCapabilities, ServerConfig};
use serde_json::json;

use super::McpView;

/// The extension that serves skills.
const SKILLS: &str = "io.modelcontextprotocol/skills";

pub(super) fn config() -> ServerConfig {
    let mut skills = JsonObject::new();
    skills.insert("directoryRead".to_owned(), json!(true));
    let capabilities = ServerCapabilities::builder()
        .enable_completions()
        .enable_extensions_with(BTreeMap::from([(SKILLS.to_owned(), skills)]))
        .enable_prompts()
        .enable_prompts_list_changed()
        .enable_resources()
        .enable_resources_list_changed()
        .enable_tools()
        .enable_tool_list_changed()
        .build();
    let mut config = ServerConfig::new(capabilities);
    config.server_info = Implementation::new("openoxide", env!("CARGO_PKG_VERSION")).with_title("OpenOxide");
    config
}

/// Says to the model how skills are used, and which there are where no tool says so.
pub(super) fn instructions(view: &McpView) -> String {
    let tool = |does: ToolDoes| view.toolbox.tools.iter().find(|tool| tool.does == does);
    let Some(activate) = tool(ToolDoes::Activate) else {
        return "Skills are folders with instructions for certain tasks; they are served as resources.".to_owned();
    };
    let mut text = format!(
        "Skills are instructions for certain tasks. When the task matches one, or the user names one, call `{}` with its \
         name before you begin, and follow what it answers.",
        activate.name
    );
    let others = [(ToolDoes::Read, "reads a file that a skill points to"), (ToolDoes::Search, "finds skills by words")];
    for (does, what) in others {
        if let Some(tool) = tool(does) {
            // Writing to a text cannot fail.
            let _ = write!(text, " `{}` {what}.", tool.name);
        }
    }
    if view.snapshot.view.host.catalog.place == CatalogPlace::SystemPrompt && view.snapshot.view.host.catalog.shown {
        text.push_str(&list(view));
    }
    text
}

/// Lists the skills within the host's budget: with descriptions, or else names while they fit.
fn list(view: &McpView) -> String {
    let entries = model_skills(&view.snapshot).unwrap_or_default();
    if entries.is_empty() {
        return String::new();
    }
    let room = catalog_room(&view.snapshot).unwrap_or(usize::MAX);
    let full: Vec<String> = entries.iter().map(|entry| line(entry)).collect();
    let length = |lines: &[String]| lines.iter().map(|line| line.chars().count() + 1).sum::<usize>();
    if length(&full) <= room {
        return format!("\n\nSkills:\n{}", full.join("\n"));
    }
    let mut used = 0;
    let bare = entries.iter().map(|entry| format!("- {}", TerminalText(&entry.skill.name)));
    let fits = |line: &String| {
        used += line.chars().count() + 1;
        used <= room
    };
    let shown: Vec<String> = bare.take_while(fits).collect();
    let left_out = match entries.len() - shown.len() {
        0 => String::new(),
        left_out => format!("\n{left_out} more are found by searching."),
    };
    format!("\n\nSkills:\n{}{left_out}", shown.join("\n"))
}

fn line(entry: &Entry) -> String {
    const ABOUT: usize = 1024;
    let name = TerminalText(&entry.skill.name);
    if entry.name_only || entry.skill.description.is_empty() {
        return format!("- {name}");
    }
    let about: String = entry.skill.description.chars().take(ABOUT).collect();
    format!("- {name}: {}", TerminalText(&about))
}
