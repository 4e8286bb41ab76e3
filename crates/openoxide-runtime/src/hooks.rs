//! Hooks: commands that a skill wants run on events, for as long as it is active.
//!
//! ```text
//! activation ─▶ register ─▶ event ─▶ Firing ─▶ commands ─▶ verdict
//! ```
//!
//! A skill's hooks are registered at the end of its activation, if the user agreed to exactly these commands; what runs
//! is a private copy of the folder that the agreement is bound to. They go when the skill is deactivated.

mod event;
mod firing;
mod matcher;
mod output;
mod verdict;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use openoxide_permissions::{Action, Grants, Permission};
use openoxide_skills::catalog::Entry;
use openoxide_skills::host::{HookEvent, HookRules};
use openoxide_skills::skill::{HookHandler, SkillHooks};

pub use event::{Deactivation, Event};
pub use firing::Firing;
pub use verdict::{Decision, Halt, Ruling, Said, Verdict};

use crate::load::Loading;
use crate::power::HookPower;
use crate::runtime::Runtime;
use crate::session::Session;
use crate::shell::private_copy;
use crate::step::Notice;
use matcher::{Condition, Matcher};

/// The most hooks of one skill.
const MOST: usize = 64;

/// One command, ready to be run on an event.
#[derive(Debug)]
pub(crate) struct Hook {
    event: HookEvent,
    matcher: Matcher,
    condition: Option<Condition>,
    handler: HookHandler,
    /// As the user is shown it.
    shown: HookPower,
    /// What tells it from others in a session, if it is to run once.
    once: Option<String>,
}

impl Hook {
    /// Tells whether it can keep something from happening.
    fn guards(&self) -> bool {
        matches!(self.event, HookEvent::PreToolUse | HookEvent::UserPromptSubmit | HookEvent::Stop)
    }

    /// Tells whether it is for an event.
    fn is_for(&self, event: &Event) -> bool {
        self.event == event.kind()
            && event.subject().is_none_or(|subject| self.matcher.matches(subject))
            && self
                .condition
                .as_ref()
                .is_none_or(|condition| event.tool().is_some_and(|(tool, input)| condition.matches(tool, input)))
    }
}

/// A skill whose hooks are registered.
#[derive(Debug)]
pub(crate) struct Registered {
    name: String,
    path: PathBuf,
    entry: Entry,
    /// The copy that runs.
    folder: PathBuf,
    /// What its commands may touch.
    in_force: Grants,
    /// The variables that they get, by name.
    variables: Vec<String>,
    hooks: Vec<Hook>,
    // Held for its destructor.
    _copy: tempfile::TempDir,
}

impl Registered {
    /// Tells whether it has hooks that can keep something from happening.
    fn guards(&self) -> bool {
        self.hooks.iter().any(Hook::guards)
    }

    fn is(&self, skill: &str) -> bool {
        self.name == skill || self.path.as_os_str() == skill || self.entry.dir().as_os_str() == skill
    }
}

/// The hooks of a session.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    skills: Vec<Arc<Registered>>,
    /// Skills of which only those run that can keep something from happening.
    quiet: BTreeSet<PathBuf>,
    /// Those that were to run once, and did.
    spent: BTreeSet<String>,
    /// How often in a row the end of the turn was put off.
    stops: u32,
}

impl Registry {
    fn skills(&self) -> impl Iterator<Item = &Arc<Registered>> {
        self.skills.iter()
    }

    fn remove(&mut self, is_meant: impl Fn(&Registered) -> bool) -> Vec<Arc<Registered>> {
        self.skills.extract_if(.., |skill| is_meant(skill)).collect()
    }

    fn is_spent(&self, hook: &Hook) -> bool {
        hook.once.as_ref().is_some_and(|key| self.spent.contains(key))
    }

    fn quiet(&mut self, skill: &Registered) {
        self.quiet.insert(skill.path.clone());
    }

    fn is_quiet(&self, skill: &Registered, hook: &Hook) -> bool {
        !hook.guards() && self.quiet.contains(&skill.path)
    }

    fn spend(&mut self, hook: &Hook) {
        self.spent.extend(hook.once.clone());
    }

    fn stops(&self) -> u32 {
        self.stops
    }

    fn set_stops(&mut self, stops: u32) {
        self.stops = stops;
    }

    /// Tells whether a skill wants to know that it was activated.
    pub(crate) fn greets(&self, skill: &str) -> bool {
        let mut hooks = self.skills.iter().filter(|one| one.is(skill)).flat_map(|one| &one.hooks);
        hooks.any(|hook| hook.event == HookEvent::SkillActivated)
    }

    /// Returns every hook that can still run, with its skill.
    pub(crate) fn active(&self) -> impl Iterator<Item = (&str, &HookPower)> {
        let hooks = self.skills.iter().flat_map(|skill| skill.hooks.iter().map(move |hook| (skill, hook)));
        let can_run = |skill: &Registered, hook: &Hook| !self.is_spent(hook) && !self.is_quiet(skill, hook);
        hooks.filter(move |(skill, hook)| can_run(skill, hook)).map(|(skill, hook)| (skill.name.as_str(), &hook.shown))
    }
}

/// Returns the hooks that can run here, and what is to be said of the others.
fn usable(rules: &HookRules, hooks: &SkillHooks) -> (Vec<Hook>, Vec<String>) {
    let (mut usable, mut told) = (Vec::new(), Vec::new());
    for (name, handlers) in hooks.hooks.iter().filter(|(_, handlers)| !handlers.is_empty()) {
        match HookEvent::parse(name).filter(|event| rules.events.contains(event)) {
            None => told.push(format!("hooks on `{name}` are not honoured here")),
            Some(event) => handlers.iter().for_each(|handler| match hook(event, handler) {
                Ok(hook) => usable.push(hook),
                Err(why) => told.push(format!("a hook on {name} never runs: {why}")),
            }),
        }
    }
    if usable.len() > MOST {
        told.push(format!("it has more than {MOST} hooks; the others never run"));
        usable.truncate(MOST);
    }
    (usable, told)
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
fn shown(event: HookEvent, handler: &HookHandler) -> Result<HookPower, String> {
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
    Ok(HookPower { on, command })
}

/// Returns the hooks that a skill would get.
pub(crate) fn wanted(runtime: &Runtime, loading: &Loading) -> Vec<HookPower> {
    let Some(rules) = runtime.view().host.hooks.as_ref().filter(|rules| rules.run) else { return Vec::new() };
    let (hooks, _) = usable(rules, &loading.parsed.frontmatter.rare().hooks);
    hooks.into_iter().map(|hook| hook.shown).collect()
}

/// Registers the hooks of a skill that the user agreed to, in the place of those that it had; returns what is to be said.
pub(crate) fn register(runtime: &Runtime, session: &mut Session, entry: &Entry, loading: &mut Loading) -> Vec<Notice> {
    session.hooks.remove(|one| one.path == entry.canonical());
    session.hooks.quiet.remove(entry.canonical());
    let hooks = &loading.parsed.frontmatter.rare().hooks;
    if hooks.hooks.is_empty() {
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
    let folder = private_copy(loading)?;
    let copy = loading.copy.take().ok_or("there is no copy")?;
    for hook in hooks.iter_mut().filter(|hook| hook.handler.once) {
        hook.once = Some(format!("{}\n{}", entry.canonical().display(), hook.shown));
    }
    session.hooks.skills.push(Arc::new(Registered {
        name: entry.skill.name.to_string(),
        path: entry.canonical().to_owned(),
        entry: entry.clone(),
        folder,
        in_force,
        variables: loading.variables_for(openoxide_config::PermissionKind::Hook),
        hooks,
        _copy: copy,
    }));
    Ok(())
}
