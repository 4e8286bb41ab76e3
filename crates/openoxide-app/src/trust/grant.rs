//! Gives a skill permissions, for its files as they are now.

use std::{collections::BTreeMap, path::PathBuf};

use openoxide_config::{ApprovalState, Grant, PermissionKind, Timestamp, TrustRecord, Workspace};
use openoxide_live::Snapshot;
use openoxide_runtime::{InspectionError, Runtime, variable_item};
use openoxide_skills::skill::{SkillHooks, ToolDependency};
use openoxide_skills::text::{TerminalText, path_text};
use openoxide_skills::{catalog::Entry, resource::shown_name};
use openoxide_wire::ChangeLine;

use super::store::{now, open_store};
use crate::{Error, ErrorKind, find};

/// The permissions that a skill asks for. All of it must be shown before it is granted: what is not shown is not given.
#[derive(Clone, Debug)]
pub struct GrantRequest {
    /// The skill's name.
    pub name: String,
    /// The skill's file, without links.
    pub skill: PathBuf,
    /// The digest of everything in its folder.
    pub digest: String,
    /// Each permission, with everything that it would allow.
    pub permissions: Vec<(PermissionKind, Vec<String>)>,
    /// The permissions that it has already, requested or not.
    pub given: Vec<PermissionKind>,
    /// Whether the skill has all of them already.
    pub is_granted: bool,
    /// When permission was given to other bytes of the same skill.
    pub changed_since: Option<Timestamp>,
}

/// Returns what a skill asks for; with `wanted`, only of these kinds.
pub fn request(snapshot: &Snapshot, skill: &str, wanted: &[PermissionKind]) -> Result<GrantRequest, Error> {
    let runtime = snapshot.runtime()?;
    let entry = find(&snapshot.workspace, runtime.catalog(), skill)?[0];
    let (name, skill) = (entry.skill.name.to_string(), entry.canonical().to_owned());
    let (digest, permissions) = inspect(runtime, entry)?;
    let is_wanted = |kind: PermissionKind| wanted.is_empty() || wanted.contains(&kind);
    let (trust, _) = open_store(&snapshot.workspace)?;
    let has = |kind, item: &String| trust.approval_for(&skill, &digest, kind, item) == ApprovalState::Approved;
    let is_given = |kind, items: &[String]| items.iter().all(|item| has(kind, item));
    let given = permissions.iter().filter(|(kind, items)| is_given(**kind, items)).map(|(kind, _)| *kind).collect();
    let permissions: Vec<(PermissionKind, Vec<String>)> =
        permissions.into_iter().filter(|(kind, _)| is_wanted(*kind)).collect();
    let is_granted = permissions.iter().all(|(kind, items)| is_given(*kind, items));
    let changed_since = permissions.iter().find_map(|(kind, _)| match trust.approval(&skill, &digest, *kind) {
        ApprovalState::Changed { since } => Some(since),
        ApprovalState::Approved | ApprovalState::NotApproved => None,
    });
    Ok(GrantRequest { name, skill, digest, permissions, given, is_granted, changed_since })
}

impl GrantRequest {
    /// Returns the permissions that the skill has once this is granted.
    pub fn kinds_after(&self) -> Vec<PermissionKind> {
        let has = |kind: &PermissionKind| {
            self.given.contains(kind) || self.permissions.iter().any(|(wanted, _)| wanted == kind)
        };
        PermissionKind::ALL.into_iter().filter(has).collect()
    }
}

/// Grants what was requested, and shown.
pub fn grant(workspace: &Workspace, request: GrantRequest) -> Result<Vec<ChangeLine>, Error> {
    let (mut trust, file) = open_store(workspace)?;
    let mut changes = Vec::new();
    for (permission, shown) in request.permissions {
        let (skill, digest) = (request.skill.clone(), request.digest.clone());
        let target = format!("{} {}", path_text(&skill), permission.as_str());
        if trust.add(TrustRecord::Grant(Grant { skill, digest, permission, shown, at: now() }))? {
            changes.push(ChangeLine::new("grant", &file, Some(target)));
        }
    }
    Ok(changes)
}

/// Looks through a skill's files. Returns the digest of everything in its folder, and each permission that it asks for with
/// everything that the permission would allow.
fn inspect(runtime: &Runtime, entry: &Entry) -> Result<(String, BTreeMap<PermissionKind, Vec<String>>), Error> {
    let look = runtime.inspect(entry).map_err(|error| match error {
        InspectionError::Refused(refusal) => {
            Error::other(ErrorKind::Failed, refusal.why.as_str(), TerminalText(&refusal.text).to_string())
        }
        InspectionError::NoDigest(error) => {
            let message = format!("it can have no permissions: {}", TerminalText(&error.to_string()));
            Error::other(ErrorKind::Failed, "no-digest", message)
        }
    })?;
    let mut permissions: BTreeMap<PermissionKind, Vec<String>> = BTreeMap::new();
    for permission in &look.permissions {
        let items = permissions.entry(permission.kind).or_default();
        for item in permission.items() {
            // What the skill says twice is given once.
            if !items.contains(&item) {
                items.push(item);
            }
        }
    }
    let scripts = look.files.iter().filter(|file| file.executable || file.path.starts_with("scripts"));
    let mut scripts: Vec<String> = scripts.map(|file| shown_name(&file.path)).collect();
    if !scripts.is_empty() {
        scripts.extend(look.variables.iter().map(|name| variable_item(name)));
    }
    let tools = entry.skill.dependencies.iter().flat_map(|dependencies| &dependencies.tools);
    let servers = tools.filter(|tool| tool.kind == "mcp").map(server).collect();
    let hooks = hooks(&entry.skill.frontmatter.rare().hooks);
    let declared = [(PermissionKind::Hook, hooks), (PermissionKind::Mcp, servers), (PermissionKind::Script, scripts)];
    // What the runtime says comes first; the rest is what the skill says of itself.
    for (kind, items) in declared.into_iter().filter(|(_, items)| !items.is_empty()) {
        permissions.entry(kind).or_insert(items);
    }
    Ok((look.digest, permissions))
}

fn hooks(hooks: &SkillHooks) -> Vec<String> {
    let line = |event: &String, matcher: Option<&String>, command: &str| match matcher {
        Some(matcher) => format!("{event} on {matcher}: {command}"),
        None => format!("{event}: {command}"),
    };
    let handlers =
        hooks.hooks.iter().flat_map(|(event, handlers)| handlers.iter().map(move |handler| (event, handler)));
    handlers.map(|(event, handler)| line(event, handler.matcher.as_ref(), &handler.command)).collect()
}

fn server(tool: &ToolDependency) -> String {
    let how = tool.command.as_ref().or(tool.url.as_ref());
    how.map_or_else(|| tool.value.clone(), |how| format!("{}: {how}", tool.value))
}
