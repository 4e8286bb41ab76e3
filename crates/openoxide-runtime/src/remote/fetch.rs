//! Requests to MCP servers and their replies, as values between the runtime and a client.

use std::{any::Any, fmt, sync::Arc};

use openoxide_skills::host::Caller;

use crate::{RefusalReason, RemoteName, Runtime};

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
#[derive(Clone, Debug)]
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
#[derive(Clone, Debug)]
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
#[derive(Debug)]
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
    pub(crate) fn new(runtime: &Arc<Runtime>, request: FetchRequest) -> Fetch {
        Fetch { runtime: Arc::clone(runtime), request }
    }

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

impl fmt::Debug for Fetch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Fetch").field(&self.request).finish()
    }
}

impl FetchError {
    fn new(why: RefusalReason, word: &'static str, text: String) -> FetchError {
        FetchError { why, word, text, complaint: None, help: None }
    }

    /// Says that no server is configured.
    pub fn no_servers(server: &str) -> FetchError {
        let text = format!("no MCP server is called `{server}`");
        let help = Some("servers are named in your own config.toml, as `[mcp.servers.NAME]`".to_owned());
        FetchError { help, ..FetchError::new(RefusalReason::Unknown, "unknown-server", text) }
    }

    /// Says that the server has no such skill.
    pub fn unknown_skill(name: &RemoteName) -> FetchError {
        let text = format!("the MCP server `{}` has no skill `{}`", name.server, name.wanted);
        let help = Some("`openoxide list --mcp` shows what servers offer".to_owned());
        FetchError { help, ..FetchError::new(RefusalReason::Unknown, "unknown", text) }
    }

    /// Says that a server cannot be reached at all.
    pub fn unreachable(server: &str, why: &str) -> FetchError {
        let text = format!("the MCP server `{server}` cannot be used: {why}");
        FetchError::new(RefusalReason::Unreadable, "unreachable", text)
    }

    /// Says that the driver replied to something else.
    pub(crate) fn not_asked(server: &str) -> FetchError {
        let text = format!("the MCP server `{server}` was not asked");
        FetchError::new(RefusalReason::Unreadable, "unreachable", text)
    }

    /// Returns the text for the user's own terminal, with what the server's program complained about.
    pub fn in_terminal(&self) -> String {
        match &self.complaint {
            Some(complaint) => format!("{}: {complaint}", self.text),
            None => self.text.clone(),
        }
    }
}
