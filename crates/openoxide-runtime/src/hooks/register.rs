//! Reads the hooks that a skill declares, and registers those that the user agreed to.

use std::sync::Arc;

use openoxide_config::PermissionKind;
use openoxide_permissions::{Action, Permission};
use openoxide_skills::host::{HookEvent, HookRules};
use openoxide_skills::skill::{HookHandler, SkillHooks};

use super::matcher::{Condition, Matcher};
use super::registry::{Hook, RegisteredSkill};
use crate::{Notice, RequestedAction, Runtime, Session, activation::Loading};

const MOST: usize = 64;

/// Returns the hooks that can run here, and what is to be said of the others.
fn usable(rules: &HookRules, hooks: &SkillHooks) -> (Vec<Hook>, Vec<String>) {
    let (mut usable, mut problems) = (Vec::new(), Vec::new());
    for (name, handlers) in hooks.hooks.iter().filter(|(_, handlers)| !handlers.is_empty()) {
        match HookEvent::parse(name).filter(|event| rules.events.contains(event)) {
            None => problems.push(format!("hooks on `{name}` are not honoured here")),
            Some(event) => handlers.iter().for_each(|handler| match hook(event, handler) {
                Ok(hook) => usable.push(hook),
                Err(why) => problems.push(format!("a hook on {name} never runs: {why}")),
            }),
        }
    }
    if usable.len() > MOST {
        problems.push(format!("it has more than {MOST} hooks; the others never run"));
        usable.truncate(MOST);
    }
    (usable, problems)
}

fn hook(event: HookEvent, handler: &HookHandler) -> Result<Hook, String> {
    if handler.hook_type != "command" {
        return Err(format!("handlers of type `{}` are not honoured here", handler.hook_type));
    }
    if let Some(shell) = handler.shell.as_deref().filter(|shell| !matches!(*shell, "bash" | "sh")) {
        return Err(format!("the shell `{shell}` is not there"));
    }
    if handler.condition.is_some() && !event.is_of_tool() {
        return Err("`if` is for tools only".to_owned());
    }
    let matcher = handler.matcher.as_deref();
    let parsed = Matcher::parse(matcher)
        .map_err(|why| format!("its matcher `{}` cannot be read: {why}", matcher.unwrap_or_default()))?;
    let shown = shown(event, handler)?;
    Ok(Hook {
        event,
        matcher: parsed,
        condition: handler.condition.as_deref().map(Condition::parse),
        handler: handler.clone(),
        once: None,
        shown,
    })
}

/// Returns a hook as the user is shown it, whole.
fn shown(event: HookEvent, handler: &HookHandler) -> Result<RequestedAction, String> {
    let matcher = handler.matcher.as_ref().filter(|matcher| !matcher.is_empty());
    let matcher = matcher.map(|matcher| format!(" on {matcher}")).unwrap_or_default();
    let condition = handler.condition.as_ref().map(|condition| format!(" if {condition}")).unwrap_or_default();
    let on = format!("{}{matcher}{condition}", event.as_str());
    let command = match &handler.args {
        None => handler.command.clone(),
        Some(args) => {
            let words = std::iter::once(&handler.command).chain(args).map(String::as_str);
            shlex::try_join(words).map_err(|error| error.to_string())?
        }
    };
    Ok(RequestedAction { on: Some(on), what: command })
}

/// Returns the hooks that a skill would get.
pub(crate) fn requested_hooks(runtime: &Runtime, loading: &Loading) -> Vec<RequestedAction> {
    let Some(rules) = runtime.view().host.hooks.as_ref().filter(|rules| rules.run) else { return Vec::new() };
    let (hooks, _) = usable(rules, &loading.parsed.frontmatter.rare().hooks);
    hooks.into_iter().map(|hook| hook.shown).collect()
}

/// Registers the hooks of a skill that the user agreed to, in the place of those that it had; returns what is to be said.
pub(crate) fn register(runtime: &Runtime, session: &mut Session, loading: &mut Loading) -> Vec<Notice> {
    session.hooks.forget(loading.entry.canonical());
    let hooks = &loading.parsed.frontmatter.rare().hooks;
    if hooks.hooks.is_empty() {
        return Vec::new();
    }
    let mut said = Vec::new();
    let (hooks, problems) = match &runtime.view().host.hooks {
        Some(rules) if rules.run => usable(rules, hooks),
        Some(_) => (Vec::new(), vec!["hooks are switched off".to_owned()]),
        None => (Vec::new(), vec!["its hooks have no effect here".to_owned()]),
    };
    if session.is_news("hooks", loading.entry.canonical()) {
        said.extend(problems);
    }
    let allowed = allowed(runtime, loading, hooks, &mut said);
    if !allowed.is_empty() {
        said.extend(match keep(runtime, session, loading, allowed) {
            Ok(withheld) => withheld.map(|without| format!("its hooks run {without}")),
            Err(why) => Some(format!("its hooks are not registered: {why}")),
        });
    }
    said.into_iter().map(|text| Notice::new(loading.name(), text)).collect()
}

/// Leaves out what rules deny, and what the user did not agree to.
fn allowed(runtime: &Runtime, loading: &Loading, mut hooks: Vec<Hook>, said: &mut Vec<String>) -> Vec<Hook> {
    let mut untrusted = 0_usize;
    hooks.retain(|hook| match runtime.decide(Permission::Hook, &hook.shown.what).action {
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

/// Puts hooks into the session, with the copy that they run on. Returns what they are not given, and why.
fn keep(
    runtime: &Runtime,
    session: &mut Session,
    loading: &mut Loading,
    mut hooks: Vec<Hook>,
) -> Result<Option<String>, String> {
    let in_force = runtime.in_force_for(loading)?;
    loading.private_copy()?;
    let copy = loading.copy.take().ok_or("there is no copy")?;
    let path = loading.entry.canonical().to_owned();
    for hook in hooks.iter_mut().filter(|hook| hook.handler.once) {
        hook.once = Some(format!("{}\n{}", path.display(), hook.shown));
    }
    session.hooks.skills.push(Arc::new(RegisteredSkill {
        name: loading.name(),
        path,
        entry: loading.entry.clone(),
        in_force: in_force.grants,
        variables: loading.variables_for(PermissionKind::Hook),
        hooks,
        copy,
    }));
    Ok(in_force.withheld)
}
