//! Holds what all routes share: the engine, the options and the caches.

use std::{path::PathBuf, sync::Arc};

use openoxide_app::publish::PublishedCache;

use super::{EncodedResponse, response_cache::ResponseCache};
use crate::{BrowserSessions, Engine, OneTimeLinks, mcp::McpHttp};

/// Options of the HTTP routes.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// Whether skills are published at `/.well-known/agent-skills/` and `/.well-known/skills/`.
    pub well_known: bool,
    /// Options of MCP at `/mcp`; its sessions end with the engine.
    pub mcp: McpHttp,
    /// How the user opens a browser session to approve; absent: this server takes no approvals.
    pub login: Option<Login>,
    /// The folders that a client can name, whole and without links; absent: any.
    pub projects: Option<Vec<PathBuf>>,
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
        HttpOptions { well_known: true, mcp: McpHttp::default(), login: None, projects: None }
    }
}

pub(crate) struct HttpState {
    pub(crate) engine: Engine,
    pub(crate) options: HttpOptions,
    pub(crate) cache: ResponseCache,
    pub(crate) published: PublishedCache,
    /// The response that describes the routes.
    pub(crate) document: EncodedResponse,
}
