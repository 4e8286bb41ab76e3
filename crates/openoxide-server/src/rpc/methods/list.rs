//! `skills/list`, in the shape that clients of the protocol know. It is written here: our answers may grow, this one not.

use std::path::{Path, PathBuf};
use std::{collections::HashMap, sync::Arc};

use openoxide_app::{
    Catalog, Entry, Error, Place, SkillInterface, SkillScope, Snapshot, Status, ToolDependency, WorkspaceError, list,
    path_text, reload,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::rpc::{Client, Result, RpcError, params};

/// How many folders one request can be about.
const FOLDERS: usize = 256;

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ListParams {
    cwds: Vec<PathBuf>,
    force_reload: bool,
    per_cwd_extra_user_roots: Option<Vec<ExtraRoots>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ExtraRoots {
    cwd: PathBuf,
    extra_user_roots: Vec<PathBuf>,
}

pub(super) async fn list(client: &Client, given: Value) -> Result<Value> {
    let ListParams { mut cwds, force_reload, per_cwd_extra_user_roots } = params(given)?;
    let extra = extra_roots(client, per_cwd_extra_user_roots.unwrap_or_default())?;
    if cwds.is_empty() {
        cwds.push(client.engine.here.folder.clone());
    }
    if cwds.len() > FOLDERS {
        return Err(RpcError::params(format!("`cwds` has more than {FOLDERS} folders")));
    }
    let mut data = Vec::with_capacity(cwds.len());
    for cwd in &cwds {
        data.push(in_folder(client, cwd, &extra, force_reload).await?);
    }
    Ok(json!({ "data": data }))
}

/// Looks again at some folders, or at the server's own; answers how many skills are active there now.
pub(super) async fn reload(client: &Client, given: Value) -> Result<Value> {
    let ListParams { mut cwds, .. } = params(given)?;
    if cwds.is_empty() {
        cwds.push(client.engine.here.folder.clone());
    }
    let mut data = Vec::new();
    for cwd in cwds.iter().take(FOLDERS) {
        let seen = client.work(client.place(Some(cwd), &[]), true, |snapshot| reload::answer(snapshot)).await??;
        data.push(json!({ "cwd": path_text(cwd), "version": seen.version, "skills": seen.skills }));
    }
    Ok(json!({ "data": data }))
}

/// Returns the folders that are added for some of the folders, by the whole path of those.
fn extra_roots(client: &Client, given: Vec<ExtraRoots>) -> Result<HashMap<PathBuf, Vec<PathBuf>>> {
    let here = &client.engine.here.folder;
    let mut all: HashMap<PathBuf, Vec<PathBuf>> = HashMap::new();
    for ExtraRoots { cwd, extra_user_roots } in given {
        absolute(&extra_user_roots)?;
        all.entry(here.join(cwd)).or_default().extend(extra_user_roots);
    }
    Ok(all)
}

/// Refuses folders that would mean another place from another folder.
pub(super) fn absolute(roots: &[PathBuf]) -> Result<()> {
    if roots.len() > FOLDERS {
        return Err(RpcError::params(format!("there are more than {FOLDERS} folders")));
    }
    match roots.iter().find(|root| !root.is_absolute()) {
        Some(root) => Err(RpcError::invalid(format_args!("`{}` is not an absolute path", path_text(root)))),
        None => Ok(()),
    }
}

async fn in_folder(client: &Client, cwd: &Path, extra: &HashMap<PathBuf, Vec<PathBuf>>, again: bool) -> Result<Value> {
    let whole = client.engine.here.folder.join(cwd);
    let place = client.place(Some(cwd), extra.get(&whole).map_or(&[], Vec::as_slice));
    let shown = path_text(cwd);
    let missing = Place { may_be_missing: true, ..place.clone() };
    let mut looked = client.work(place, again, shapes).await?;
    if matches!(looked, Err(Error::Workspace(WorkspaceError::NoFolder { .. }))) {
        looked = client.work(missing, again, shapes).await?;
    }
    let (skills, errors) = match looked {
        Ok(shapes) => shapes,
        // A path that cannot be a folder at all has no skills.
        Err(Error::Workspace(WorkspaceError::NoFolder { .. })) => (Vec::new(), Vec::new()),
        Err(error) => (Vec::new(), vec![json!({ "path": shown, "message": error.to_string() })]),
    };
    Ok(json!({ "cwd": shown, "skills": skills, "errors": errors }))
}

/// Writes the skills of a place, and what is wrong with files that are none.
fn shapes(snapshot: &Arc<Snapshot>) -> (Vec<Value>, Vec<Value>) {
    let skills = list::switchable(snapshot).into_iter().map(|entry| skill(&snapshot.catalog, entry));
    let error = |(path, message): (String, String)| json!({ "path": path, "message": message });
    (skills.collect(), list::load_errors(snapshot).into_iter().map(error).collect())
}

fn skill(catalog: &Catalog, entry: &Entry) -> Value {
    let skill = &entry.skill;
    let tools: Vec<_> = skill.dependencies.iter().flat_map(|all| &all.tools).map(tool).collect();
    let scope = match skill.scope {
        // The protocol has four words; a plugin is something that the user added.
        SkillScope::Plugin => SkillScope::User,
        scope => scope,
    };
    let mut shape = json!({ "name": skill.name, "description": skill.description });
    add(&mut shape, "shortDescription", skill.short_description.as_ref());
    add(&mut shape, "interface", skill.interface.as_deref().map(interface));
    add(&mut shape, "dependencies", (!tools.is_empty()).then(|| json!({ "tools": tools })));
    shape["path"] = path_text(&skill.path).into();
    shape["scope"] = scope.as_str().into();
    shape["enabled"] = (entry.status != Status::Disabled).into();
    shape["pluginId"] = json!(catalog.roots[entry.root].root.plugin.as_ref().map(|plugin| &plugin.id));
    shape
}

/// Adds a key, which is left out without a value.
fn add(shape: &mut Value, key: &str, value: Option<impl Serialize>) {
    if let Some(value) = value {
        shape[key] = json!(value);
    }
}

/// Writes how a skill presents itself. Every key is there, even without a value.
fn interface(interface: &SkillInterface) -> Value {
    json!({
        "displayName": interface.display_name,
        "shortDescription": interface.short_description,
        "iconSmall": interface.icon_small.as_deref().map(path_text),
        "iconLarge": interface.icon_large.as_deref().map(path_text),
        "iconSmallUrl": null,
        "iconLargeUrl": null,
        "brandColor": interface.brand_color,
        "defaultPrompt": interface.default_prompt,
    })
}

fn tool(tool: &ToolDependency) -> Value {
    let mut shape = json!({ "type": tool.kind, "value": tool.value });
    let ToolDependency { description, transport, command, url, .. } = tool;
    for (key, text) in [("description", description), ("transport", transport), ("command", command), ("url", url)] {
        add(&mut shape, key, text.as_ref());
    }
    shape
}
