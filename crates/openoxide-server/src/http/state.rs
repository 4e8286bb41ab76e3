//! Holds what all routes share: the engine, the options and the caches.

use std::path::PathBuf;

use openoxide_app::publish::PublishedCache;

use super::{EncodedResponse, response_cache::ResponseCache};
use crate::{Engine, mcp::McpHttp};

/// Options of the HTTP routes.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// Whether skills are published at `/.well-known/agent-skills/` and `/.well-known/skills/`.
    pub well_known: bool,
    /// Options of MCP at `/mcp`; its sessions end with the engine.
    pub mcp: McpHttp,
    /// The file that holds the approval token, where the server made one.
    pub token_file: Option<PathBuf>,
}

impl Default for HttpOptions {
    fn default() -> HttpOptions {
        HttpOptions { well_known: true, mcp: McpHttp::default(), token_file: None }
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
