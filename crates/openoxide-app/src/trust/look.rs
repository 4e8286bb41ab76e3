//! Looks through a skill's files for the permissions that it asks for, and their digest.

use std::collections::BTreeMap;

use openoxide_config::PermissionKind;
use openoxide_runtime::{InspectionError, Runtime, variable_item};
use openoxide_skills::catalog::Entry;
use openoxide_skills::resource::shown_name;
use openoxide_skills::skill::{SkillHooks, ToolDependency};
use openoxide_skills::text::TerminalText;

use crate::error::{Error, ErrorKind};

/// What a skill asks for.
pub(super) struct Look {
    /// The digest of everything in its folder.
    pub(super) digest: String,
    /// Each permission, with everything that it would allow.
    pub(super) permissions: BTreeMap<PermissionKind, Vec<String>>,
}

/// Looks through a skill's files.
pub(super) fn look(runtime: &Runtime, entry: &Entry) -> Result<Look, Error> {
    let look = runtime.inspect(entry).map_err(|error| match error {
        InspectionError::Refused(refusal) => {
            Error::other(ErrorKind::Failed, refusal.why.as_str(), TerminalText(&refusal.text).to_string())
        }
        InspectionError::NoDigest(error) => {
            let message = format!("it can have no power: {}", TerminalText(&error.to_string()));
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
    // What the runtime says comes first; the rest is what the skill says of itself.
    for (kind, items) in declared(entry).into_iter().chain([(PermissionKind::Script, scripts)]) {
        if !items.is_empty() {
            permissions.entry(kind).or_insert(items);
        }
    }
    Ok(Look { digest: look.digest, permissions })
}

fn declared(entry: &Entry) -> [(PermissionKind, Vec<String>); 2] {
    let skill = &entry.skill;
    let tools = skill.dependencies.iter();
    [
        (PermissionKind::Hook, hooks(&skill.frontmatter.rare().hooks)),
        (PermissionKind::Mcp, tools.filter(|tool| tool.kind == "mcp").map(server).collect()),
    ]
}

fn hooks(hooks: &SkillHooks) -> Vec<String> {
    let line = |event: &String, matcher: Option<&String>, command: &str| match matcher {
        Some(matcher) => format!("{event} on {matcher}: {command}"),
        None => format!("{event}: {command}"),
    };
    let events = hooks.iter();
    events
        .flat_map(|(event, handlers)| {
            handlers.iter().map(move |handler| line(event, handler.matcher.as_ref(), &handler.command))
        })
        .collect()
}

fn server(tool: &ToolDependency) -> String {
    let how = tool.command.as_ref().or(tool.url.as_ref());
    how.map_or_else(|| tool.value.clone(), |how| format!("{}: {how}", tool.value))
}
