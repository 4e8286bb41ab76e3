//! Extracts the parts of a request: its client, its place, its query, its body and its path.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use axum::extract::{ConnectInfo, FromRequest, FromRequestParts, Request};
use http::header::{ACCEPT, CONTENT_TYPE};
use http::request::Parts;
use http::{HeaderMap, Method, StatusCode};
use openoxide_app::{Place, Snapshot};
use schemars::{JsonSchema, SchemaGenerator};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::state::HttpState;
use crate::answer::{ApprovalProof, Failure, Peer, RequestId};
use crate::bounded_body::{BodyError, read_body};
use crate::engine::Engine;
use crate::observe::audit::{Actor, Face};

/// Most bytes of a body.
const BODY_MAX: usize = 1024 * 1024;

/// Who asks, of whom, and what is held already.
pub(crate) struct HttpContext {
    pub(crate) http: HttpState,
    /// The engine, as whoever asks uses it.
    pub(crate) engine: Engine,
    pub(crate) peer: Peer,
    /// Whether whoever asks has shown the token.
    pub(crate) proven: ApprovalProof,
    pub(crate) headers: HeaderMap,
    /// Whether nobody reads what is answered, but for the headers.
    pub(crate) is_head: bool,
}

/// What says which catalog is meant.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct Location {
    /// The folder to look from, absolute; only for whoever asks from this machine.
    pub(crate) directory: Option<String>,
    /// The host, as `name` or `name@edition`.
    pub(crate) host: Option<String>,
    /// The agent whose rules count too.
    pub(crate) agent: Option<String>,
}

/// Nothing but which catalog is meant.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct LocationQuery {
    #[serde(flatten)]
    pub(crate) at: Location,
}

/// No query at all.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct NoQuery {}

impl FromRequestParts<HttpState> for HttpContext {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, http: &HttpState) -> Result<HttpContext, Failure> {
        let peer = parts.extensions.get::<Peer>().copied().unwrap_or_default();
        let proven = parts.extensions.get::<ApprovalProof>().copied().unwrap_or_default();
        let address = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.to_string());
        let request = parts.extensions.get::<RequestId>().map(|id| id.0.to_string());
        let engine = http.engine().asked_by(Actor { face: Face::Http, peer: address, request });
        let (headers, is_head) = (parts.headers.clone(), parts.method == Method::HEAD);
        Ok(HttpContext { http: http.clone(), engine, peer, proven, headers, is_head })
    }
}

impl HttpContext {
    /// Returns the place that is meant.
    pub(crate) fn place(&self, at: &Location) -> Result<Place, Failure> {
        let mut place = self.http.engine().here().clone();
        if let Some(directory) = &at.directory {
            if self.peer != Peer::Local {
                let text = "only whoever asks from the server's own machine can name a folder";
                return Err(Failure::new(StatusCode::FORBIDDEN, "folder-from-elsewhere", text));
            }
            place.folder = PathBuf::from(directory);
            if !place.folder.is_absolute() || directory.contains('\0') {
                let failure = Failure::new(StatusCode::NOT_FOUND, "no-folder", "`directory` must be an absolute path");
                return Err(failure.help("begin it with `/`, or leave it out for the folder that is served"));
            }
        }
        place.host = at.host.clone().or(place.host);
        place.agent = at.agent.clone().or(place.agent);
        Ok(place)
    }

    /// Returns what the place that is meant is like now.
    pub(crate) async fn state(&self, at: &Location) -> Result<Arc<Snapshot>, Failure> {
        Ok(self.http.engine().at(&self.place(at)?).await??)
    }

    /// Does work that takes a while.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        self.http.engine().work().run(work).await?
    }

    /// Tells whether JSON is wanted rather than bytes.
    pub(crate) fn wants_json(&self) -> bool {
        let accepted = self.headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
        accepted.flat_map(|value| value.split(',')).any(|kind| is_json(kind) && !is_refused(kind))
    }
}

fn is_json(kind: &str) -> bool {
    kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json")
}

/// Tells whether something is named to say that it is not wanted: by a weight of nothing.
fn is_refused(named: &str) -> bool {
    let parameters = named.split(';').skip(1).filter_map(|parameter| parameter.split_once('='));
    let mut weights = parameters.filter(|(name, _)| name.trim().eq_ignore_ascii_case("q"));
    weights.any(|(_, weight)| weight.trim().parse() == Ok(0.0))
}

/// A query whose every key is known.
pub(crate) struct Query<T>(pub(crate) T);

impl<T: DeserializeOwned + JsonSchema> FromRequestParts<HttpState> for Query<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &HttpState) -> Result<Query<T>, Failure> {
        let refuse = |text: String| Failure::new(StatusCode::BAD_REQUEST, "bad-query", text);
        let pairs = axum::extract::Query::<Vec<(String, String)>>::try_from_uri(&parts.uri);
        let pairs = pairs.map_err(|error| refuse(error.body_text()))?.0;
        // Drawing the schema takes longer than most answers.
        let known = if pairs.is_empty() { Vec::new() } else { keys::<T>() };
        if let Some((key, _)) = pairs.iter().find(|(key, _)| !known.contains(key)) {
            let known = if known.is_empty() { "it has no parameters".to_owned() } else { known.join(", ") };
            return Err(refuse(format!("there is no parameter `{key}`")).help(format!("parameters: {known}")));
        }
        let query = axum::extract::Query::<T>::try_from_uri(&parts.uri);
        query
            .map(|query| Query(query.0))
            .map_err(|error| refuse(error.body_text()).help(format!("parameters: {}", keys::<T>().join(", "))))
    }
}

/// Returns the keys that a query can hold.
fn keys<T: JsonSchema>() -> Vec<String> {
    let schema = T::json_schema(&mut SchemaGenerator::default());
    let properties = schema.get("properties").and_then(serde_json::Value::as_object);
    properties.map(|properties| properties.keys().cloned().collect()).unwrap_or_default()
}

/// A body of JSON. One that is empty stands for an object without fields.
pub(crate) struct Body<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<HttpState> for Body<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, _: &HttpState) -> Result<Body<T>, Failure> {
        let kind = request.headers().get(CONTENT_TYPE).cloned();
        let bytes = read_body(request.into_body(), BODY_MAX).await.map_err(|error| match error {
            BodyError::Incomplete => {
                Failure::new(StatusCode::BAD_REQUEST, "bad-body", "the body did not arrive as a whole")
            }
            BodyError::TooLarge => {
                let text = format!("the body is longer than {BODY_MAX} bytes");
                Failure::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", text)
            }
        })?;
        let is_json = kind.is_some_and(|kind| kind.to_str().is_ok_and(is_json));
        if !is_json && !bytes.is_empty() {
            let text = "the body must be JSON";
            let failure = Failure::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "not-json", text);
            return Err(failure.help("send it as `Content-Type: application/json`"));
        }
        let bytes = if bytes.is_empty() { &b"{}"[..] } else { &bytes };
        Ok(Body(parsed(bytes)?))
    }
}

/// Reads a body: an object, and not what could be taken for one.
fn parsed<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Failure> {
    let refuse = |error: serde_json::Error| {
        let status = if error.is_data() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::BAD_REQUEST };
        Failure::new(status, "bad-body", error.to_string()).help("`GET /openapi.json` describes it")
    };
    if bytes.trim_ascii_start().first() != Some(&b'{') {
        serde_json::from_slice::<serde::de::IgnoredAny>(bytes).map_err(refuse)?;
        return Err(refuse(serde::de::Error::custom("the body must be an object")));
    }
    serde_json::from_slice(bytes).map_err(refuse)
}

/// Parts of the address, with what is not text refused.
pub(crate) struct PathSegments<T>(pub(crate) T);

impl<T: DeserializeOwned + Send> FromRequestParts<HttpState> for PathSegments<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, http: &HttpState) -> Result<PathSegments<T>, Failure> {
        let path = axum::extract::Path::<T>::from_request_parts(parts, http).await;
        path.map(|path| PathSegments(path.0))
            .map_err(|error| Failure::new(StatusCode::BAD_REQUEST, "bad-address", error.body_text()))
    }
}
