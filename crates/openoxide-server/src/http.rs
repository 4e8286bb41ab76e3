//! Serves skills over HTTP: assembles the routes and what surrounds all of them.

mod activations;
mod change;
mod events;
mod extract;
mod files;
mod home_page;
mod html;
mod json_response;
mod look;
mod metrics;
mod openapi;
mod opencode_compat;
mod redact;
mod remote;
mod response;
mod response_cache;
mod route;
mod routes;
mod search;
mod skills;
mod state;
mod status;
mod waiting;
mod well_known;

use std::sync::Arc;

use axum::Router;
use axum::middleware;
use http::StatusCode;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, NotForContentType, Predicate as _};

use self::response::{EncodedResponse, JSON};
use self::state::HttpState;
use crate::answer::{Failure, Hide, name_failures};
use crate::engine::Engine;
use crate::mcp::{McpHttp, http_service};

pub use self::openapi::openapi;
pub use self::state::HttpOptions;

/// Archives are compressed already.
const COMPRESSED: NotForContentType = NotForContentType::const_new("application/gzip");

/// The next step for a client that asked for an unknown route.
const ALL_ROUTES: &str = "`GET /docs` has every address for people, `GET /openapi.json` for programs";

/// Makes the routes.
///
/// The ingress decides before them who may ask, and how much. A request carries its [`Peer`] among its extensions.
///
/// [`Peer`]: crate::Peer
pub fn router(engine: Engine, options: HttpOptions) -> Router {
    // MCP calls that are under way may finish, so they end with the last token and not with the first.
    let mcp = McpHttp { stop: engine.stopping().last_token(), ..options.mcp.clone() };
    let mcp = http_service(engine.clone(), mcp);
    // The description never changes, so it is encoded once.
    let document = EncodedResponse::new(serde_json::to_vec(&openapi()).unwrap_or_default(), JSON);
    let state = HttpState::new(engine, options, document);
    let redact: Hide = Arc::new({
        let state = state.clone();
        move |problem| state.redact(problem)
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
        .with_state(state)
        .layer(middleware::from_fn_with_state(redact, name_failures))
        .layer(CompressionLayer::new().compress_when(DefaultPredicate::new().and(COMPRESSED)))
        .layer(middleware::from_fn(response::tag_compressed))
        .merge(mcp)
}
