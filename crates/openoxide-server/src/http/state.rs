//! Holds what all routes share: the engine, the options and the caches.

use std::path::PathBuf;
use std::sync::Arc;

use openoxide_app::publish::PublishedCache;
use openoxide_wire::ProblemLine;

use super::redact::Redactor;
use super::response::EncodedResponse;
use super::response_cache::ResponseCache;
use crate::engine::Engine;
use crate::mcp::McpHttp;

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

/// What all routes share. It is cheap to clone.
#[derive(Clone)]
pub(crate) struct HttpState {
    inner: Arc<Inner>,
}

struct Inner {
    engine: Engine,
    options: HttpOptions,
    cache: ResponseCache,
    published: PublishedCache,
    document: EncodedResponse,
}

impl HttpState {
    /// Makes the state; `document` is the response that describes the routes.
    pub(crate) fn new(engine: Engine, options: HttpOptions, document: EncodedResponse) -> HttpState {
        let (cache, published) = (ResponseCache::default(), PublishedCache::default());
        HttpState { inner: Arc::new(Inner { engine, options, cache, published, document }) }
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.inner.engine
    }

    pub(crate) fn options(&self) -> &HttpOptions {
        &self.inner.options
    }

    pub(crate) fn cache(&self) -> &ResponseCache {
        &self.inner.cache
    }

    pub(crate) fn published(&self) -> &PublishedCache {
        &self.inner.published
    }

    pub(crate) fn document(&self) -> &EncodedResponse {
        &self.inner.document
    }

    /// Redacts the folders of the place that is served, the only one that a remote client can name.
    pub(crate) fn redact(&self, problem: &mut ProblemLine) {
        let engine = self.engine();
        if let Some(snapshot) = engine.live().cached(engine.here()) {
            Redactor::new(&snapshot).redact_problem(problem);
        }
    }
}
