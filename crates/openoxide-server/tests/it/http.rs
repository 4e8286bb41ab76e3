//! The HTTP face, without a socket.

mod activations;
mod looks;
mod served;
mod skills;
mod socket;

use axum::Router;
use axum::body::{Body, to_bytes};
use http::{HeaderMap, Request, StatusCode};
use openoxide_config::Environment;
use openoxide_live::Place;
use openoxide_server::{Engine, EngineOptions, HttpOptions, Identity, Peer, RequestId, router};
use openoxide_testkit::TestContext;
use serde_json::Value;
use tower::ServiceExt as _;

/// A server of a context's project.
pub(crate) struct Server {
    pub(crate) context: TestContext,
    pub(crate) engine: Engine,
    router: Router,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Came {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) bytes: Vec<u8>,
}

impl Came {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map(|value| value.to_str().unwrap()).unwrap_or_default()
    }
}

impl Server {
    pub(crate) fn new(context: TestContext) -> Server {
        Server::serving(context, HttpOptions::default())
    }

    pub(crate) fn serving(context: TestContext, served: HttpOptions) -> Server {
        Server::working(context, served, EngineOptions::default())
    }

    pub(crate) fn working(context: TestContext, served: HttpOptions, options: EngineOptions) -> Server {
        let engine = Engine::new(environment(&context), Place::of(context.project()), options);
        Server { context, router: router(engine.clone(), served), engine }
    }

    pub(crate) async fn get(&self, path: &str) -> Came {
        self.ask(Request::get(path).extension(Peer::Local).extension(Identity::Person).body(Body::empty()).unwrap())
            .await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Came {
        let request = Request::post(path)
            .extension(Peer::Local)
            .extension(Identity::Person)
            .header("content-type", "application/json");
        self.ask(request.body(Body::from(body.to_string())).unwrap()).await
    }

    pub(crate) async fn ask(&self, mut request: Request<Body>) -> Came {
        request.extensions_mut().insert(RequestId("r1".into()));
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = to_bytes(body, usize::MAX).await.unwrap().to_vec();
        Came { status: parts.status, headers: parts.headers, bytes }
    }
}

pub(crate) fn environment(context: &TestContext) -> Environment {
    Environment {
        cwd: context.project(),
        home: Some(context.home()),
        variables: [("PATH".to_owned(), "/usr/bin:/bin".to_owned())].into(),
        admin: context.root().join("etc"),
        ..Environment::default()
    }
}
