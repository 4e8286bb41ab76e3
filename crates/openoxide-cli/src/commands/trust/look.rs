//! Everything that a skill would get: what it asks for, and the digest of the bytes that ask for it.

use std::collections::BTreeMap;

use openoxide_config::PermissionKind;
use openoxide_runtime::{LookError, Runtime, variable_item};
use openoxide_skills::catalog::Entry;
use openoxide_skills::resource::shown_name;
use openoxide_skills::skill::{SkillHooks, ToolDependency};

use crate::error::Told;
use crate::ui::safe;

/// What a skill asks for.
pub(super) struct Look {
    /// The digest of everything in its folder.
    pub(super) digest: String,
    powers: BTreeMap<PermissionKind, Vec<String>>,
}

impl Look {
    /// Returns each power that is asked for, with everything that would be given; only those `wanted`, if there are any.
    pub(super) fn asked(&self, wanted: &[PermissionKind]) -> Vec<(PermissionKind, &Vec<String>)> {
        let is_wanted = |power: &PermissionKind| wanted.is_empty() || wanted.contains(power);
        self.powers.iter().filter(|(power, _)| is_wanted(power)).map(|(power, items)| (*power, items)).collect()
    }
}

/// Looks through a skill's files.
pub(super) fn look(runtime: &Runtime, entry: &Entry) -> Result<Look, Told> {
    let look = runtime.look(entry).map_err(|error| match error {
        LookError::Refused(refusal) => Told::failed(safe(&refusal.text)),
        LookError::NoDigest(error) => Told::failed(format!("it can have no power: {}", safe(&error.to_string()))),
    })?;
    let mut powers: BTreeMap<PermissionKind, Vec<String>> = BTreeMap::new();
    for power in &look.powers {
        let items = powers.entry(power.kind()).or_default();
        for item in power.items() {
            // Said twice, it is given once.
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
    // What the runtime says counts; the rest is what the skill says of itself.
    for (power, items) in said(entry).into_iter().chain([(PermissionKind::Script, scripts)]) {
        if !items.is_empty() {
            powers.entry(power).or_insert(items);
        }
    }
    Ok(Look { digest: look.digest, powers })
}

fn said(entry: &Entry) -> [(PermissionKind, Vec<String>); 2] {
    let skill = &entry.skill;
    let tools = skill.dependencies.iter().flat_map(|dependencies| &dependencies.tools);
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
    let events = hooks.hooks.iter();
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
