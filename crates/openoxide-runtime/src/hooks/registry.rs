//! The registry of a session's hooks: which are registered, which are spent, and which are silenced.

use std::path::{Path, PathBuf};
use std::{collections::BTreeSet, sync::Arc};

use openoxide_permissions::Grants;
use openoxide_sandbox::PrivateFolder;
use openoxide_skills::{catalog::Entry, host::HookEvent, skill::HookHandler};

use super::matcher::{Condition, Matcher};
use crate::{Event, RequestedAction};

/// One command, ready to be run on an event.
#[derive(Debug)]
pub(crate) struct Hook {
    pub(super) event: HookEvent,
    pub(super) matcher: Matcher,
    pub(super) condition: Option<Condition>,
    pub(super) handler: HookHandler,
    /// As the user is shown it.
    pub(super) shown: RequestedAction,
    /// Its key in the session, if it is to run once.
    pub(super) once: Option<String>,
}

impl Hook {
    /// Tells whether it can keep something from happening.
    pub(super) fn guards(&self) -> bool {
        matches!(self.event, HookEvent::PreToolUse | HookEvent::UserPromptSubmit | HookEvent::Stop)
    }

    pub(super) fn is_for(&self, event: &Event) -> bool {
        self.event == event.kind()
            && event.subject().is_none_or(|subject| self.matcher.matches(subject))
            && self
                .condition
                .as_ref()
                .is_none_or(|condition| event.tool().is_some_and(|(tool, input)| condition.matches(tool, input)))
    }
}

#[derive(Debug)]
pub(crate) struct RegisteredSkill {
    pub(super) name: String,
    pub(super) path: PathBuf,
    pub(super) entry: Entry,
    /// What its commands may touch.
    pub(super) in_force: Grants,
    /// The variables that they get, by name.
    pub(super) variables: Vec<String>,
    pub(super) hooks: Vec<Hook>,
    /// The copy that runs; it goes when this does.
    pub(super) copy: PrivateFolder,
}

impl RegisteredSkill {
    /// Tells whether it has hooks that can keep something from happening.
    pub(super) fn guards(&self) -> bool {
        self.hooks.iter().any(Hook::guards)
    }

    pub(super) fn is(&self, skill: &str) -> bool {
        self.name == skill || self.path.as_os_str() == skill || self.entry.dir().as_os_str() == skill
    }
}

#[derive(Debug, Default)]
pub(crate) struct Registry {
    pub(super) skills: Vec<Arc<RegisteredSkill>>,
    /// Files of skills of which only the hooks run that can block something.
    pub(super) quiet: BTreeSet<PathBuf>,
    /// Those that were to run once, and did.
    pub(super) spent: BTreeSet<String>,
    /// How often in a row the end of the turn was put off.
    pub(super) stops: u32,
}

impl Registry {
    pub(super) fn remove(&mut self, is_meant: impl Fn(&RegisteredSkill) -> bool) -> Vec<Arc<RegisteredSkill>> {
        self.skills.extract_if(.., |skill| is_meant(skill)).collect()
    }

    /// Forgets everything about the skill of a file.
    pub(super) fn forget(&mut self, path: &Path) {
        self.remove(|one| one.path == path);
        self.quiet.remove(path);
    }

    pub(super) fn can_run(&self, skill: &RegisteredSkill, hook: &Hook) -> bool {
        !self.is_spent(hook) && (hook.guards() || !self.quiet.contains(&skill.path))
    }

    pub(super) fn is_spent(&self, hook: &Hook) -> bool {
        hook.once.as_ref().is_some_and(|key| self.spent.contains(key))
    }

    /// Tells whether a skill wants to know that it was activated.
    pub(crate) fn greets(&self, skill: &str) -> bool {
        let mut hooks = self.skills.iter().filter(|one| one.is(skill)).flat_map(|one| &one.hooks);
        hooks.any(|hook| hook.event == HookEvent::SkillActivated)
    }

    /// Returns every hook that can still run, with its skill.
    pub(crate) fn active(&self) -> impl Iterator<Item = (&str, &RequestedAction)> {
        let hooks = self.skills.iter().flat_map(|skill| skill.hooks.iter().map(move |hook| (skill, hook)));
        let active = hooks.filter(|(skill, hook)| self.can_run(skill, hook));
        active.map(|(skill, hook)| (skill.name.as_str(), &hook.shown))
    }
}
