//! Files of skills as resources.

use std::{path::Path, sync::Arc};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use openoxide_app::mcp_skills::OWN_FILE;
use openoxide_app::{
    ReadProblem, ReadRefusal, ReadRefusalReason, ResourceAnswer, ResourceBytes, ResourceContent, SkillFile, media_type,
};
use rmcp::ErrorData;
use rmcp::model::{
    CacheScope, ListResourceTemplatesResult, ListResourcesResult, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
};
use serde_json::json;

use super::skills::resource;
use super::{Context, Elicited, Elicitor, McpServer, McpState, McpView, Result, TTL_MS, no_resource, page};
use crate::{Action, Decision, RequestKey};

/// Most resources of one page.
const PAGE: usize = 200;
/// Every file of every skill.
pub(super) const TEMPLATE: &str = "skill://{+skill}/{+path}";

impl McpState {
    pub(super) fn list_resources(&self, view: &McpView, cursor: Option<&str>) -> Result<ListResourcesResult> {
        let (roots, next) =
            page("resources", view.skills.addresses.roots(), cursor, PAGE, |(root, _)| (*root).to_owned())?;
        let own = |(root, at): (&str, usize)| -> Option<Resource> {
            let served = view.skills.skill(&self.cache, at)?;
            Some(resource(root, &served, Path::new(OWN_FILE), false))
        };
        let mut result = ListResourcesResult::with_all_items(roots.into_iter().filter_map(own).collect());
        result.next_cursor = next;
        Ok(result.with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Private))
    }
}

fn contents(uri: &str, path: &Path, bytes: Vec<u8>) -> ResourceContents {
    let kind = media_type(path, &bytes);
    match String::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => ResourceContents::text(text, uri).with_mime_type(kind),
        Ok(text) => ResourceContents::blob(STANDARD.encode(text), uri).with_mime_type(kind),
        Err(error) => ResourceContents::blob(STANDARD.encode(error.as_bytes()), uri).with_mime_type(kind),
    }
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

impl McpServer {
    /// Reads a file; asks the user before, if rules say so.
    pub(super) async fn read_file(
        &self,
        request: ReadResourceRequestParams,
        context: &Context,
    ) -> Result<ReadResourceResponse> {
        let uri = request.uri;
        let elicitor = Elicitor::new(self, context, RequestKey::new("resources/read", &uri, json!(null)));
        let elicited = if let Some(handle) = &request.request_state {
            elicitor.resume(handle, request.input_responses.as_ref()).await?
        } else {
            let view = self.state.view().await?;
            let (of, address) = (Arc::clone(&view), uri.clone());
            let reading = self.state.work(move |state, _| of.skills.read(&state.cache, &address)).await?;
            let Some(reading) = reading else {
                elicitor.engine.note(Action::Read, &uri, None, Some(&uri), Decision::Deny("unknown".to_owned()));
                return Err(no_resource(&uri));
            };
            elicitor.begin(&view.snapshot, reading).await?
        };
        let (outcome, unasked) = match elicited {
            Elicited::Later(asked) => return Ok(asked.into()),
            Elicited::Done(outcome, unasked) => (outcome, unasked),
        };
        match outcome.result {
            Ok(ResourceAnswer { found: ResourceContent::File(file), .. }) => Ok(read_result(&uri, file).into()),
            Ok(_) => Err(no_resource(&uri)),
            Err(refusal) => Err(not_read(&uri, &refusal, &unasked)),
        }
    }
}

fn read_result(uri: &str, file: SkillFile) -> ReadResourceResult {
    let bytes = match file.bytes {
        ResourceBytes::Binary(bytes) => bytes,
        ResourceBytes::Text { text, .. } => text.into_bytes(),
    };
    let contents = contents(uri, Path::new(&file.path), bytes);
    ReadResourceResult::new(vec![contents]).with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Private)
}

/// Says why a file is not read. Anything but a rule or the user is as if the file did not exist.
fn not_read(uri: &str, refusal: &ReadRefusal, unasked: &[String]) -> ErrorData {
    let text = match refusal.reason {
        ReadRefusalReason::Problem(ReadProblem::Forbidden) => {
            "a permission rule does not let this file be read".to_owned()
        }
        ReadRefusalReason::Rejected => "the user did not allow it".to_owned(),
        ReadRefusalReason::NotAsked => format!("reading this needs the user's yes: {}", unasked.join("; ")),
        _ => return no_resource(uri),
    };
    ErrorData::invalid_params(text, Some(json!({ "problem": refusal.word() })))
}
