//! What a program shows its model of an MCP server: the rules of `connect.toml` for the name and version that it gives.

use serde::Deserialize;
use serde_json::{Map, Value};

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

impl McpRules {
    /// Tells whether a client that gives itself this name is meant.
    pub(super) fn are_of(&self, name: &str) -> bool {
        self.names.iter().any(|own| own == name)
    }

    /// Returns the rules for one version: the limits of the newest that was measured and is no newer than it.
    pub(super) fn of_version(&'static self, version: &str) -> ClientRules {
        let version = numbers(version);
        let measured = self.limits.iter().rev().find(|limits| numbers(&limits.version) <= version);
        ClientRules { mcp: self, limits: measured.or(self.limits.first()).unwrap_or(&NO_LIMITS) }
    }

    /// Tells whether there are limits, and the oldest version comes first.
    #[cfg(test)]
    pub(super) fn are_in_order(&self) -> bool {
        !self.limits.is_empty() && self.limits.is_sorted_by_key(|limits| numbers(&limits.version))
    }
}

/// Returns the numbers of a version, so that versions can be compared.
fn numbers(version: &str) -> Vec<u64> {
    let number = |part: &str| part.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap_or(0);
    version.split('.').map(number).collect()
}
