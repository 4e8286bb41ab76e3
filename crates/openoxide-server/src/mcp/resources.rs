//! Files of skills as resources.

use std::path::Path;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use openoxide_runtime::{Question, Session, media_type};
use openoxide_skills::host::{Caller, ReadProblem};
use openoxide_skills::resource::{ReadLimit, ResourceBytes, ResourcePart, ResourcePath, ResourceRequest, SkillDir};
use rmcp::model::{
    CacheScope, ListResourceTemplatesResult, ListResourcesResult, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::json;

use super::McpServer;
use super::address::OWN_FILE;
use super::audit;
use super::directory::resource;
use super::error::{invalid, no_resource};
use super::held::{MadeFor, Waiting};
use super::pagination::page;
use super::seen::{Seen, Shared};
use super::skills::TTL_MS;
use super::talk::{Asking, Heard};
use crate::observe::audit::Decision;

/// Most resources of one page.
const PAGE: usize = 200;
/// What cursors of this list are told by.
const LIST: &str = "resources";
/// Every file of every skill.
pub(super) const TEMPLATE: &str = "skill://{+skill}/{+path}";

impl Shared {
    /// Lists the skills' own files.
    pub(super) fn list_resources(&self, seen: &Seen, cursor: Option<&str>) -> Result<ListResourcesResult, ErrorData> {
        let (roots, next) = page(LIST, seen.addresses.roots(), cursor, PAGE, |(root, _)| (*root).to_owned())?;
        let own = |(root, at): (&str, usize)| -> Option<Resource> {
            let served = self.memory.look(seen.catalog(), seen.entry(at)?)?;
            Some(resource(root, &served, Path::new(OWN_FILE), false))
        };
        let mut result = ListResourcesResult::with_all_items(roots.into_iter().filter_map(own).collect());
        result.next_cursor = next;
        Ok(result.with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Private))
    }

    /// Finds a file that an address means; its skill's place in the catalog, and its path.
    fn file_at(&self, seen: &Seen, uri: &str) -> Option<(usize, ResourcePath)> {
        let meant = seen.addresses.find(uri)?;
        let (path, entry) = (meant.path?, seen.entry(meant.at)?);
        let served = self.memory.look(seen.catalog(), entry)?;
        // What is read is what is told, where everything is told.
        let is_there = match &served.files {
            Some(files) => files.file(path.as_path()).is_some(),
            None => !path.as_path().iter().any(|name| name == ".git"),
        };
        is_there.then_some((meant.at, path))
    }

    /// Returns what must be asked before a file is read.
    fn before_reading(&self, seen: &Seen, session: &Session, uri: &str) -> Result<Vec<Question>, Unread> {
        let (at, path) = self.file_at(seen, uri).ok_or_else(|| no_resource(uri))?;
        let entry = seen.entry(at).ok_or_else(|| no_resource(uri))?;
        let asked = ResourceRequest::for_skill(&entry.skill.name, ResourcePart::Path(path), Caller::Model);
        seen.runtime().before_reading(session, entry, &asked).map_err(|problem| match problem {
            ReadProblem::Forbidden => Unread::new("denied", "a permission rule does not let this file be read"),
            _ => no_resource(uri).into(),
        })
    }

    fn read(&self, seen: &Seen, uri: &str) -> Result<ReadResourceResult, ErrorData> {
        let read = || {
            let (at, path) = self.file_at(seen, uri)?;
            let dir = SkillDir::of(seen.catalog(), seen.entry(at)?).ok()?;
            let file = match self.is_told(seen, at) {
                true => dir.read(&path, ReadLimit::Bytes),
                false if path.as_path() == Path::new(OWN_FILE) => dir.read_manifest(ReadLimit::Bytes),
                // Links are not told apart where nothing is told.
                false => dir.read_plain(&path, ReadLimit::Bytes),
            };
            match file.ok()?.bytes {
                ResourceBytes::Binary(bytes) => Some((path, bytes)),
                ResourceBytes::Text { text, .. } => Some((path, text.into_bytes())),
            }
        };
        let (path, bytes) = read().ok_or_else(|| no_resource(uri))?;
        let contents = contents(uri, path.as_path(), bytes);
        Ok(ReadResourceResult::new(vec![contents]).with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Private))
    }

    fn is_told(&self, seen: &Seen, at: usize) -> bool {
        let served = seen.entry(at).and_then(|entry| self.memory.look(seen.catalog(), entry));
        served.is_some_and(|served| served.files.is_some())
    }
}

fn contents(uri: &str, path: &Path, bytes: Vec<u8>) -> ResourceContents {
    let kind = media_type(path, &bytes);
    let contents = match String::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => ResourceContents::text(text, uri),
        Ok(text) => ResourceContents::blob(STANDARD.encode(text), uri),
        Err(error) => ResourceContents::blob(STANDARD.encode(error.as_bytes()), uri),
    };
    contents.with_mime_type(kind)
}

/// Describes how addresses are made.
pub(super) fn templates() -> ListResourceTemplatesResult {
    let mut template = ResourceTemplate::new(TEMPLATE, "skill-file");
    template.title = Some("A file of a skill".to_owned());
    template.description = Some("`skill` is the name of a skill, `path` a file in its folder.".to_owned());
    ListResourceTemplatesResult::with_all_items(vec![template])
        .with_ttl_ms(TTL_MS)
        .with_cache_scope(CacheScope::Private)
}

/// Why a file is not read: as the client is told, and as one word for the log.
struct Unread {
    error: ErrorData,
    why: &'static str,
}

impl Unread {
    fn new(why: &'static str, text: impl Into<String>) -> Unread {
        Unread { error: invalid(text.into()), why }
    }
}

impl From<ErrorData> for Unread {
    fn from(error: ErrorData) -> Unread {
        Unread { error, why: "refused" }
    }
}

impl McpServer {
    /// Reads a file; asks before, if rules say so.
    pub(super) async fn read_file(
        &self,
        request: ReadResourceRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let asking = Asking::of(self, context);
        let uri = request.uri.clone();
        let read = self.read_asked(request, &asking).await;
        let decision = match &read {
            Ok(ReadResourceResponse::Complete(_)) => Decision::Allow,
            Ok(_) => return read.map_err(|unread| unread.error),
            Err(unread) => Decision::Deny(unread.why.to_owned()),
        };
        if let Ok(seen) = self.shared.seen().await {
            audit::read(&asking.engine, &seen.addresses, seen.catalog(), &uri, decision);
        }
        read.map_err(|unread| unread.error)
    }

    async fn read_asked(
        &self,
        request: ReadResourceRequestParams,
        asking: &Asking,
    ) -> Result<ReadResourceResponse, Unread> {
        let made_for = MadeFor::new("resources/read", &request.uri, json!(null));
        let mut agreed: Vec<String> = Vec::new();
        if let Some(state) = &request.request_state {
            let Waiting::Read { question, agreed: before } = self.shared.held.take(state, &made_for)? else {
                return Err(invalid("the request state belongs to another request").into());
            };
            agreed = before;
            let Some(answer) = asking.heard(&question, request.input_responses.as_ref()) else {
                let again = asking.later(&question).map_err(invalid)?;
                let waiting = Waiting::Read { question, agreed };
                return Ok(self.shared.held.put(made_for, waiting, again)?.into());
            };
            self.agree(&question, &answer, &mut agreed).await?;
        }
        loop {
            let Some(question) = self.next_question(&request.uri, &agreed).await? else { break };
            match asking.ask(&question).await {
                Heard::Answer(answer) => self.agree(&question, &answer, &mut agreed).await?,
                Heard::Nobody(why) => {
                    return Err(Unread::new("not-asked", format!("reading this needs the user's yes: {why}")));
                }
                Heard::Later(form) => {
                    let waiting = Waiting::Read { question, agreed };
                    return Ok(self.shared.held.put(made_for, waiting, *form)?.into());
                }
            }
        }
        let uri = request.uri;
        Ok(self.shared.work(move |shared, seen| shared.read(seen, &uri)).await??.into())
    }

    async fn next_question(&self, uri: &str, agreed: &[String]) -> Result<Option<Question>, Unread> {
        let (uri, session) = (uri.to_owned(), Arc::clone(&self.session).lock_owned().await);
        let questions = self.shared.work(move |shared, seen| shared.before_reading(seen, &session, &uri)).await??;
        Ok(questions.into_iter().find(|question| !agreed.contains(&question.key())))
    }

    /// Keeps the answer to a question for as long as the user said; no is an error.
    async fn agree(
        &self,
        question: &Question,
        answer: &openoxide_runtime::Answer,
        agreed: &mut Vec<String>,
    ) -> Result<(), Unread> {
        if !answer.is_yes() {
            return Err(Unread::new("rejected", "the user did not allow it"));
        }
        agreed.push(question.key());
        let mut session = Arc::clone(&self.session).lock_owned().await;
        let (question, answer) = (question.clone(), answer.clone());
        // What cannot be written down counts for this time.
        let keep = move |_: &Shared, seen: &Seen| drop(seen.runtime().keep_answer(&mut session, &question, &answer));
        Ok(self.shared.work(keep).await?)
    }
}
