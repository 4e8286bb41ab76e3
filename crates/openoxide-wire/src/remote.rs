//! Skills of MCP servers, and the problems with them.

use crate::{JsonSchema, SchemaVersion, Serialize};

/// A skill that a server offers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RemoteLine {
    /// What it is called by: `mcp:SERVER/PATH`.
    pub name: String,
    /// What the user's settings call the server.
    pub server: String,
    /// The address of its own file there.
    pub uri: String,
    /// What it is for.
    pub description: String,
    /// How many files it has; absent where the server makes them up as they are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<usize>,
    /// How many bytes they have together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// The digest of all of them: the user's yes is for these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Whether the user said yes to exactly these files.
    pub allowed: bool,
    /// Whether the user said yes before, and they have changed since.
    pub changed: bool,
    /// Whether its author lets the model call it.
    pub model: bool,
    /// Whether its author lets the user call it.
    pub user: bool,
}

/// What is wrong with a server or with something that it offers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RemoteProblemLine {
    /// What is wrong, as a word that does not change: `unreachable`, `timed-out`, `bad-entry` and so on.
    pub why: String,
    /// What is said.
    pub text: String,
    /// The next step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// What servers offer, and what of it cannot be used.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RemotesAnswer {
    /// The version of the format.
    pub schema: SchemaVersion,
    /// Skills, by server and address. Each is called by its whole name, `mcp:SERVER/NAME`.
    pub skills: Vec<RemoteLine>,
    /// What is wrong with servers and with what they offer.
    pub problems: Vec<RemoteProblemLine>,
}

/// Everything that is known of a server's skill before it is loaded.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RemoteAnswer {
    /// The version of the format.
    pub schema: SchemaVersion,
    /// The skill.
    pub remote: RemoteLine,
    /// Its files, by path; none where the server makes them up as they are asked for.
    pub files: Vec<RemoteFileLine>,
}

/// A file that a server lists for a skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RemoteFileLine {
    /// Its path in the skill's folder.
    pub path: String,
    /// How many bytes it has.
    pub size: u64,
    /// The digest of its bytes.
    pub digest: String,
}
