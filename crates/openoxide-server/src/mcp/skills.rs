//! Serves skills and what is in their folders by the extension `io.modelcontextprotocol/skills`.

use std::path::Path;

use openoxide_app::mcp_skills::{OWN_FILE, ServedChild, ServedSkill, ServedSkills, address};
use openoxide_app::{ResourceAnswer, ResourceContent, ResourceFolder, shown_name};
use rmcp::ErrorData;
use rmcp::model::{CustomResult, Resource};
use serde_json::{Value, json};

use super::reading::{Asked, Read};
use super::{Context, McpServer, McpState, McpView, Result, after, cursor, invalid, page, shortened};

/// The method that lists a folder.
pub(super) const DIRECTORY: &str = "resources/directory/read";
/// How long an answer may be taken for the present: about as long as the catalog takes to follow the disk.
pub(super) const TTL_MS: u64 = 1000;
/// Most entries of one page.
const PAGE: usize = 100;
/// About how many bytes of one page; an entry is never split.
const PAGE_BYTES: usize = 512 * 1024;
const FOLDER: &str = "inode/directory";
/// Most names of one page.
const NAMES_PAGE: usize = 500;
/// What marks cursors of this list.
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

    fn list_folder(&self, view: &McpView, uri: &str, folder: &ResourceFolder, params: &Value) -> Result<CustomResult> {
        let target = view.skills.addresses.find(uri).ok_or_else(|| no_folder(uri))?;
        let children = view.skills.children(&self.cache, &target, folder);
        let (served, mut children) = children.ok_or_else(|| no_folder(uri))?;
        // A cursor is of one folder only.
        let list = format!("directory {uri}");
        let key = |child: &ServedChild| address("", Path::new(child.path.file_name().unwrap_or_default()));
        children.sort_by_key(key);
        let (children, next) = page(&list, children.into_iter(), text(params, "cursor")?, NAMES_PAGE, key)?;
        let resource = |child: &ServedChild| self::resource(view, target.root, &served, &child.path, child.is_folder);
        let resources: Vec<Resource> = children.iter().map(resource).collect();
        let mut answer = json!({ "resultType": "complete", "resources": resources });
        if let Some(next) = next {
            answer["nextCursor"] = json!(next);
        }
        Ok(CustomResult::new(answer))
    }
}

impl McpServer {
    /// Answers `resources/directory/read`; asks the user before, if rules say so.
    pub(super) async fn read_directory(&self, params: Value, context: &Context) -> Result<CustomResult> {
        let uri = text(&params, "uri")?.ok_or_else(|| invalid("the parameter `uri` is missing"))?;
        // A folder is called with a slash at its end, too.
        let uri = uri.strip_suffix('/').filter(|rest| !rest.ends_with('/')).unwrap_or(uri).to_owned();
        let responses = params.get("inputResponses").cloned().map(serde_json::from_value).transpose();
        let responses = responses.map_err(|_| invalid("the parameter `inputResponses` is wrong"))?;
        let repeated = text(&params, "requestState")?.map(|handle| (handle.to_owned(), responses));
        let asked = Asked { method: DIRECTORY, uri: &uri, repeated, begin: ServedSkills::read_folder };
        match self.read_at(asked, context, || no_folder(&uri)).await? {
            Read::Later(asked) => Ok(CustomResult::new(json!(asked))),
            Read::Done(ResourceAnswer { found: ResourceContent::Folder(folder), .. }) => {
                self.state.work(move |state, view| state.list_folder(view, &uri, &folder, &params)).await?
            }
            Read::Done(_) => Err(no_folder(&uri)),
        }
    }
}

fn no_folder(uri: &str) -> ErrorData {
    invalid(format!("{} is not a folder of a skill", shortened(uri)))
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

pub(super) fn resource(view: &McpView, root: &str, served: &ServedSkill, path: &Path, is_folder: bool) -> Resource {
    let name = path.file_name().map(|name| shown_name(Path::new(name))).unwrap_or_default();
    let mut resource = Resource::new(address(root, path), name);
    if is_folder {
        resource.mime_type = Some(FOLDER.to_owned());
        return resource;
    }
    // A file that was not read has no type: its name may promise anything.
    let file = served.files.as_ref().and_then(|files| files.file(path));
    resource.mime_type = file.map(|file| view.skills.media_type(file).to_owned());
    resource.size = file.map(|file| file.size);
    if path == Path::new(OWN_FILE) {
        let name = served.frontmatter.get("name").and_then(Value::as_str);
        name.unwrap_or_default().clone_into(&mut resource.name);
        resource.description = served.description();
    }
    resource
}
