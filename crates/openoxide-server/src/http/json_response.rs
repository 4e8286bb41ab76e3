//! Answers requests with JSON, from the cache where the answer depends on a snapshot alone.

use std::sync::Arc;

use http::StatusCode;
use openoxide_app::Snapshot;
use serde::Serialize;

use super::{CacheKey, CachedResponse, Dependencies, EncodedResponse, HttpContext, Result};

impl HttpContext {
    /// Answers with JSON that is made anew for each request.
    pub(crate) async fn fresh_json<T: Serialize>(
        &self,
        snapshot: Arc<Snapshot>,
        make: impl FnOnce(&Snapshot) -> Result<T> + Send + 'static,
    ) -> Result {
        let peer = self.peer;
        let work = move || EncodedResponse::json(&make(&snapshot)?, peer, Some(&snapshot));
        Ok(self.work(work).await?.send(&self.headers))
    }

    /// Answers with JSON that depends on nothing but the snapshot and `subject`; it is made once for all clients.
    pub(crate) async fn cached_json<T: Serialize>(
        &self,
        snapshot: &Arc<Snapshot>,
        route: &'static str,
        subject: String,
        make: impl FnOnce(&Snapshot) -> Result<T> + Send + 'static,
    ) -> Result {
        self.cached_json_if_complete(snapshot, route, subject, |snapshot| Ok((make(snapshot)?, true))).await
    }

    /// The same, for an answer that may lack a part for now: `make` says whether it is complete, and only then is it
    /// cached.
    pub(crate) async fn cached_json_if_complete<T: Serialize>(
        &self,
        snapshot: &Arc<Snapshot>,
        route: &'static str,
        subject: String,
        make: impl FnOnce(&Snapshot) -> Result<(T, bool)> + Send + 'static,
    ) -> Result {
        let key = CacheKey::new(snapshot, route, subject, self.peer);
        if let Some(hit) = self.http.cache.get(&key) {
            return Ok(hit.cached.response.send(&self.headers));
        }
        let (peer, snapshot) = (self.peer, Arc::clone(snapshot));
        let work = move || {
            let (answer, is_complete) = make(&snapshot)?;
            Ok((EncodedResponse::json(&answer, peer, Some(&snapshot))?, is_complete))
        };
        let (response, is_complete) = self.work(work).await?;
        if is_complete {
            let cached = CachedResponse { response: response.clone(), skill: String::new(), digest: None };
            self.http.cache.insert(key, Dependencies::None, cached);
        }
        Ok(response.send(&self.headers))
    }

    /// Answers with JSON that clients do not keep.
    pub(crate) fn json(&self, status: StatusCode, snapshot: &Snapshot, answer: &impl Serialize) -> Result {
        let mut response = EncodedResponse::json_once(answer, self.peer, snapshot)?.send(&self.headers);
        *response.status_mut() = status;
        Ok(response)
    }
}
