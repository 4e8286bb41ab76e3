//! `trust --list --json`: what the user trusts.

use crate::{JsonSchema, ProblemLine, SchemaVersion, Serialize};

/// What the user trusts.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TrustAnswer {
    /// The version of the format.
    pub schema: SchemaVersion,
    /// Trusted folders.
    pub folders: Vec<FolderLine>,
    /// Trusted sources of skills.
    pub sources: Vec<SourceLine>,
    /// Permissions of skills, each for exactly the bytes that the user saw.
    pub grants: Vec<GrantLine>,
    /// Questions that were answered with "always".
    pub answers: Vec<AnswerLine>,
    /// Skills of MCP servers that may reach the model, each for exactly what the server listed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remotes: Vec<RemoteGrantLine>,
    /// What is wrong with the files.
    pub problems: Vec<ProblemLine>,
}

/// Where something is written, since when, and how it is taken back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WrittenLine {
    /// The file and line, or what was typed.
    pub origin: String,
    /// When it was written down; settings do not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// The digits that mean it; settings have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The command that takes it back, if that is the user's to say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revoke: Option<String>,
}

/// A folder that is trusted.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FolderLine {
    /// The folder.
    pub path: String,
    /// Where that is written.
    #[serde(flatten)]
    pub written: WrittenLine,
}

/// A source that is trusted.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SourceLine {
    /// An address or the name of a registry.
    pub source: String,
    /// Where that is written.
    #[serde(flatten)]
    pub written: WrittenLine,
}

/// A permission that a skill has.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GrantLine {
    /// The skill's own file.
    pub skill: String,
    /// What it may do: `shell`, `script`, `hook`, `profile`, `tools`, `mcp`, or what another version knows.
    pub permission: String,
    /// The digest of everything in its folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// What the user was shown, word for word.
    pub shown: Vec<String>,
    /// Where that is written.
    #[serde(flatten)]
    pub written: WrittenLine,
}

/// A skill of an MCP server that may reach the model.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RemoteGrantLine {
    /// What the user's settings call the server.
    pub server: String,
    /// The address of the skill's own file there.
    pub uri: String,
    /// The digest of everything that the server listed for it.
    pub digest: String,
    /// Where that is written.
    #[serde(flatten)]
    pub written: WrittenLine,
}

/// A question that was answered with "always".
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AnswerLine {
    /// What was asked for.
    pub permission: String,
    /// What it was asked for, as a pattern.
    pub pattern: String,
    /// The skill that it was asked about: its file, or the address of a server's skill.
    pub skill: String,
    /// The agent that it was asked for; absent for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Where that is written.
    #[serde(flatten)]
    pub written: WrittenLine,
}
