//! Reads the hooks that a skill declares, and tells which of them can run here.

use openoxide_skills::host::{HookEvent, HookRules};
use openoxide_skills::skill::{HookHandler, SkillHooks};

use super::matcher::{Condition, Matcher};
use super::registry::Hook;
use crate::{RequestedAction, Runtime, activation::Loading};

const MOST: usize = 64;

/// Returns the hooks that can run here, and what is to be said of the others.
pub(super) fn usable(rules: &HookRules, hooks: &SkillHooks) -> (Vec<Hook>, Vec<String>) {
    let (mut usable, mut problems) = (Vec::new(), Vec::new());
    for (name, handlers) in hooks.iter().filter(|(_, handlers)| !handlers.is_empty()) {
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
