//! Registers the hooks of an activated skill that the user agreed to.

use std::sync::Arc;

use openoxide_config::PermissionKind;
use openoxide_permissions::{Action, Permission};

use super::declared::usable;
use super::registry::{Hook, RegisteredSkill};
use crate::{Notice, Runtime, Session, activation::Loading};

/// Registers the hooks of a skill that the user agreed to, in the place of those that it had; returns what is to be said.
pub(crate) fn register(runtime: &Runtime, session: &mut Session, loading: &mut Loading) -> Vec<Notice> {
    session.hooks.forget(loading.entry.canonical());
    let hooks = &loading.parsed.frontmatter.rare().hooks;
    if hooks.is_empty() {
        return Vec::new();
    }
    let mut said = Vec::new();
    let (hooks, problems) = match &runtime.view().host.hooks {
        Some(rules) if rules.run => usable(rules, hooks),
        Some(_) => (Vec::new(), vec!["hooks are switched off".to_owned()]),
        None => (Vec::new(), vec!["its hooks count for nothing here".to_owned()]),
    };
    if session.is_news("hooks", loading.entry.canonical()) {
        said.extend(problems);
    }
    let allowed = allowed(runtime, session, loading, hooks, &mut said);
    if !allowed.is_empty()
        && let Err(why) = keep(runtime, session, loading, allowed)
    {
        said.push(format!("its hooks are not registered: {why}"));
    }
    said.into_iter().map(|text| Notice::new(loading.name(), text)).collect()
}

/// Leaves out what rules deny, and what the user did not agree to.
fn allowed(
    runtime: &Runtime,
    session: &Session,
    loading: &Loading,
    mut hooks: Vec<Hook>,
    said: &mut Vec<String>,
) -> Vec<Hook> {
    let mut untrusted = 0_usize;
    hooks.retain(|hook| match runtime.decide(session, Permission::Hook, &hook.shown.what).action {
        Action::Deny => {
            said.push(format!("a permission rule denies its hook: {}", hook.shown));
            false
        }
        Action::Ask if !loading.may_run(PermissionKind::Hook, &hook.shown.to_string()) => {
            untrusted += 1;
            false
        }
        Action::Allow | Action::Ask => true,
    });
    if untrusted > 0 {
        said.push(format!("it is not trusted to run commands on events: {untrusted} of its hooks do not run"));
    }
    hooks
}

/// Puts hooks into the session, with the copy that they run on.
fn keep(runtime: &Runtime, session: &mut Session, loading: &mut Loading, mut hooks: Vec<Hook>) -> Result<(), String> {
    let in_force = runtime.in_force_for(session, loading)?;
    let folder = loading.private_copy()?;
    let copy = loading.copy.take().ok_or("there is no copy")?;
    let path = loading.entry.canonical().to_owned();
    for hook in hooks.iter_mut().filter(|hook| hook.handler.once) {
        hook.once = Some(format!("{}\n{}", path.display(), hook.shown));
    }
    session.hooks.skills.push(Arc::new(RegisteredSkill {
        name: loading.name(),
        path,
        entry: loading.entry.clone(),
        folder,
        in_force,
        variables: loading.variables_for(PermissionKind::Hook),
        hooks,
        _copy: copy,
    }));
    Ok(())
}
