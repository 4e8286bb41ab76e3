//! What is in a folder of a skill: `resources/directory/read`.

use std::path::{Path, PathBuf};

use openoxide_app::mcp_skills::{OWN_FILE, ServedSkill, address};
use openoxide_app::{SkillDirEntry, media_type_by_name, shown_name};
use rmcp::model::{CustomResult, Resource};
use serde_json::{Value, json};

use super::{McpState, McpView, Result, invalid, page, shortened, skills::text};

const FOLDER: &str = "inode/directory";
/// Most names of one page.
const PAGE: usize = 500;

impl McpState {
    /// Answers `resources/directory/read`.
    pub(super) fn read_directory(&self, view: &McpView, params: &Value) -> Result<CustomResult> {
        let uri = text(params, "uri")?.ok_or_else(|| invalid("the parameter `uri` is missing"))?;
        let no_folder = || invalid(format!("{} is not a folder of a skill", shortened(uri)));
        let target = view.skills.addresses.find(uri).ok_or_else(no_folder)?;
        let (served, children) = view.skills.children(&self.cache, &target).ok_or_else(no_folder)?;
        let folder = target.path.as_ref().map_or_else(PathBuf::new, |path| path.as_path().to_owned());
        // A cursor is of one folder only.
        let list = format!("directory {uri}");
        let key = |child: &SkillDirEntry| address("", Path::new(&child.name));
        let mut children = children;
        children.sort_by_key(key);
        let (children, next) = page(&list, children.into_iter(), text(params, "cursor")?, PAGE, key)?;
        let resource =
            |child: &SkillDirEntry| self::resource(target.root, &served, &folder.join(&child.name), child.is_folder);
        let resources: Vec<Resource> = children.iter().map(resource).collect();
        let mut answer = json!({ "resultType": "complete", "resources": resources });
        if let Some(next) = next {
            answer["nextCursor"] = json!(next);
        }
        Ok(CustomResult::new(answer))
    }
}

pub(super) fn resource(root: &str, served: &ServedSkill, path: &Path, is_folder: bool) -> Resource {
    let name = path.file_name().map(|name| shown_name(Path::new(name))).unwrap_or_default();
    let mut resource = Resource::new(address(root, path), name);
    if is_folder {
        resource.mime_type = Some(FOLDER.to_owned());
        return resource;
    }
    resource.mime_type = media_type_by_name(path).map(str::to_owned);
    resource.size = served.files.as_ref().and_then(|files| files.file(path)).map(|file| file.size);
    if path == Path::new(OWN_FILE) {
        let name = served.frontmatter.get("name").and_then(Value::as_str);
        name.unwrap_or_default().clone_into(&mut resource.name);
        resource.description = served.description().map(str::to_owned);
    }
    resource
}
