//! Requests to MCP servers and their replies, as values between the runtime and a client.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use openoxide_skills::host::Caller;

use super::name::RemoteName;
use crate::call::RefusalReason;
use crate::runtime::Runtime;

/// A skill that a server offers, as far as a decision needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteOffer {
    /// Its whole name, the server included.
    pub name: String,
    /// What the user's settings call the server.
    pub server: String,
    /// The address of its `SKILL.md` there.
    pub uri: String,
    /// Its description.
    pub about: String,
    /// How many files it has, and how many bytes; absent where the server generates them on demand.
    pub size: Option<(usize, u64)>,
    /// The digest of all of them.
    pub digest: Option<String>,
    /// Whether its author lets this caller call it.
    pub callable: bool,
}

/// A skill of a server that a caller asked for, as the server listed it at that moment.
#[derive(Clone)]
pub struct RemoteSkill {
    /// What decisions about it need, for the caller.
    pub offer: RemoteOffer,
    /// The name in its frontmatter.
    pub name: String,
    /// Its files, by path; absent where the server generates them on demand.
    pub files: Option<Vec<RemoteFile>>,
    /// Whether its author lets the model call it.
    pub model: bool,
    /// Whether its author lets the user call it.
    pub user: bool,
    /// What the client of the server knows it by. It is handed back to the client unread, so that what the user
    /// approves is exactly what is fetched.
    pub handle: Arc<dyn Any + Send + Sync>,
}

/// A file that a server lists for a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteFile {
    /// Its path in the skill's folder.
    pub path: String,
    /// How many bytes it has.
    pub size: u64,
    /// The digest of its bytes.
    pub digest: String,
}

/// Something that only a server knows.
#[derive(Clone)]
pub struct Fetch {
    /// Whose rules decide which skills the caller may know of.
    pub runtime: Arc<Runtime>,
    /// What is wanted.
    pub request: FetchRequest,
}

/// What is wanted of a server.
#[derive(Clone)]
pub enum FetchRequest {
    /// What every server offers.
    List,
    /// The skill that a name means to a caller. To the model, skills that it may not call do not exist.
    Find {
        /// The name.
        name: RemoteName,
        /// Who asks.
        caller: Caller,
        /// Whether the name may go on with the path of a file in the skill.
        with_path: bool,
    },
    /// The text of the skill's `SKILL.md`, verified against the listing.
    Manifest(RemoteSkill),
    /// A file of the skill, verified against the listing.
    File(RemoteSkill, String),
    /// The paths of its files.
    Files(RemoteSkill),
}

/// What a server has.
pub enum Fetched {
    /// What every server offers, and what of it cannot be used.
    Listing(Vec<RemoteSkill>, Vec<FetchError>),
    /// The skill, and the path that its name went on with.
    Skill(Box<RemoteSkill>, Option<String>),
    /// A file.
    Bytes(Vec<u8>),
    /// Paths of files.
    Files(Vec<String>),
}

/// What comes back.
pub type FetchReply = Result<Fetched, FetchError>;

/// Why a server, or what it offers, cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct FetchError {
    /// What a call is refused for.
    pub why: RefusalReason,
    /// The stable word.
    pub word: &'static str,
    /// What happened. A server's own words in it are cut and escaped.
    pub text: String,
    /// What the server's program complained about. It may hold secrets, so it is for the user's own terminal alone.
    pub complaint: Option<String>,
    /// The next step.
    pub help: Option<String>,
}

impl RemoteSkill {
    /// Returns what stands for the path of a file in the skill's folder; the server is part of it.
    pub fn place(&self, file: &str) -> String {
        format!("{}/{file}", self.offer.name)
    }
}

impl Fetch {
    /// Returns the name of the server that is asked; empty where all of them are.
    pub fn server(&self) -> &str {
        match &self.request {
            FetchRequest::List => "",
            FetchRequest::Find { name, .. } => &name.server,
            FetchRequest::Manifest(skill) | FetchRequest::File(skill, _) | FetchRequest::Files(skill) => {
                &skill.offer.server
            }
        }
    }
}

impl FetchError {
    /// Says that no server is configured.
    pub fn no_servers(server: &str) -> FetchError {
        FetchError {
            why: RefusalReason::Unknown,
            word: "unknown-server",
            text: format!("no MCP server is called `{server}`"),
            complaint: None,
            help: Some("servers are named in your own config.toml, as `[mcp.servers.NAME]`".to_owned()),
        }
    }

    /// Says that the server has no such skill.
    pub fn unknown_skill(name: &RemoteName) -> FetchError {
        FetchError {
            why: RefusalReason::Unknown,
            word: "unknown",
            text: format!("the MCP server `{}` has no skill `{}`", name.server, name.wanted),
            complaint: None,
            help: Some("`openoxide list --mcp` shows what servers offer".to_owned()),
        }
    }

    /// Says that a server cannot be reached at all.
    pub fn unreachable(server: &str, why: &str) -> FetchError {
        let text = format!("the MCP server `{server}` cannot be used: {why}");
        FetchError { why: RefusalReason::Unreadable, word: "unreachable", text, complaint: None, help: None }
    }

    /// Returns the text for the user's own terminal, with what the server's program complained about.
    pub fn in_terminal(&self) -> String {
        match &self.complaint {
            Some(complaint) => format!("{}: {complaint}", self.text),
            None => self.text.clone(),
        }
    }

    /// Says that the driver replied to something else.
    pub(crate) fn not_asked(server: &str) -> FetchError {
        FetchError {
            why: RefusalReason::Unreadable,
            word: "unreachable",
            text: format!("the MCP server `{server}` was not asked"),
            complaint: None,
            help: None,
        }
    }
}

impl fmt::Debug for RemoteSkill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteSkill").field("offer", &self.offer).finish_non_exhaustive()
    }
}

impl fmt::Debug for Fetch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Fetch").field(&self.request).finish()
    }
}

impl fmt::Debug for FetchRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FetchRequest::List => f.write_str("List"),
            FetchRequest::Find { name, caller, .. } => write!(f, "Find({name}, {})", caller.as_str()),
            FetchRequest::Manifest(skill) => write!(f, "Manifest({})", skill.offer.name),
            FetchRequest::File(skill, path) => write!(f, "File({}, {path})", skill.offer.name),
            FetchRequest::Files(skill) => write!(f, "Files({})", skill.offer.name),
        }
    }
}

impl fmt::Debug for Fetched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fetched::Listing(skills, problems) => write!(f, "Listing({}, {})", skills.len(), problems.len()),
            Fetched::Skill(skill, _) => write!(f, "Skill({})", skill.offer.name),
            Fetched::Bytes(bytes) => write!(f, "Bytes({})", bytes.len()),
            Fetched::Files(files) => write!(f, "Files({})", files.len()),
        }
    }
}
