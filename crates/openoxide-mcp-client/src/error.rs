//! The reasons why a server or one of its skills cannot be used.
//!
//! A server's own words in them are cut and escaped.

use openoxide_runtime::RemoteName;

use crate::server_text::said;

/// Why a server or a skill of it cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RemoteError {
    /// No server has this name.
    #[error("no MCP server is called `{server}`")]
    UnknownServer {
        /// What was asked for.
        server: String,
        /// The servers that there are.
        known: Vec<String>,
    },
    /// The server is switched off in the settings.
    #[error("the MCP server `{0}` is switched off")]
    SwitchedOff(String),
    /// The server cannot be started, reached or understood.
    #[error("the MCP server `{server}` cannot be used: {why}")]
    Unreachable {
        /// The server.
        server: String,
        /// Why.
        why: String,
        /// The last line of what it complained about. It may hold secrets, so that it is for the user's terminal alone.
        complaint: Option<String>,
    },
    /// The server wants to know who asks.
    #[error("the MCP server `{server}` {}", if *with_token { "does not take the token" } else { "wants a login" })]
    Login {
        /// The server.
        server: String,
        /// Whether it was shown a token.
        with_token: bool,
    },
    /// The token that it is to be shown is not there.
    #[error("the MCP server `{server}` is not asked: {why}")]
    NoToken {
        /// The server.
        server: String,
        /// What is missing.
        why: String,
    },
    /// The server did not answer in time.
    #[error("the MCP server `{server}` did not answer `{method}` within {seconds} s")]
    TimedOut {
        /// The server.
        server: String,
        /// What it was asked.
        method: String,
        /// How long it was waited for.
        seconds: u64,
    },
    /// The server offers no skills at all.
    #[error("the MCP server `{0}` offers no skills")]
    NoSkills(String),
    /// The server answered with an error.
    #[error("the MCP server `{server}` refused `{method}`: {why}")]
    Refused {
        /// The server.
        server: String,
        /// What it was asked.
        method: String,
        /// What it said.
        why: String,
    },
    /// The server's answer is not of the standard's form.
    #[error("the MCP server `{server}` answered `{method}` wrongly: {why}")]
    BadAnswer {
        /// The server.
        server: String,
        /// What it was asked.
        method: String,
        /// What is wrong.
        why: String,
    },
    /// The server lists more than is taken.
    #[error("the MCP server `{server}` lists too much: {why}")]
    Endless {
        /// The server.
        server: String,
        /// What was reached.
        why: String,
    },
    /// An entry is not of the standard's form.
    #[error("`{skill}` of the MCP server `{server}` is not loaded: {why}")]
    Entry {
        /// The server.
        server: String,
        /// The skill's address, as the server has it.
        skill: String,
        /// What is wrong.
        why: String,
    },
    /// The server has no such skill.
    #[error("the MCP server `{server}` has no skill `{wanted}`")]
    UnknownSkill {
        /// The server.
        server: String,
        /// What was asked for.
        wanted: String,
        /// What is called like it.
        near: Option<String>,
    },
    /// Several skills of the server have the name.
    #[error("several skills of the MCP server `{server}` are called `{wanted}`")]
    Ambiguous {
        /// The server.
        server: String,
        /// What was asked for.
        wanted: String,
        /// What means one of them.
        names: Vec<String>,
    },
    /// What arrived is not what was listed.
    #[error("`{file}` is not used: {why}")]
    Unverified {
        /// The file, the server included.
        file: String,
        /// What is wrong.
        why: String,
    },
}

impl RemoteError {
    pub(crate) fn unreachable(server: &str, why: &str) -> RemoteError {
        RemoteError::Unreachable { server: server.to_owned(), why: said(why), complaint: None }
    }

    pub(crate) fn unknown(name: &RemoteName) -> RemoteError {
        RemoteError::UnknownSkill { server: name.server.clone(), wanted: name.wanted.clone(), near: None }
    }

    /// Returns the stable word for the error.
    pub fn word(&self) -> &'static str {
        match self {
            RemoteError::UnknownServer { .. } => "unknown-server",
            RemoteError::SwitchedOff(_) => "switched-off",
            RemoteError::Unreachable { .. } => "unreachable",
            RemoteError::Login { .. } => "login",
            RemoteError::NoToken { .. } => "no-token",
            RemoteError::TimedOut { .. } => "timed-out",
            RemoteError::NoSkills(_) => "no-skills",
            RemoteError::Refused { .. } => "refused",
            RemoteError::BadAnswer { .. } => "bad-answer",
            RemoteError::Endless { .. } => "endless",
            RemoteError::Entry { .. } => "bad-entry",
            RemoteError::UnknownSkill { .. } => "unknown",
            RemoteError::Ambiguous { .. } => "ambiguous",
            RemoteError::Unverified { .. } => "unverified",
        }
    }

    /// Returns the next step.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            RemoteError::UnknownServer { known, .. } if known.is_empty() => {
                "servers are named in your own config.toml, as `[mcp.servers.NAME]`".to_owned()
            }
            RemoteError::UnknownServer { known, .. } => format!("there are `{}`", known.join("`, `")),
            RemoteError::SwitchedOff(server) => {
                format!("to use it, set `mcp.servers.{server}.enabled` to true in your config.toml")
            }
            RemoteError::Login { with_token: true, .. } => "it may have ended, or be another server's".to_owned(),
            RemoteError::Login { server, .. } => format!(
                "if you have a token, name the variable that holds it as `mcp.servers.{server}.token_env`, or its file as \
                 `token_file`; other ways to log in are not supported yet"
            ),
            RemoteError::NoToken { server, .. } => {
                format!("`mcp.servers.{server}` in your config.toml says where the token is")
            }
            RemoteError::UnknownSkill { near: Some(near), .. } => format!("did you mean `{near}`?"),
            RemoteError::UnknownSkill { .. } => "`openoxide list --mcp` shows what servers offer".to_owned(),
            RemoteError::Ambiguous { names, .. } => format!("say which: `{}`", names.join("`, `")),
            RemoteError::Unverified { .. } => {
                "it may have changed since it was listed: try again, and if it stays, do not trust the server"
                    .to_owned()
            }
            RemoteError::Entry { .. } | RemoteError::BadAnswer { .. } | RemoteError::Endless { .. } => {
                "tell whoever runs the server".to_owned()
            }
            RemoteError::Unreachable { .. }
            | RemoteError::TimedOut { .. }
            | RemoteError::NoSkills(_)
            | RemoteError::Refused { .. } => return None,
        })
    }
}
