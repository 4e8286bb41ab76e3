//! Files of skills as resources.

use std::path::Path;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use openoxide_app::mcp_skills::{OWN_FILE, ServedSkills};
use openoxide_app::{ResourceAnswer, ResourceBytes, ResourceContent, SkillFile};
use rmcp::model::{
    CacheScope, ListResourceTemplatesResult, ListResourcesResult, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
};

use super::reading::{Asked, Read};
use super::skills::resource;
use super::{Context, McpServer, McpState, McpView, Result, TTL_MS, no_resource, page};

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
            Some(resource(view, root, &served, Path::new(OWN_FILE), false))
        };
        let mut result = ListResourcesResult::with_all_items(roots.into_iter().filter_map(own).collect());
        result.next_cursor = next;
        Ok(result.with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Private))
    }
}

fn contents(uri: &str, kind: String, bytes: Vec<u8>) -> ResourceContents {
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
        let ReadResourceRequestParams { uri, request_state, input_responses, .. } = request;
        let nothing = || no_resource(&uri);
        let repeated = request_state.map(|handle| (handle, input_responses));
        let asked = Asked { method: "resources/read", uri: &uri, repeated, begin: ServedSkills::read };
        match self.read_at(asked, context, nothing).await? {
            Read::Later(asked) => Ok(asked.into()),
            Read::Done(ResourceAnswer { found: ResourceContent::File(file), content_type, .. }) => {
                Ok(read_result(&uri, content_type, file).ok_or_else(nothing)?.into())
            }
            Read::Done(_) => Err(nothing()),
        }
    }
}

fn read_result(uri: &str, content_type: String, file: SkillFile) -> Option<ReadResourceResult> {
    let bytes = match file.bytes {
        ResourceBytes::Binary(bytes) => bytes,
        ResourceBytes::Text { text, .. } => text.into_bytes(),
        // A message holds bytes, so no file is asked for.
        ResourceBytes::Open(_) => return None,
    };
    let contents = contents(uri, content_type, bytes);
    Some(ReadResourceResult::new(vec![contents]).with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Private))
}
