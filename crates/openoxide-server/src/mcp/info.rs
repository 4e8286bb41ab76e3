//! Describes the server to a client: its capabilities, and the instructions for the model.

use std::{collections::BTreeMap, fmt::Write as _};

use openoxide_app::ToolDoes;
use rmcp::model::{
    Implementation, JsonObject, PromptsCapability, ResourcesCapability, ServerCapabilities, ServerConfig,
    ToolsCapability,
};
use serde_json::json;

use super::McpView;
use super::skill_list::followed;
use crate::connect::Limits;

/// The extension that serves skills.
const SKILLS: &str = "io.modelcontextprotocol/skills";

/// Describes the server. Lists that are fixed are not said to change.
pub(super) fn config(is_fixed: bool) -> ServerConfig {
    let mut skills = JsonObject::new();
    skills.insert("directoryRead".to_owned(), json!(true));
    let mut capabilities = ServerCapabilities::builder()
        .enable_completions()
        .enable_extensions_with(BTreeMap::from([(SKILLS.to_owned(), skills)]))
        .enable_prompts()
        .enable_prompts_list_changed()
        .enable_resources()
        .enable_resources_list_changed()
        .enable_tools()
        .enable_tool_list_changed()
        .build();
    if is_fixed {
        capabilities.tools = Some(ToolsCapability::default());
        capabilities.prompts = Some(PromptsCapability::default());
        capabilities.resources = Some(ResourcesCapability::default());
    }
    let mut config = ServerConfig::new(capabilities);
    config.server_info = Implementation::new("openoxide", env!("CARGO_PKG_VERSION")).with_title("OpenOxide");
    config
}

/// Says to the model how skills are used, and which there are where no tool says so.
pub(super) fn instructions(view: &McpView, limits: &Limits) -> String {
    let introduction = introduction(view);
    followed(&introduction, &view.place_list(limits, &introduction).instructions)
}

/// Says to the model how skills are used.
pub(super) fn introduction(view: &McpView) -> String {
    let Some(activate) = view.tool(ToolDoes::Activate) else {
        return "Skills are folders with instructions for certain tasks; they are served as resources.".to_owned();
    };
    let mut text = format!(
        "Skills are instructions for certain tasks. When the task matches one, or the user names one, call `{}` with its \
         name before you begin, and follow what it answers.",
        activate.name
    );
    let others = [(ToolDoes::Read, "reads a file that a skill points to"), (ToolDoes::Search, "finds skills by words")];
    for (does, what) in others {
        if let Some(tool) = view.tool(does) {
            // Writing to a text cannot fail.
            let _ = write!(text, " `{}` {what}.", tool.name);
        }
    }
    text
}
