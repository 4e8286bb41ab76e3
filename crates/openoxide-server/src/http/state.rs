//! Holds what all routes share: the engine, the options and the caches.

use std::sync::Arc;

use openoxide_app::{Place, publish::PublishedCache};

use tokio::sync::Semaphore;

use super::{EncodedResponse, response_cache::ResponseCache};
use crate::{
    BrowserSessions, ClientProgram, Conversation, Engine, Identity, OneTimeLinks, connect::Here,
    conversations::Conversations, mcp::McpHttp, shares::Shares,
};

/// How many conversations of the user are remembered, whatever programs do.
const USER_CONVERSATIONS: Shares = Shares { all: 64, each: 64 };

/// How many conversations of programs are remembered.
const PROGRAM_CONVERSATIONS: Shares = Shares { all: 192, each: 64 };

/// How many large files are read at once.
pub(super) const LARGE: usize = 2;

/// Options of the HTTP routes.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// Whether skills are published at `/.well-known/agent-skills/` and `/.well-known/skills/`.
    pub well_known: bool,
    /// Options of MCP at `/mcp`; its sessions end with the engine.
    pub mcp: McpHttp,
    /// How the user opens a browser session to approve; absent: this server takes no approvals.
    pub login: Option<Login>,
    /// The projects that the server was started for. Commands read them; a folder that only a program names, they do not.
    pub served: Vec<Place>,
    /// Whether a client can name no other folders than theirs.
    pub only_served: bool,
    /// What connects an agent on this machine.
    pub here: Here,
}

/// How a person comes in: a one-time link opens a browser session.
#[derive(Clone, Debug)]
pub struct Login {
    /// The links of this server.
    pub links: OneTimeLinks,
    /// The sessions that they open, which the ingress knows too.
    pub sessions: Arc<BrowserSessions>,
}

impl Default for HttpOptions {
    fn default() -> HttpOptions {
        let (mcp, served, here) = (McpHttp::default(), Vec::new(), Here::default());
        HttpOptions { well_known: true, mcp, login: None, served, only_served: false, here }
    }
}

/// Conversations that clients named: those of the user, and those of programs.
pub(crate) struct NamedConversations {
    of_user: Conversations<ClientProgram>,
    of_programs: Conversations<(Identity, ClientProgram)>,
}

impl Default for NamedConversations {
    fn default() -> NamedConversations {
        let of_programs = Conversations::new(PROGRAM_CONVERSATIONS);
        NamedConversations { of_user: Conversations::new(USER_CONVERSATIONS), of_programs }
    }
}

impl NamedConversations {
    /// Returns a client's conversation of this name.
    pub(crate) fn get(&self, identity: Identity, program: ClientProgram, name: &str) -> Conversation {
        match identity {
            Identity::Person => self.of_user.get(program, name),
            Identity::Program | Identity::Anonymous => self.of_programs.get((identity, program), name),
        }
    }
}

pub(crate) struct HttpState {
    pub(crate) engine: Engine,
    pub(crate) options: HttpOptions,
    pub(crate) cache: ResponseCache,
    pub(crate) published: PublishedCache,
    pub(crate) conversations: NamedConversations,
    /// Turns to read large files.
    pub(crate) large: Semaphore,
    /// Turns to pack and read what is published, which everyone may ask for.
    pub(crate) publishing: Semaphore,
    /// The response that describes the routes.
    pub(crate) document: EncodedResponse,
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue, header::USER_AGENT};

    use super::*;

    #[test]
    fn programs_take_no_conversation_from_the_user() {
        let known = NamedConversations::default();
        let user = Arc::downgrade(&known.get(Identity::Person, ClientProgram::default(), "x"));
        for number in 0..300 {
            let headers = HeaderMap::from_iter([(USER_AGENT, HeaderValue::from(number % 10))]);
            let program = ClientProgram::of(&http::Extensions::new(), &headers);
            drop(known.get(Identity::Program, program, &number.to_string()));
        }
        assert!(user.upgrade().is_some());
    }
}
