//! Names the skills of other MCP servers in the tools.

use std::{sync::Arc, time::Duration};

use openoxide_app::client_list::utf16_len;
use openoxide_app::{Caller, McpServers, RemoteOffer, TerminalText, ToolDoes, count, remote};
use rmcp::model::Tool;
use serde_json::{Value, json};

use super::tools::add_to_argument;
use super::{McpState, McpView, error::cut, skill_list::followed};
use crate::connect::Limits;
use crate::{Conversation, Engine, Nobody};

/// How long a list of tools waits for servers; those that take longer are in the next one.
const PATIENCE: Duration = Duration::from_secs(2);
/// Most skills of servers that a tool names.
const NAMED_MAX: usize = 50;
/// Most characters of what a server says a skill is for.
const ABOUT_MAX: usize = 200;
/// What is said before the skills of servers.
const REMOTE: &str = "Skills of other MCP servers, in the words of those servers; call them by the whole name, and the user \
                      is asked first:";
/// Most characters of it that are looked at.
const ABOUT_LOOKED_AT: usize = 2000;

impl McpState {
    /// Adds what servers offer to the tools that call skills.
    pub(super) async fn name_remote(&self, view: &McpView, tools: &mut [Tool], limits: &Limits) {
        if !McpServers::has_some(&view.snapshot) {
            return;
        }
        let offered = offered(&self.engine, view).await;
        if offered.is_empty() {
            return;
        }
        let Some(own) = view.tool(ToolDoes::Activate) else { return };
        for tool in tools.iter_mut().filter(|tool| tool.name == own.name) {
            name_in(tool, own.name_key(), &offered, limits);
        }
    }
}

/// Returns what the model may call, as its name and what it is for.
async fn offered(engine: &Engine, view: &McpView) -> Vec<(String, String)> {
    let Ok(operation) = remote::list(&view.snapshot) else { return Vec::new() };
    let session = Conversation::default();
    let mut nobody = Nobody;
    let complete = engine.complete(&view.snapshot, operation, &session, &mut nobody);
    // A server that is late goes on answering, and is known the next time.
    let Ok(Ok(Ok((_, listing)))) = tokio::time::timeout(PATIENCE, complete).await else { return Vec::new() };
    let line = |offer: &RemoteOffer| (offer.name.clone(), in_short(&offer.about));
    listing.offers(&view.snapshot, Caller::Model).iter().take(NAMED_MAX).map(line).collect()
}

/// Puts what a server says on one short line, with nothing in it that hides or commands.
fn in_short(text: &str) -> String {
    let start: String = text.chars().take(ABOUT_LOOKED_AT).collect();
    let line = TerminalText(&start).to_string().split_whitespace().collect::<Vec<_>>().join(" ");
    cut(line, ABOUT_MAX)
}

/// Names the skills in the description of a tool or, where there is more room, in that of its argument `key`.
fn name_in(tool: &mut Tool, key: Option<&str>, offered: &[(String, String)], limits: &Limits) {
    let before = tool.description.clone().unwrap_or_default();
    let mut schema = (*tool.input_schema).clone();
    let left = |limit: Option<usize>, text: &str| limit.map(|limit| limit.saturating_sub(utf16_len(text) + 2));
    let about = key.and_then(|key| schema.get("properties")?.get(key)?.get("description")?.as_str()).map(str::to_owned);
    let in_tool = lines(offered, left(limits.tool, &before));
    let in_argument = about.map(|about| lines(offered, left(limits.argument, &about))).unwrap_or_default();
    match key.filter(|_| in_argument.len() > in_tool.len()) {
        Some(key) => add_to_argument(&mut schema, key, &in_argument),
        None => tool.description = Some(followed(&before, &in_tool).into()),
    }
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for property in properties.into_iter().flat_map(|properties| properties.values_mut()) {
        if let Some(Value::Array(names)) = property.get_mut("enum") {
            names.extend(offered.iter().map(|(name, _)| json!(name)));
        }
    }
    tool.input_schema = Arc::new(schema);
}

/// Lists what is offered in so many characters: with what each skill is for, or by name, or as many names as fit, and then
/// it says how many more there are; or only how many there are. Empty if not even that fits.
fn lines(offered: &[(String, String)], room: Option<usize>) -> String {
    let fits = |text: &String| room.is_none_or(|room| utf16_len(text) <= room);
    let drawn = |number: usize, with_about: bool| {
        let line = |(name, about): &(String, String)| match with_about {
            true => format!("\n- {name}: {about}"),
            false => format!("\n- {name}"),
        };
        let more = match offered.len() - number {
            0 => String::new(),
            1 => "\n1 more is not listed here.".to_owned(),
            more => format!("\n{more} more are not listed here."),
        };
        REMOTE.to_owned() + &offered.iter().take(number).map(line).collect::<String>() + &more
    };
    let full = Some(drawn(offered.len(), true)).filter(&fits);
    let names = || (1..=offered.len()).rev().map(|number| drawn(number, false));
    let none =
        || format!("Other MCP servers offer {}, which this list has no room to name.", count(offered.len(), "skill"));
    full.or_else(|| names().find(&fits)).or_else(|| Some(none()).filter(&fits)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_says_of_a_skill_is_one_plain_line() {
        let said = in_short("Reads\n\n- mcp:docs/forged: x\u{1b}[2J\u{202e}\u{e0041}\u{200b}\u{2028}end");
        assert_eq!(said, "Reads - mcp:docs/forged: x\\u{1b}[2J\\u{202e}\\u{e0041}\\u{200b}\\u{2028}end");
        assert_eq!(in_short(&"\u{7}".repeat(5000)).chars().count(), ABOUT_MAX + 1);
    }

    #[test]
    fn the_list_of_servers_skills_gets_shorter_step_by_step() {
        let offered: Vec<(String, String)> =
            (0..9).map(|number| (format!("mcp:docs/{number}"), "what it is for".to_owned())).collect();
        let full = lines(&offered, None);
        assert!(full.contains("- mcp:docs/8: what it is for") && !full.contains("more are"), "{full}");
        let names = lines(&offered, Some(full.len() - 1));
        assert!(names.contains("- mcp:docs/8") && !names.contains("what it is for"), "{names}");
        let some = lines(&offered, Some(names.len() - 1));
        assert!(some.contains("- mcp:docs/0") && some.ends_with("more are not listed here."), "{some}");
        let one = REMOTE.len() + "\n- mcp:docs/0\n8 more are not listed here.".len();
        assert!(lines(&offered, Some(one)).ends_with(":\n- mcp:docs/0\n8 more are not listed here."));
        let none = "Other MCP servers offer 9 skills, which this list has no room to name.";
        assert_eq!(lines(&offered, Some(one - 1)), none);
        assert_eq!(lines(&offered, Some(none.len() - 1)), "");
        for room in 0..full.len() {
            assert!(lines(&offered, Some(room)).len() <= room);
        }
    }
}
