//! Answers: JSON with a tag that changes with its bytes, kept for as long as what it tells stays the same.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::{ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY};
use http::{HeaderMap, HeaderValue, StatusCode};
use openoxide_live::Snapshot;
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::extract::HttpContext;
use super::redact::Redactor;
use crate::answer::{Failure, Peer};

/// How many answers are kept.
const KEPT_MAX: usize = 128;
/// How many bytes they have together.
const KEPT_BYTES: usize = 64 * 1024 * 1024;
/// What the tag of an answer that is compressed ends with.
const COMPRESSED: &str = "-gzip";

/// What JSON is called.
const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// Writes JSON for somebody.
fn written(answer: &impl Serialize, peer: Peer, state: Option<&Snapshot>) -> Result<Vec<u8>, Failure> {
    let bytes = match (peer, state) {
        (Peer::Remote, Some(state)) => serde_json::to_value(answer).and_then(|mut value| {
            Redactor::new(state).hide(&mut value);
            serde_json::to_vec(&value)
        }),
        _ => serde_json::to_vec(answer),
    };
    bytes.map_err(|error| Failure::new(StatusCode::INTERNAL_SERVER_ERROR, "not-written", error.to_string()))
}

/// An answer that is ready to be sent.
#[derive(Clone)]
pub(crate) struct EncodedResponse {
    pub(crate) bytes: Bytes,
    tag: HeaderValue,
    kind: HeaderValue,
}

impl EncodedResponse {
    /// Makes an answer of bytes.
    pub(crate) fn new(bytes: Vec<u8>, kind: HeaderValue) -> EncodedResponse {
        let digest = Sha256::digest(&bytes);
        let tag =
            HeaderValue::try_from(format!("\"{}\"", hex(&digest[..16]))).unwrap_or(HeaderValue::from_static("\"\""));
        EncodedResponse { bytes: bytes.into(), tag, kind }
    }

    /// Makes an answer of JSON for somebody; who is elsewhere is shown no absolute paths.
    pub(crate) fn json(
        answer: &impl Serialize,
        peer: Peer,
        state: Option<&Snapshot>,
    ) -> Result<EncodedResponse, Failure> {
        Ok(EncodedResponse::new(written(answer, peer, state)?, JSON))
    }

    /// Makes the response, or says that nothing has changed.
    pub(crate) fn send(&self, asked: &HeaderMap) -> Response {
        // It may be kept, and must be asked for again: what is on disk may have changed.
        let headers = [
            (ETAG, self.tag.clone()),
            (CACHE_CONTROL, HeaderValue::from_static("no-cache")),
            (VARY, HeaderValue::from_static("accept-encoding")),
        ];
        if self.is_held(asked) {
            return (StatusCode::NOT_MODIFIED, headers).into_response();
        }
        let mut response = Response::new(Body::from(self.bytes.clone()));
        response.headers_mut().extend(headers);
        response.headers_mut().insert(CONTENT_TYPE, self.kind.clone());
        response
    }

    fn is_held(&self, asked: &HeaderMap) -> bool {
        let tag = self.tag.to_str().unwrap_or_default();
        let held = asked.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
        held.flat_map(|value| value.split(',')).map(str::trim).any(|held| {
            let held = held.strip_prefix("W/").unwrap_or(held);
            held == "*" || held == tag || held.replace(&format!("{COMPRESSED}\""), "\"") == tag
        })
    }
}

/// Tells the tag of what was compressed from that of the same as it is: their bytes differ. Whoever wants it in no way that
/// there is gets it as it is, as the standard allows; a refusal would hold the answer all the same.
pub(crate) async fn encoded(mut request: Request, next: Next) -> Response {
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

/// Writes bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// What an answer is about: the route, and what of it was asked for.
type Key = (&'static str, String, Peer);

/// An answer, and the state that it is about.
type Held = (Weak<Snapshot>, EncodedResponse);

/// Answers that hold for as long as a state does.
pub(crate) struct Kept {
    answers: Mutex<HashMap<(usize, Key), Held>>,
    /// How many bytes they may have together.
    most: usize,
}

impl Default for Kept {
    fn default() -> Kept {
        Kept { answers: Mutex::default(), most: KEPT_BYTES }
    }
}

impl Kept {
    fn get(&self, state: &Arc<Snapshot>, key: &Key) -> Option<EncodedResponse> {
        let held = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let (of, ready) = held.get(&(address(state), key.clone()))?;
        // What is held weakly keeps its address, so another state cannot be taken for it; but it may be gone.
        of.upgrade().filter(|of| Arc::ptr_eq(of, state)).map(|_| ready.clone())
    }

    fn keep(&self, state: &Arc<Snapshot>, key: Key, ready: EncodedResponse) {
        let mut held = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        held.retain(|_, (of, _)| of.strong_count() > 0);
        let bytes: usize = held.values().map(|(_, ready)| ready.bytes.len()).sum();
        if held.len() >= KEPT_MAX || bytes + ready.bytes.len() > self.most {
            held.clear();
        }
        if ready.bytes.len() > self.most {
            return;
        }
        held.insert((address(state), key), (Arc::downgrade(state), ready));
    }
}

fn address(state: &Arc<Snapshot>) -> usize {
    Arc::as_ptr(state).addr()
}

impl HttpContext {
    /// Answers JSON that depends on nothing but a state and `what` was asked for; it is made once.
    pub(crate) async fn kept<T: Serialize>(
        &self,
        state: &Arc<Snapshot>,
        route: &'static str,
        what: String,
        make: impl FnOnce(&Snapshot) -> Result<T, Failure> + Send + 'static,
    ) -> Result<Response, Failure> {
        self.kept_if_whole(state, route, what, |state| Ok((make(state)?, true))).await
    }

    /// The same, for an answer that may lack something for now: then it is made again.
    pub(crate) async fn kept_if_whole<T: Serialize>(
        &self,
        state: &Arc<Snapshot>,
        route: &'static str,
        what: String,
        make: impl FnOnce(&Snapshot) -> Result<(T, bool), Failure> + Send + 'static,
    ) -> Result<Response, Failure> {
        let key = (route, what, self.peer);
        if let Some(ready) = self.http.kept().get(state, &key) {
            return Ok(ready.send(&self.headers));
        }
        let (peer, of) = (self.peer, Arc::clone(state));
        let work = move || {
            let (answer, is_whole) = make(&of)?;
            Ok((EncodedResponse::json(&answer, peer, Some(&of))?, is_whole))
        };
        let (ready, is_whole) = self.work(work).await?;
        if is_whole {
            self.http.kept().keep(state, key, ready.clone());
        }
        Ok(ready.send(&self.headers))
    }

    /// Writes JSON about a state.
    pub(crate) fn written(&self, state: &Snapshot, answer: &impl Serialize) -> Result<Bytes, Failure> {
        written(answer, self.peer, Some(state)).map(Bytes::from)
    }

    /// Sends JSON that nobody else may keep.
    pub(crate) fn sent(&self, bytes: Bytes) -> Response {
        let headers = [(CONTENT_TYPE, JSON), (CACHE_CONTROL, HeaderValue::from_static("no-store"))];
        (headers, bytes).into_response()
    }

    /// Answers JSON that holds for this once.
    pub(crate) fn once(
        &self,
        status: StatusCode,
        state: &Snapshot,
        answer: &impl Serialize,
    ) -> Result<Response, Failure> {
        let headers = [(CONTENT_TYPE, JSON), (CACHE_CONTROL, HeaderValue::from_static("no-store"))];
        Ok((status, headers, written(answer, self.peer, Some(state))?).into_response())
    }
}

/// Walks through all texts of a value, with the key that each stands at.
pub(crate) fn each_text(value: &mut Value, key: &str, see: &mut impl FnMut(&str, &mut String)) {
    match value {
        Value::String(text) => see(key, text),
        Value::Array(items) => items.iter_mut().for_each(|item| each_text(item, key, see)),
        Value::Object(fields) => fields.iter_mut().for_each(|(key, value)| each_text(value, key, see)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use openoxide_config::Environment;
    use openoxide_live::{Live, LiveOptions, Place};

    use super::*;

    fn state(folder: &std::path::Path) -> Arc<Snapshot> {
        let environment = Environment {
            cwd: folder.to_owned(),
            home: Some(folder.to_owned()),
            variables: [].into(),
            admin: folder.join("etc"),
        };
        Live::new(environment, LiveOptions::default()).snapshot(&Place::of(folder)).unwrap()
    }

    #[test]
    fn what_is_kept_is_bounded_and_goes_with_its_state() {
        let root = tempfile::tempdir().unwrap();
        let (first, second) = (state(root.path()), state(root.path()));
        let kept = Kept { most: 100, ..Kept::default() };
        let key = |what: &str| ("test", what.to_owned(), Peer::Local);
        let ready = |length: usize| EncodedResponse::new(vec![b'x'; length], JSON);
        let held = || kept.answers.lock().unwrap().len();
        kept.keep(&first, key("a"), ready(30));
        kept.keep(&second, key("b"), ready(30));
        assert_eq!(held(), 2);
        drop(first);
        kept.keep(&second, key("c"), ready(30));
        assert!(held() == 2 && kept.get(&second, &key("b")).is_some(), "what is about a state that is gone is dropped");
        kept.keep(&second, key("d"), ready(60));
        assert!(held() == 1 && kept.get(&second, &key("d")).is_some(), "there is room for 100 bytes");
        kept.keep(&second, key("e"), ready(101));
        assert_eq!(held(), 0);
    }
}
