//! The HTTP face: routes, and what they share.

mod activations;
mod archive;
mod change;
mod events;
pub(crate) mod extract;
mod files;
mod home_page;
mod html;
mod id;
mod look;
mod metrics;
mod openapi;
mod opencode_compat;
mod published;
mod redact;
mod remote;
mod response;
mod route;
mod routes;
mod search;
mod skills;
mod status;
mod well_known;

use std::path::PathBuf;
use std::sync::Arc;

use axum::Router;
use axum::middleware;
use http::StatusCode;
use openoxide_wire::ProblemLine;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, NotForContentType, Predicate as _};

use self::activations::Activations;
use self::files::{AskedFile, KeptFile};
use self::published::Packed;
use self::redact::Redactor;
use self::response::{EncodedResponse, Kept};
use crate::answer::{Failure, Hide, name_failures};
use crate::engine::Engine;
use crate::mcp::{McpHttp, http_service};
use crate::still::{Activation, Asked, Still};

pub use self::openapi::openapi;
pub(crate) use self::response::hex;

/// What is packed already.
const PACKED: NotForContentType = NotForContentType::const_new("application/gzip");

/// How skills are served.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// Whether skills are published at `/.well-known/agent-skills/` and `/.well-known/skills/`.
    pub well_known: bool,
    /// How MCP is served at `/mcp`; it ends when the engine does.
    pub mcp: McpHttp,
    /// The file with the token that whoever says yes has to show, if there is one.
    pub token_file: Option<PathBuf>,
}

impl Default for HttpOptions {
    fn default() -> HttpOptions {
        HttpOptions { well_known: true, mcp: McpHttp::default(), token_file: None }
    }
}

/// What every route stands on. It is cheap to clone.
#[derive(Clone)]
pub(crate) struct Http {
    inner: Arc<Inner>,
}

struct Inner {
    engine: Engine,
    served: HttpOptions,
    activations: Activations,
    kept: Kept,
    still: Still<Asked, Activation>,
    files: Still<AskedFile, KeptFile>,
    packed: Packed,
    document: EncodedResponse,
}

/// The next step of whoever is lost.
const ALL_ROUTES: &str = "`GET /docs` has every address for people, `GET /openapi.json` for programs";

/// Makes the routes. Who may ask, and how much, is settled before a request comes here; [`Peer`] among the request's
/// extensions says where it comes from.
///
/// [`Peer`]: crate::Peer
pub fn router(engine: Engine, served: HttpOptions) -> Router {
    // What has begun is finished: a call that is under way is not an error.
    let mcp = McpHttp { stop: engine.stopping().last_token(), ..served.mcp.clone() };
    let mcp = http_service(engine.clone(), mcp);
    let (activations, kept, packed) = (Activations::default(), Kept::default(), Packed::default());
    let (still, files) = (Still::default(), Still::default());
    let inner = Inner { engine, served, activations, kept, still, files, packed, document: status::written() };
    let http = Http { inner: Arc::new(inner) };
    let hide: Hide = Arc::new({
        let http = http.clone();
        move |line| http.hide(line)
    });
    let mut router = Router::new();
    for route in routes::all() {
        router = router.route(route.path, route.handler);
    }
    router
        .fallback(|| async {
            Failure::new(StatusCode::NOT_FOUND, "no-route", "there is nothing at this address").help(ALL_ROUTES)
        })
        .method_not_allowed_fallback(|| async {
            let text = "this address does not know the method";
            Failure::new(StatusCode::METHOD_NOT_ALLOWED, "no-method", text).help(ALL_ROUTES)
        })
        .with_state(http)
        .layer(middleware::from_fn_with_state(hide, name_failures))
        .layer(CompressionLayer::new().compress_when(DefaultPredicate::new().and(PACKED)))
        .layer(middleware::from_fn(response::encoded))
        .merge(mcp)
}

impl Http {
    pub(crate) fn engine(&self) -> &Engine {
        &self.inner.engine
    }

    /// Takes the folders of the place that is served out of a finding; whoever is elsewhere can ask for no other.
    fn hide(&self, line: &mut ProblemLine) {
        let engine = self.engine();
        if let Some(state) = engine.live().cached(engine.here()) {
            Redactor::new(&state).hide_line(line);
        }
    }

    pub(crate) fn served(&self) -> &HttpOptions {
        &self.inner.served
    }

    pub(crate) fn activations(&self) -> &Activations {
        &self.inner.activations
    }

    pub(crate) fn kept(&self) -> &Kept {
        &self.inner.kept
    }

    pub(crate) fn still(&self) -> &Still<Asked, Activation> {
        &self.inner.still
    }

    pub(crate) fn files(&self) -> &Still<AskedFile, KeptFile> {
        &self.inner.files
    }

    pub(crate) fn packed(&self) -> &Packed {
        &self.inner.packed
    }

    pub(crate) fn document(&self) -> &EncodedResponse {
        &self.inner.document
    }
}
