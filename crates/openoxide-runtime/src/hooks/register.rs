//! Registers the hooks of an activated skill that the user agreed to.

use openoxide_permissions::{Action, Grants, Permission};
use openoxide_skills::catalog::Entry;

use super::declared::usable;
use super::registry::{Hook, RegisteredSkill};
use crate::activation::Loading;
use crate::notice::Notice;
use crate::runtime::Runtime;
use crate::session::Session;

/// Registers the hooks of a skill that the user agreed to, in the place of those that it had; returns what is to be said.
pub(crate) fn register(runtime: &Runtime, session: &mut Session, entry: &Entry, loading: &mut Loading) -> Vec<Notice> {
    session.hooks.forget(entry.canonical());
    let hooks = &loading.parsed.frontmatter.rare().hooks;
    if hooks.is_empty() {
        return Vec::new();
    }
    let mut told = Vec::new();
    let (hooks, problems) = match &runtime.view().host.hooks {
        Some(rules) if rules.run => usable(rules, hooks),
        Some(_) => (Vec::new(), vec!["hooks are switched off".to_owned()]),
        None => (Vec::new(), vec!["its hooks count for nothing here".to_owned()]),
    };
    if session.is_news("hooks", entry.canonical()) {
        told.extend(problems);
    }
    let allowed = allowed(runtime, session, loading, hooks, &mut told);
    if !allowed.is_empty()
        && let Err(why) = runtime
            .in_force_for(session, entry, loading)
            .and_then(|in_force| keep(session, entry, loading, in_force, allowed))
    {
        told.push(format!("its hooks are not registered: {why}"));
    }
    let name = entry.skill.name.to_string();
    told.into_iter().map(|text| Notice { skill: name.clone(), text, help: None }).collect()
}

/// Leaves out what rules deny, and what the user did not agree to.
fn allowed(
    runtime: &Runtime,
    session: &Session,
    loading: &Loading,
    hooks: Vec<Hook>,
    told: &mut Vec<String>,
) -> Vec<Hook> {
    let mut allowed = Vec::new();
    let mut untrusted = 0_usize;
    for hook in hooks {
        match runtime.decide(session, Permission::Hook, &hook.shown.command).action {
            Action::Deny => told.push(format!("a permission rule denies its hook: {}", hook.shown)),
            Action::Allow => allowed.push(hook),
            Action::Ask if loading.may_run(openoxide_config::PermissionKind::Hook, &hook.shown.to_string()) => {
                allowed.push(hook);
            }
            Action::Ask => untrusted += 1,
        }
    }
    if untrusted > 0 {
        told.push(format!("it is not trusted to run commands on events: {untrusted} of its hooks do not run"));
    }
    allowed
}

/// Puts hooks into the session, with the copy that they run on.
fn keep(
    session: &mut Session,
    entry: &Entry,
    loading: &mut Loading,
    in_force: Grants,
    mut hooks: Vec<Hook>,
) -> Result<(), String> {
    let folder = loading.private_copy()?;
    let copy = loading.copy.take().ok_or("there is no copy")?;
    for hook in hooks.iter_mut().filter(|hook| hook.handler.once) {
        hook.once = Some(format!("{}\n{}", entry.canonical().display(), hook.shown));
    }
    session.hooks.add(RegisteredSkill {
        name: entry.skill.name.to_string(),
        path: entry.canonical().to_owned(),
        entry: entry.clone(),
        folder,
        in_force,
        variables: loading.variables_for(openoxide_config::PermissionKind::Hook),
        hooks,
        _copy: copy,
    });
    Ok(())
}
