//! Holds what all routes share: the engine, the options and the caches.

use std::sync::Arc;

use openoxide_app::{Place, publish::PublishedCache};

use tokio::sync::Semaphore;

use super::{EncodedResponse, response_cache::ResponseCache};
use crate::{BrowserSessions, Engine, OneTimeLinks, Owner, connect::Here, conversations::Conversations, mcp::McpHttp};

/// How many conversations are remembered.
pub(super) const CONVERSATIONS: usize = 256;

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

pub(crate) struct HttpState {
    pub(crate) engine: Engine,
    pub(crate) options: HttpOptions,
    pub(crate) cache: ResponseCache,
    pub(crate) published: PublishedCache,
    /// Conversations that clients named.
    pub(crate) conversations: Conversations<Owner>,
    /// Turns to read large files.
    pub(crate) large: Semaphore,
    /// Turns to pack and read what is published, which everyone may ask for.
    pub(crate) publishing: Semaphore,
    /// The response that describes the routes.
    pub(crate) document: EncodedResponse,
}
