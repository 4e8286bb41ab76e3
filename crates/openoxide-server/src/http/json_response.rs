//! Answers requests with JSON, from the cache where the answer depends on a snapshot alone.

use std::sync::Arc;

use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use openoxide_app::Snapshot;
use serde::Serialize;

use super::extract::HttpContext;
use super::response::{EncodedResponse, JSON, NO_STORE, encode_json};
use super::response_cache::{CacheKey, CachedResponse, Dependencies};
use crate::answer::Failure;

impl HttpContext {
    /// Answers with JSON that depends on nothing but the snapshot and `subject`; it is made once for all clients.
    pub(crate) async fn cached_json<T: Serialize>(
        &self,
        snapshot: &Arc<Snapshot>,
        route: &'static str,
        subject: String,
        make: impl FnOnce(&Snapshot) -> Result<T, Failure> + Send + 'static,
    ) -> Result<Response, Failure> {
        self.cached_json_if_complete(snapshot, route, subject, |snapshot| Ok((make(snapshot)?, true))).await
    }

    /// The same, for an answer that may lack a part for now: `make` says whether it is complete, and only then is it
    /// cached.
    pub(crate) async fn cached_json_if_complete<T: Serialize>(
        &self,
        snapshot: &Arc<Snapshot>,
        route: &'static str,
        subject: String,
        make: impl FnOnce(&Snapshot) -> Result<(T, bool), Failure> + Send + 'static,
    ) -> Result<Response, Failure> {
        let key = CacheKey::new(snapshot, route, subject, self.peer);
        if let Some(hit) = self.http.cache().get(&key) {
            return Ok(hit.response.send(&self.headers));
        }
        let (peer, snapshot) = (self.peer, Arc::clone(snapshot));
        let work = move || {
            let (answer, is_complete) = make(&snapshot)?;
            Ok((EncodedResponse::json(&answer, peer, Some(&snapshot))?, is_complete))
        };
        let (response, is_complete) = self.work(work).await?;
        if is_complete {
            let cached = CachedResponse { response: response.clone(), skill: String::new(), digest: None };
            self.http.cache().insert(key, Dependencies::None, cached);
        }
        Ok(response.send(&self.headers))
    }

    /// Answers with JSON that clients do not keep.
    pub(crate) fn json(
        &self,
        status: StatusCode,
        snapshot: &Snapshot,
        answer: &impl Serialize,
    ) -> Result<Response, Failure> {
        let headers = [(CONTENT_TYPE, JSON), (CACHE_CONTROL, NO_STORE)];
        Ok((status, headers, encode_json(answer, self.peer, Some(snapshot))?).into_response())
    }
}
