//! Describes the server to a client: its capabilities, and the instructions for the model.

use std::{collections::BTreeMap, fmt::Write as _};

use openoxide_app::{ToolDoes, list};
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
    if let Some(brief) = list::brief(&view.snapshot) {
        let _ = write!(text, "\n\nSkills:\n{}", brief.lines.join("\n"));
        if brief.left_out > 0 {
            let _ = write!(text, "\n{} more are found by searching.", brief.left_out);
        }
    }
    text
}
