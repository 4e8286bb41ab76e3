//! Encodes responses: their bytes, their media type and the tag by which a client revalidates them.

use axum::body::{Body, Bytes};
use axum::response::{IntoResponse, Response};
use axum::{extract::Request, middleware::Next};
use http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use openoxide_app::{Snapshot, encoding::hex};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::{Redactor, Result};
use crate::{Failure, Peer};

/// The end of the tag of a compressed response.
const COMPRESSED: &str = "-gzip";

pub(crate) const JSON: HeaderValue = HeaderValue::from_static("application/json");
/// Says that no client or proxy may keep a response.
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

/// Encodes a value as JSON for a peer: a remote one is shown no absolute paths of the snapshot.
fn encode_json(answer: &impl Serialize, peer: Peer, snapshot: Option<&Snapshot>) -> Result<Vec<u8>> {
    let bytes = match (peer, snapshot) {
        (Peer::Remote, Some(snapshot)) => serde_json::to_value(answer).and_then(|mut value| {
            Redactor::new(snapshot).redact(&mut value);
            serde_json::to_vec(&value)
        }),
        _ => serde_json::to_vec(answer),
    };
    bytes.map_err(|error| Failure::new(StatusCode::INTERNAL_SERVER_ERROR, "not-written", error.to_string()))
}

/// A response that is ready to be sent. It is cheap to clone.
#[derive(Clone)]
pub(crate) struct EncodedResponse {
    pub(crate) bytes: Bytes,
    kind: HeaderValue,
    /// Changes with the bytes. A response without one is not kept by clients.
    tag: Option<HeaderValue>,
}

impl EncodedResponse {
    /// Makes a response that clients may keep and revalidate.
    pub(crate) fn new(bytes: Vec<u8>, kind: HeaderValue) -> EncodedResponse {
        let tag = tag_of(&Sha256::digest(&bytes).into());
        EncodedResponse { bytes: bytes.into(), kind, tag }
    }

    /// Makes a response of a skill's file that clients may keep and revalidate. Text is UTF-8 by what decided its type.
    pub(crate) fn skill_file(bytes: Vec<u8>, content_type: &str) -> EncodedResponse {
        EncodedResponse::new(bytes, text_type(content_type))
    }

    /// Makes a response of JSON that clients may keep and revalidate.
    pub(crate) fn json(answer: &impl Serialize, peer: Peer, snapshot: Option<&Snapshot>) -> Result<EncodedResponse> {
        Ok(EncodedResponse::new(encode_json(answer, peer, snapshot)?, JSON))
    }

    /// Makes a response of JSON that clients do not keep.
    pub(crate) fn json_once(answer: &impl Serialize, peer: Peer, snapshot: &Snapshot) -> Result<EncodedResponse> {
        let bytes = encode_json(answer, peer, Some(snapshot))?;
        Ok(EncodedResponse { bytes: bytes.into(), kind: JSON, tag: None })
    }

    /// Makes the response, or says that the client has it already.
    pub(crate) fn send(&self, request: &HeaderMap) -> Response {
        let Some(tag) = &self.tag else {
            let headers = [(CONTENT_TYPE, self.kind.clone()), (CACHE_CONTROL, NO_STORE)];
            return (headers, self.bytes.clone()).into_response();
        };
        let headers = kept_headers(tag);
        if is_current(tag, request) {
            return (StatusCode::NOT_MODIFIED, headers).into_response();
        }
        let mut response = Response::new(Body::from(self.bytes.clone()));
        response.headers_mut().extend(headers);
        response.headers_mut().insert(CONTENT_TYPE, self.kind.clone());
        response
    }
}

/// Returns the tag of bytes with this digest.
pub(crate) fn tag_of(sha256: &[u8; 32]) -> Option<HeaderValue> {
    HeaderValue::try_from(format!("\"{}\"", hex(&sha256[..16]))).ok()
}

/// Returns the header for a type; text is UTF-8.
pub(crate) fn text_type(content_type: &str) -> HeaderValue {
    let kind = match content_type.starts_with("text/") && !content_type.contains("charset") {
        true => HeaderValue::try_from(format!("{content_type}; charset=utf-8")),
        false => HeaderValue::try_from(content_type),
    };
    // A host's table may state what no header can hold.
    kind.unwrap_or(HeaderValue::from_static("application/octet-stream"))
}

/// Returns the headers of what a client may keep and must revalidate: the files may have changed.
pub(crate) fn kept_headers(tag: &HeaderValue) -> [(HeaderName, HeaderValue); 3] {
    [
        (ETAG, tag.clone()),
        (CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        (VARY, HeaderValue::from_static("accept-encoding")),
    ]
}

/// Keeps a page that comes with a skill, and is not ours, from running anything and from reaching what this origin has.
pub(crate) fn sandboxed(mut response: Response) -> Response {
    response.headers_mut().insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    let policy = HeaderValue::from_static("default-src 'none'; sandbox");
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
    response
}

/// Tells whether a client has the response with this tag, compressed or not.
pub(crate) fn is_current(tag: &HeaderValue, request: &HeaderMap) -> bool {
    let tag = tag.to_str().unwrap_or_default();
    let known = request.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    known.flat_map(|value| value.split(',')).map(str::trim).any(|known| {
        let known = known.strip_prefix("W/").unwrap_or(known);
        known == "*" || known == tag || known.replace(&format!("{COMPRESSED}\""), "\"") == tag
    })
}

/// Gives a compressed response a tag of its own, because its bytes differ from the plain one's.
///
/// A client that accepts no encoding that there is gets the plain response, as the standard allows: a refusal would hold
/// as many bytes.
pub(crate) async fn tag_compressed(mut request: Request, next: Next) -> Response {
    if request.headers().contains_key(ACCEPT_ENCODING) {
        request.headers_mut().append(ACCEPT_ENCODING, HeaderValue::from_static("identity;q=0.001"));
    }
    let mut response = next.run(request).await;
    if !response.headers().contains_key(CONTENT_ENCODING) {
        return response;
    }
    let tag = response.headers().get(ETAG).and_then(|tag| tag.to_str().ok()).and_then(|tag| tag.strip_suffix('"'));
    let tag = tag.and_then(|tag| HeaderValue::try_from(format!("{tag}{COMPRESSED}\"")).ok());
    if let Some(tag) = tag {
        response.headers_mut().insert(ETAG, tag);
    }
    response
}
