//! Skills as the extension `io.modelcontextprotocol/skills` serves them: entries with frontmatter, digests and sizes.

use rmcp::model::CustomResult;
use serde_json::{Value, json};

use super::{McpState, McpView, Result, after, cursor, invalid, shortened};

/// How long an answer may be taken for the present: about as long as the catalog takes to follow the disk.
pub(super) const TTL_MS: u64 = 1000;
/// Most entries of one page.
const PAGE: usize = 100;
/// About how many bytes of one page; an entry is never split.
const PAGE_BYTES: usize = 512 * 1024;
/// What cursors of this list are told by.
const LIST: &str = "skills";

impl McpState {
    pub(super) fn list_skills(&self, view: &McpView, params: &Value) -> Result<CustomResult> {
        let after = after(LIST, text(params, "cursor")?)?;
        let mut roots =
            view.skills.addresses.roots().filter(|(root, _)| after.as_ref().is_none_or(|after| **root > **after));
        let (mut skills, mut bytes, mut last) = (Vec::new(), 0, None);
        for (root, at) in roots.by_ref() {
            last = Some(root);
            if let Some(served) = view.skills.skill(&self.cache, at) {
                let entry = served.entry(root);
                bytes += entry.to_string().len();
                skills.push(entry);
            }
            if skills.len() >= PAGE || bytes >= PAGE_BYTES {
                break;
            }
        }
        let mut answer = complete(json!({ "skills": skills }));
        if let (Some(last), true) = (last, roots.next().is_some()) {
            answer["nextCursor"] = json!(cursor(LIST, last));
        }
        Ok(CustomResult::new(answer))
    }

    pub(super) fn get_skill(&self, view: &McpView, params: &Value) -> Result<CustomResult> {
        let uri = text(params, "uri")?.ok_or_else(|| invalid("the parameter `uri` is missing"))?;
        let entry = view.skills.skill_at(&self.cache, uri).map(|(root, served)| served.entry(root));
        let entry = entry.ok_or_else(|| invalid(format!("no skill is served at {}", shortened(uri))))?;
        Ok(CustomResult::new(complete(json!({ "skill": entry }))))
    }
}

/// Adds what every complete answer of the extension says.
fn complete(mut answer: Value) -> Value {
    answer["resultType"] = json!("complete");
    answer["ttlMs"] = json!(TTL_MS);
    answer["cacheScope"] = json!("private");
    answer
}

/// Returns a parameter that is a text.
pub(super) fn text<'p>(params: &'p Value, key: &str) -> Result<Option<&'p str>> {
    match params.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(invalid(format!("the parameter `{key}` must be a text"))),
    }
}
