//! Places the list of skills where a client's model sees most of it.
//!
//! That is the description of the tool that loads skills, that of its argument, or the instructions.

use openoxide_app::client_list::{ClientList, client_list, utf16_len};
use openoxide_app::tools::Tool;
use openoxide_app::{Error, ToolDoes};

use super::McpView;
use crate::connect::Limits;

/// What stands between a text and the list behind it.
const GAP: &str = "\n\n";

/// The list of skills, by where it stands; a text is empty where it does not stand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PlacedList {
    /// In the description of the tool.
    pub(super) tool: String,
    /// In the description of the tool's argument that takes a name.
    pub(super) argument: String,
    /// In the instructions of the server.
    pub(super) instructions: String,
}

impl McpView {
    /// Returns the tool that does something.
    pub(super) fn tool(&self, does: ToolDoes) -> Option<&Tool> {
        self.toolbox.tools.iter().find(|tool| tool.does == does)
    }

    /// Draws the list for a client that leaves so many characters.
    pub(super) fn draw_list(&self, room: Option<usize>) -> Result<ClientList, Error> {
        client_list(&self.snapshot, room, self.tool(ToolDoes::Search).map(|tool| tool.name.as_str()))
    }

    /// Places the list for a client with these limits. `introduction` is what the instructions say before it.
    ///
    /// It stands in one place, if it is whole there. Otherwise the tool has what it has room for, and the instructions have
    /// the list too, if more of it has room there.
    pub(super) fn place_list(&self, limits: &Limits, introduction: &str) -> PlacedList {
        let Some(activate) = self.tool(ToolDoes::Activate) else { return PlacedList::default() };
        // What could be drawn without limits can be drawn within limits.
        let draw = |room| self.draw_list(room).unwrap_or_default();
        let behind = |limit: Option<usize>, text: &str| {
            limit.map(|limit| limit.saturating_sub(utf16_len(text) + utf16_len(GAP)))
        };
        let whole = &self.list;
        let holds = |room: Option<usize>| room.is_none_or(|room| utf16_len(&whole.text) <= room);
        let room = behind(limits.tool, &activate.about);
        if holds(room) {
            return PlacedList { tool: whole.text.clone(), ..PlacedList::default() };
        }
        let about = activate.name_key().and_then(|key| argument_about(activate, key));
        if about.is_some_and(|about| holds(behind(limits.argument, about))) {
            return PlacedList { argument: whole.text.clone(), ..PlacedList::default() };
        }
        let tool: ClientList = draw(room);
        let instructions = draw(behind(limits.instructions, introduction));
        let more = instructions.shows_more_than(&tool);
        let instructions = if more { instructions.text } else { String::new() };
        PlacedList { tool: tool.text, instructions, ..PlacedList::default() }
    }
}

/// Returns what the schema of a tool says of an argument.
fn argument_about<'t>(tool: &'t Tool, key: &str) -> Option<&'t str> {
    tool.input_schema["properties"].get(key)?.get("description")?.as_str()
}

/// Puts a list behind a text.
pub(super) fn followed(text: &str, list: &str) -> String {
    match (text, list) {
        ("", only) | (only, "") => only.to_owned(),
        (text, list) => format!("{text}{GAP}{list}"),
    }
}
