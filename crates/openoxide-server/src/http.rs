//! The HTTP face: routes, and what they share.

mod activations;
mod asked;
mod files;
mod hidden;
mod id;
mod reply;
mod route;
mod routes;
mod skills;
mod status;

use std::sync::Arc;

use axum::Router;
use axum::middleware;
use http::StatusCode;

use self::activations::Activations;
use self::reply::Kept;
use crate::answer::{Failure, name_failures};
use crate::engine::Engine;

/// How skills are served.
#[derive(Clone, Debug, Default)]
pub struct Served {}

/// What every route stands on. It is cheap to clone.
#[derive(Clone)]
pub(crate) struct Http {
    inner: Arc<Inner>,
}

struct Inner {
    engine: Engine,
    served: Served,
    activations: Activations,
    kept: Kept,
}

/// Makes the routes. Who may ask, and how much, is settled before a request comes here; [`Peer`] among the request's
/// extensions says where it comes from.
///
/// [`Peer`]: crate::Peer
pub fn router(engine: Engine, served: Served) -> Router {
    let http =
        Http { inner: Arc::new(Inner { engine, served, activations: Activations::default(), kept: Kept::default() }) };
    let mut router = Router::new();
    for route in routes::all() {
        router = router.route(route.path, route.handler);
    }
    router
        .fallback(|| async { Failure::new(StatusCode::NOT_FOUND, "no-route", "there is nothing at this address") })
        .method_not_allowed_fallback(|| async {
            Failure::new(StatusCode::METHOD_NOT_ALLOWED, "no-method", "this address does not know the method")
        })
        .with_state(http)
        .layer(middleware::from_fn(name_failures))
        .layer(tower_http::compression::CompressionLayer::new())
        .layer(middleware::from_fn(reply::encoded_tags))
}

impl Http {
    pub(crate) fn engine(&self) -> &Engine {
        &self.inner.engine
    }

    pub(crate) fn served(&self) -> &Served {
        &self.inner.served
    }

    pub(crate) fn activations(&self) -> &Activations {
        &self.inner.activations
    }

    pub(crate) fn kept(&self) -> &Kept {
        &self.inner.kept
    }
}
