//! Serves skills over HTTP: assembles the routes and what surrounds all of them.

mod activations;
mod change;
mod events;
mod extract;
mod files;
mod home_page;
mod html;
mod json_response;
mod login;
mod look;
mod openapi;
mod opencode_compat;
mod outcome;
mod questions;
mod redact;
mod response;
mod response_cache;
mod route;
mod routes;
mod skills;
mod state;
mod status;
mod streamed_file;
mod waiting;
mod well_known;

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::routing::{get, post};
use axum::{Router, response::Response};
use http::StatusCode;
use openoxide_app::publish::PublishedCache;
use tokio::sync::Semaphore;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, NotForContentType, Predicate as _};

// What the files of this room use of each other.
use self::extract::{Body, HttpContext, Location, NoQuery, Path, Query};
use self::response::{EncodedResponse, JSON};
use self::response_cache::{CacheKey, CachedResponse, Dependencies, ResponseCache};
use self::{
    html::Page,
    redact::Redactor,
    state::{HttpState, NamedConversations},
};
use crate::ingress::hold_answers;
use crate::mcp::{McpHttp, http_service};
use crate::{Engine, Failure, Peer, RequestId, answer::Result};

pub use self::openapi::openapi;
pub use self::state::{HttpOptions, Login};

/// Archives are compressed already.
const COMPRESSED: NotForContentType = NotForContentType::const_new("application/gzip");

/// How many answers of what is published are made at once.
const PUBLISHING: usize = 2;

/// The next step for a client that asked for an unknown route.
const ALL_ROUTES: &str = "`GET /docs` has every address for people, `GET /openapi.json` for programs";

/// Makes the routes.
///
/// The ingress decides before them who may ask, and how much. A request carries its [`Peer`] among its extensions.
pub fn router(engine: Engine, options: HttpOptions) -> Router {
    // MCP calls that are under way may finish, so they end with the last token and not with the first.
    let mcp = McpHttp { stop: engine.stopping().over.clone(), ..options.mcp.clone() };
    let mcp = http_service(engine.clone(), mcp);
    // The description never changes, so it is encoded once.
    let document = EncodedResponse::new(serde_json::to_vec(&openapi()).unwrap_or_default(), JSON);
    let (cache, published) = (ResponseCache::default(), PublishedCache::default());
    let (large, publishing) = (Semaphore::new(state::LARGE), Semaphore::new(PUBLISHING));
    let state = Arc::new(HttpState {
        engine,
        options,
        cache,
        published,
        conversations: NamedConversations::default(),
        large,
        publishing,
        document,
    });
    let mut router = Router::new();
    for route in routes::all() {
        router = router.route(route.path, route.handler);
    }
    router
        // These two are for the user's browser, and no part of what programs use.
        .route("/open/{code}", get(login::open))
        .route("/questions/{handle}", post(questions::answer))
        // A folder is called with a slash at its end, too.
        .route("/v1/skills/{id}/files/", get(files::top))
        .fallback(|| async {
            Failure::new(StatusCode::NOT_FOUND, "no-route", "there is nothing at this address").help(ALL_ROUTES)
        })
        .method_not_allowed_fallback(|| async {
            let text = "this address does not know the method";
            Failure::new(StatusCode::METHOD_NOT_ALLOWED, "no-method", text).help(ALL_ROUTES)
        })
        .with_state(Arc::clone(&state))
        .layer(from_fn_with_state(state, name_failures))
        // What is compressed is held until its client has read it.
        .layer(from_fn(hold_answers))
        .layer(CompressionLayer::new().compress_when(DefaultPredicate::new().and(COMPRESSED)))
        .layer(from_fn(response::tag_compressed))
        .merge(mcp)
}

/// Adds the request's id to a failure, and redacts its paths for a remote client.
async fn name_failures(State(state): State<Arc<HttpState>>, request: Request, next: Next) -> Response {
    let id = request.extensions().get::<RequestId>().cloned();
    let peer = request.extensions().get::<Peer>().copied().unwrap_or_default();
    let mut response = next.run(request).await;
    let Some(mut failure) = response.extensions_mut().remove::<Failure>() else { return response };
    // A remote client can name no other place than the one that is served.
    if peer == Peer::Remote
        && let Some(snapshot) = state.engine.live.cached(&state.engine.here)
    {
        Redactor::new(&snapshot).redact_problem(&mut failure.line);
    }
    let mut named = failure.response(id.as_ref());
    // Headers that were added on the way, such as the methods that are allowed, stay.
    let added = response.headers().iter().filter(|(name, _)| !named.headers().contains_key(*name));
    let added: Vec<_> = added.map(|(name, value)| (name.clone(), value.clone())).collect();
    named.headers_mut().extend(added);
    named
}
