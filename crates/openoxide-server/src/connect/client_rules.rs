//! What a program shows its model of an MCP server: the rules of `connect.toml` for the name and version that it gives.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::CLIENTS;

/// What a program shows its model of an MCP server, and what it has to be told.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct McpRules {
    /// The names that it gives itself as a client.
    names: Vec<String>,
    /// Its limits, by version, the oldest first.
    limits: Vec<Limits>,
    /// What is in `_meta` of each tool.
    pub(crate) tool_meta: Map<String, Value>,
    /// What is in `_meta` of each result of a tool.
    pub(crate) result_meta: Map<String, Value>,
    /// How many arguments a prompt needs, if the program gives each one word of what the user types, and drops the rest.
    pub(crate) prompt_words: usize,
}

/// The most characters that a program shows, as UTF-16 counts them; absent: no limit was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Limits {
    /// The version that was measured.
    version: String,
    /// Of the server's instructions.
    pub(crate) instructions: Option<usize>,
    /// Of the description of a tool.
    pub(crate) tool: Option<usize>,
    /// Of the description of an argument.
    pub(crate) argument: Option<usize>,
    /// Of what a tool answers, where the program does not say itself how the rest can be read.
    pub(crate) result: Option<usize>,
}

/// The rules for one program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClientRules {
    /// Whatever its version.
    pub(crate) mcp: &'static McpRules,
    /// The limits of its version.
    pub(crate) limits: &'static Limits,
}

static NO_LIMITS: Limits =
    Limits { version: String::new(), instructions: None, tool: None, argument: None, result: None };

impl ClientRules {
    /// Finds the rules for a client by what it says of itself.
    pub(crate) fn of(name: &str, version: &str) -> ClientRules {
        let known =
            CLIENTS.clients.iter().map(|client| &client.mcp).find(|mcp| mcp.names.iter().any(|own| own == name));
        let mcp = known.unwrap_or(&CLIENTS.unknown);
        let version = numbers(version);
        let measured = mcp.limits.iter().rev().find(|limits| numbers(&limits.version) <= version);
        ClientRules { mcp, limits: measured.or(mcp.limits.first()).unwrap_or(&NO_LIMITS) }
    }
}

/// Returns the numbers of a version, so that versions can be compared.
fn numbers(version: &str) -> Vec<u64> {
    let number = |part: &str| part.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap_or(0);
    version.split('.').map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_measured_version_is_taken() {
        let tool = |name: &str, version: &str| ClientRules::of(name, version).limits.tool;
        let rows = [
            ("claude-code", "1.0.3", Some(2048)),
            ("claude-code", "2.1.240", Some(2048)),
            ("claude-code", "2.1.324", Some(2048)),
            ("claude-code", "2.1.325", Some(4096)),
            ("claude-code", "3.0.0-beta.1", Some(4096)),
            ("codex-mcp-client", "0.166.0", None),
            ("opencode", "", None),
            ("gemini-cli-mcp-client", "0.61.0", None),
            ("another", "9", Some(1024)),
        ];
        for (name, version, expected) in rows {
            assert_eq!(tool(name, version), expected, "{name} {version}");
        }
        assert!(ClientRules::of("claude-code", "2.1.240").mcp.prompt_words > 0);
        assert_eq!(ClientRules::of("opencode", "1.18.33").mcp.tool_meta, Map::new());
    }

    #[test]
    fn limits_are_in_the_order_of_their_versions() {
        for client in &CLIENTS.clients {
            let versions: Vec<_> = client.mcp.limits.iter().map(|limits| numbers(&limits.version)).collect();
            assert!(!versions.is_empty() && versions.is_sorted(), "{}: {versions:?}", client.name);
        }
    }
}
