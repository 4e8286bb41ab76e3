//! `skills/list`, in the shape that clients of the protocol know. Its types are its own: our answers may grow, this one not.

use std::path::{Path, PathBuf};
use std::{collections::HashMap, sync::Arc};

use crate::rpc::{Client, RpcError, params};
use openoxide_app::{
    Catalog, Entry, Error, Place, SkillInterface, SkillScope, Snapshot, Status, ToolDependency, WorkspaceError, list,
    path_text,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

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

/// What counts in a folder.
#[derive(Serialize)]
struct InFolder {
    /// The folder, as it was sent.
    cwd: String,
    skills: Vec<SkillShape>,
    errors: Vec<ErrorShape>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SkillShape {
    name: String,
    description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    short_description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    interface: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dependencies: Option<DependenciesShape>,
    path: String,
    scope: &'static str,
    enabled: bool,
    plugin_id: Option<String>,
}

#[derive(Serialize)]
struct DependenciesShape {
    tools: Vec<ToolShape>,
}

#[derive(Serialize)]
struct ToolShape {
    #[serde(rename = "type")]
    kind: String,
    value: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    transport: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
}

#[derive(Serialize)]
struct ErrorShape {
    path: String,
    message: String,
}

pub(super) async fn list(client: &Client, given: Value) -> Result<Value, RpcError> {
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

/// Looks again at some folders, or at the server's own; answers how many skills count there now.
pub(super) async fn reload(client: &Client, given: Value) -> Result<Value, RpcError> {
    let ListParams { mut cwds, .. } = params(given)?;
    if cwds.is_empty() {
        cwds.push(client.engine.here.folder.clone());
    }
    let mut data = Vec::new();
    for cwd in cwds.iter().take(FOLDERS) {
        let counted = |snapshot: &Arc<Snapshot>| (snapshot.version, snapshot.catalog.skills.len());
        let (version, skills) = client.work(client.place(Some(cwd), &[]), true, counted).await??;
        data.push(json!({ "cwd": path_text(cwd), "version": version, "skills": skills }));
    }
    Ok(json!({ "data": data }))
}

/// Returns the folders that are added for some of the folders, by the whole path of those.
fn extra_roots(client: &Client, given: Vec<ExtraRoots>) -> Result<HashMap<PathBuf, Vec<PathBuf>>, RpcError> {
    let here = &client.engine.here.folder;
    let mut all: HashMap<PathBuf, Vec<PathBuf>> = HashMap::new();
    for ExtraRoots { cwd, extra_user_roots } in given {
        absolute(&extra_user_roots)?;
        all.entry(here.join(cwd)).or_default().extend(extra_user_roots);
    }
    Ok(all)
}

/// Refuses folders that would mean another place from another folder.
pub(super) fn absolute(roots: &[PathBuf]) -> Result<(), RpcError> {
    if roots.len() > FOLDERS {
        return Err(RpcError::params(format!("there are more than {FOLDERS} folders")));
    }
    match roots.iter().find(|root| !root.is_absolute()) {
        Some(root) => Err(RpcError::invalid(format_args!("`{}` is not an absolute path", path_text(root)))),
        None => Ok(()),
    }
}

async fn in_folder(
    client: &Client,
    cwd: &Path,
    extra: &HashMap<PathBuf, Vec<PathBuf>>,
    again: bool,
) -> Result<InFolder, RpcError> {
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
        Err(error) => (Vec::new(), vec![ErrorShape { path: shown.clone(), message: error.to_string() }]),
    };
    Ok(InFolder { cwd: shown, skills, errors })
}

fn shapes(snapshot: &Arc<Snapshot>) -> (Vec<SkillShape>, Vec<ErrorShape>) {
    let skills = list::switchable(snapshot).into_iter().map(|entry| skill(&snapshot.catalog, entry));
    let errors = list::load_errors(snapshot).into_iter().map(|(path, message)| ErrorShape { path, message });
    (skills.collect(), errors.collect())
}

fn skill(catalog: &Catalog, entry: &Entry) -> SkillShape {
    let skill = &entry.skill;
    let tools: Vec<_> = skill.dependencies.iter().flat_map(|all| &all.tools).map(tool).collect();
    SkillShape {
        name: skill.name.to_string(),
        description: skill.description.to_string(),
        short_description: skill.short_description.clone(),
        interface: skill.interface.as_deref().map(interface),
        dependencies: (!tools.is_empty()).then_some(DependenciesShape { tools }),
        path: path_text(&skill.path),
        scope: match skill.scope {
            // The protocol has four words; a plugin is something that the user added.
            SkillScope::Plugin => SkillScope::User.as_str(),
            scope => scope.as_str(),
        },
        enabled: entry.status != Status::Disabled,
        plugin_id: catalog.roots[entry.root].root.plugin.as_ref().map(|plugin| plugin.id.clone()),
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

fn tool(tool: &ToolDependency) -> ToolShape {
    ToolShape {
        kind: tool.kind.clone(),
        value: tool.value.clone(),
        description: tool.description.clone(),
        transport: tool.transport.clone(),
        command: tool.command.clone(),
        url: tool.url.clone(),
    }
}
