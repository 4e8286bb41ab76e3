//! What is in a folder of a skill: `resources/directory/read`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use openoxide_runtime::media_type_by_name;
use openoxide_skills::resource::{SkillDir, SkillDirEntry, shown_name};
use rmcp::ErrorData;
use rmcp::model::{CustomResult, Resource};
use serde_json::{Value, json};

use super::address::{Meant, OWN_FILE, address};
use super::error::{invalid, shortened};
use super::pagination::page;
use super::seen::{Seen, Shared};
use super::served::Served;
use super::skills::text;

/// The media type of a folder.
const FOLDER: &str = "inode/directory";
/// Most names that are read of one folder.
const NAMES_MAX: usize = 10_000;
/// Most names of one page.
const PAGE: usize = 500;

impl Shared {
    /// Answers `resources/directory/read`.
    pub(super) fn read_directory(&self, seen: &Seen, params: &Value) -> Result<CustomResult, ErrorData> {
        let uri = text(params, "uri")?.ok_or_else(|| invalid("the parameter `uri` is missing"))?;
        let no_folder = || invalid(format!("{} is not a folder of a skill", shortened(uri)));
        let meant = seen.addresses.find(uri).ok_or_else(no_folder)?;
        let (served, children) = self.children(seen, &meant).ok_or_else(no_folder)?;
        let folder = meant.path.as_ref().map_or_else(PathBuf::new, |path| path.as_path().to_owned());
        // A cursor is of one folder only.
        let list = format!("directory {uri}");
        let key = |child: &SkillDirEntry| address("", Path::new(&child.name));
        let mut children = children;
        children.sort_by_key(key);
        let (children, next) = page(&list, children.into_iter(), text(params, "cursor")?, PAGE, key)?;
        let resource =
            |child: &SkillDirEntry| self::resource(meant.root, &served, &folder.join(&child.name), child.is_folder);
        let resources: Vec<Resource> = children.iter().map(resource).collect();
        let mut answer = json!({ "resultType": "complete", "resources": resources });
        if let Some(next) = next {
            answer["nextCursor"] = json!(next);
        }
        Ok(CustomResult::new(answer))
    }

    fn children(&self, seen: &Seen, meant: &Meant<'_>) -> Option<(Arc<Served>, Vec<SkillDirEntry>)> {
        let entry = seen.entry(meant.at)?;
        let served = self.memory.look(seen.catalog(), entry)?;
        let dir = SkillDir::of(seen.catalog(), entry).ok()?;
        Some((served, dir.children(meant.path.as_ref(), NAMES_MAX).ok()?))
    }
}

/// Describes a file or a folder of a skill.
pub(super) fn resource(root: &str, served: &Served, path: &Path, is_folder: bool) -> Resource {
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
