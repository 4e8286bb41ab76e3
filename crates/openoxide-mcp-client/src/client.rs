//! Sends requests to a server, within limits of time, size and number.

use std::collections::BTreeSet;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use openoxide_http::innermost;
use rmcp::model::{
    ClientRequest, CustomRequest, ErrorCode, ReadResourceRequest, ReadResourceRequestParams, ResourceContents,
    ServerResult,
};
use rmcp::service::{Peer, RoleClient, ServiceError};
use serde_json::{Map, Value, json};
use tokio::time::{Instant, timeout};

use crate::connect::Fault;
use crate::{FetchError, Limits, error};

/// A connection to one server, with what its requests need.
pub(crate) struct ServerClient<'c> {
    pub(crate) server: &'c str,
    pub(crate) peer: Peer<RoleClient>,
    pub(crate) fault: Fault,
    pub(crate) limits: &'c Limits,
    /// Whether the server can list a folder.
    pub(crate) reads_folders: bool,
}

/// Everything that a server lists, entry by entry, and how long that is valid.
pub(crate) struct Listed {
    pub(crate) entries: Vec<Value>,
    pub(crate) fresh: Duration,
    /// Why there may be more.
    pub(crate) cut: Option<FetchError>,
}

impl ServerClient<'_> {
    /// Lists the skills of the server, page by page.
    pub(crate) async fn skills(&self) -> Result<Listed, FetchError> {
        const METHOD: &str = "skills/list";
        let until = Instant::now() + self.limits.listing;
        let mut listed = Listed { entries: Vec::new(), fresh: self.limits.fresh, cut: None };
        let (mut cursor, mut seen, mut bytes) = (None::<String>, BTreeSet::new(), 0_usize);
        for page in 0.. {
            let params = cursor.as_ref().map_or_else(|| json!({}), |cursor| json!({"cursor": cursor}));
            let answer = match self.custom(METHOD, params).await {
                // What was listed before is as good as it was.
                Err(error) if page > 0 => {
                    listed.cut = Some(error);
                    break;
                }
                answer => answer?,
            };
            let Some(Value::Array(skills)) = answer.get("skills") else {
                return Err(self.wrong(METHOD, "`skills` is missing or wrong"));
            };
            bytes = bytes.saturating_add(serde_json::to_string(skills).map_or(usize::MAX, |text| text.len()));
            let room = self.limits.skills - listed.entries.len();
            let is_cut = skills.len() > room;
            listed.entries.extend(skills.iter().take(room).cloned());
            // A response without a time to live is not cached.
            let ttl = answer.get("ttlMs").and_then(Value::as_u64).unwrap_or(0);
            listed.fresh = listed.fresh.min(Duration::from_millis(ttl));
            let many_skills = || format!("more than {} skills", self.limits.skills);
            let next = answer.get("nextCursor").and_then(Value::as_str);
            let why = match next {
                None => is_cut.then(many_skills),
                Some(next) => self.page_problem(&mut seen, next).or_else(|| match () {
                    () if listed.entries.len() >= self.limits.skills => Some(many_skills()),
                    () if bytes > self.limits.listed => Some(format!("more than {} bytes", self.limits.listed)),
                    () => self.late(until),
                }),
            };
            listed.cut = why.map(|why| error::endless(self.server, &why));
            cursor = next.map(str::to_owned);
            if cursor.is_none() || listed.cut.is_some() {
                break;
            }
        }
        Ok(listed)
    }

    /// Asks for the entry of one skill. Returns `None` if the server has none there.
    pub(crate) async fn skill(&self, uri: &str) -> Result<Option<Value>, FetchError> {
        const METHOD: &str = "skills/get";
        let answer = self.request(METHOD, custom(METHOD, json!({"uri": uri}))).await;
        let answer = match answer {
            Err(Failed::Error(code, _)) if code == ErrorCode::INVALID_PARAMS => return Ok(None),
            answer => answer.map_err(|failed| self.error(METHOD, failed))?,
        };
        let answer = self.plain(METHOD, answer)?;
        match answer.get("skill") {
            Some(skill) => Ok(Some(skill.clone())),
            None => Err(self.wrong(METHOD, "`skill` is missing")),
        }
    }

    /// Reads the bytes at an address.
    pub(crate) async fn read(&self, uri: &str) -> Result<Vec<u8>, FetchError> {
        const METHOD: &str = "resources/read";
        let request = ReadResourceRequest::new(ReadResourceRequestParams::new(uri));
        let answer = self.request(METHOD, ClientRequest::ReadResourceRequest(request)).await;
        let ServerResult::ReadResourceResult(answer) = answer.map_err(|failed| self.error(METHOD, failed))? else {
            return Err(self.wrong(METHOD, "it is no content"));
        };
        let [content] = answer.contents.as_slice() else {
            return Err(self.wrong(METHOD, "it is not the content of one file"));
        };
        let (at, bytes) = match content {
            ResourceContents::TextResourceContents { uri, text, .. } => (uri, Ok(text.clone().into_bytes())),
            ResourceContents::BlobResourceContents { uri, blob, .. } => (uri, STANDARD.decode(blob)),
            _ => return Err(self.wrong(METHOD, "it is neither text nor bytes")),
        };
        if at != uri {
            return Err(self.wrong(METHOD, "it is the content of another file"));
        }
        bytes.map_err(|_| self.wrong(METHOD, "its bytes are not in base 64"))
    }

    /// Lists the addresses in a folder, as many as a skill may have files, until a moment.
    pub(crate) async fn folder(
        &self,
        uri: &str,
        most: usize,
        until: Instant,
    ) -> Result<Vec<(String, bool)>, FetchError> {
        const METHOD: &str = "resources/directory/read";
        let (mut found, mut cursor, mut seen) = (Vec::new(), None::<String>, BTreeSet::new());
        loop {
            let mut params = json!({"uri": uri});
            if let Some(cursor) = &cursor {
                params["cursor"] = json!(cursor);
            }
            let answer =
                self.request(METHOD, custom(METHOD, params)).await.map_err(|failed| self.error(METHOD, failed))?;
            let ServerResult::ListResourcesResult(answer) = answer else {
                return Err(self.wrong(METHOD, "`resources` is missing or wrong"));
            };
            let is_folder = |kind: Option<&str>| kind == Some("inode/directory");
            found
                .extend(answer.resources.into_iter().map(|one| (one.uri.clone(), is_folder(one.mime_type.as_deref()))));
            let many_files = (found.len() > most).then(|| format!("more than {most} files in a folder"));
            let page_problem = |next: &String| self.page_problem(&mut seen, next);
            let why =
                many_files.or_else(|| self.late(until)).or_else(|| answer.next_cursor.as_ref().and_then(page_problem));
            match (why, answer.next_cursor) {
                (Some(why), _) => return Err(error::endless(self.server, &why)),
                (None, None) => return Ok(found),
                (None, next) => cursor = next,
            }
        }
    }

    /// Returns what is wrong with the pages of a list, given the cursor of the next one.
    fn page_problem(&self, seen: &mut BTreeSet<String>, next: &str) -> Option<String> {
        match seen.insert(next.to_owned()) {
            false => Some("a page leads back to one before".to_owned()),
            true => (seen.len() >= self.limits.pages).then(|| format!("more than {} pages", self.limits.pages)),
        }
    }

    fn late(&self, until: Instant) -> Option<String> {
        (Instant::now() > until).then(|| format!("it takes longer than {} s", self.limits.listing.as_secs()))
    }

    async fn custom(&self, method: &str, params: Value) -> Result<Map<String, Value>, FetchError> {
        let answer = self.request(method, custom(method, params)).await.map_err(|failed| self.error(method, failed))?;
        self.plain(method, answer)
    }

    /// Returns an answer that is neither of another method nor a question back.
    fn plain(&self, method: &str, answer: ServerResult) -> Result<Map<String, Value>, FetchError> {
        let ServerResult::CustomResult(answer) = answer else {
            return Err(self.wrong(method, "it is not the answer to this"));
        };
        let Value::Object(answer) = answer.0 else { return Err(self.wrong(method, "it is no object")) };
        match answer.get("resultType") {
            None => Ok(answer),
            Some(kind) if kind == "complete" => Ok(answer),
            Some(_) => Err(self.wrong(method, "it is not complete")),
        }
    }

    async fn request(&self, method: &str, request: ClientRequest) -> Result<ServerResult, Failed> {
        debug_assert_eq!(request.method(), method);
        match timeout(self.limits.request, self.peer.send_request(request)).await {
            Err(_) => Err(Failed::TimedOut),
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(ServiceError::McpError(error))) => Err(Failed::Error(error.code, error.message.into_owned())),
            Ok(Err(ServiceError::TransportClosed)) => Err(Failed::Ended("it ended".to_owned())),
            Ok(Err(ServiceError::TransportSend(error))) => {
                Err(Failed::Ended(innermost(error.error.as_ref()).to_string()))
            }
            Ok(Err(error)) => Err(Failed::Ended(error.to_string())),
        }
    }

    fn wrong(&self, method: &str, why: &str) -> FetchError {
        error::bad_answer(self.server, method, why)
    }

    fn error(&self, method: &str, failed: Failed) -> FetchError {
        match failed {
            Failed::TimedOut => error::timed_out(self.server, method, self.limits.request),
            Failed::Error(_, why) => error::refused(self.server, method, &why),
            Failed::Ended(why) => error::unreachable(self.server, &self.fault.or(&why)),
        }
    }
}

/// Why there is no answer.
enum Failed {
    TimedOut,
    Error(ErrorCode, String),
    Ended(String),
}

fn custom(method: &str, params: Value) -> ClientRequest {
    ClientRequest::CustomRequest(CustomRequest::new(method, Some(params)))
}
