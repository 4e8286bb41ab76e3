//! What a skill would do beyond being read, as the user is shown it.

use std::fmt;

use openoxide_config::{ApprovalState, TrustError};
use openoxide_permissions::{Action, Permission};
use openoxide_skills::catalog::Entry;
use openoxide_skills::host::ToolsMeaning;

use crate::ask::Answer;
use crate::depend::givable_variables;
use crate::load::Loading;
use crate::profile::{is_unasked, profile_lines};
use crate::runtime::Runtime;
use crate::session::Session;

/// One thing that a skill would do beyond being read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Power {
    /// Commands in its text, run before the model sees it.
    Shell {
        /// The commands, whole, in order.
        commands: Vec<String>,
        /// The variables that they get, by name.
        variables: Vec<String>,
    },
    /// A script of its folder.
    Script {
        /// Its path in the folder.
        path: String,
        /// The variables that it gets, by name.
        variables: Vec<String>,
    },
    /// Commands that run on events.
    Hooks {
        /// The commands, with their events.
        hooks: Vec<HookPower>,
        /// The variables that they get, by name.
        variables: Vec<String>,
    },
    /// Tools that the model may then use without a question.
    Tools(Vec<String>),
    /// What its permission profile adds to what is in force, line by line.
    Profile(Vec<String>),
}

/// A command that would run on an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookPower {
    /// The event, and for which tools or names.
    pub on: String,
    /// The command, whole.
    pub command: String,
}

impl Power {
    /// Returns what the store of trust calls it.
    pub fn kind(&self) -> openoxide_config::PermissionKind {
        match self {
            Power::Shell { .. } => openoxide_config::PermissionKind::Shell,
            Power::Script { .. } => openoxide_config::PermissionKind::Script,
            Power::Hooks { .. } => openoxide_config::PermissionKind::Hook,
            Power::Tools(_) => openoxide_config::PermissionKind::Tools,
            Power::Profile(_) => openoxide_config::PermissionKind::Profile,
        }
    }

    /// Returns every part of it, whole, as the user is shown them.
    pub fn items(&self) -> Vec<String> {
        let mut items = match self {
            Power::Shell { commands, .. } => commands.clone(),
            Power::Script { path, .. } => vec![path.clone()],
            Power::Hooks { hooks, .. } => hooks.iter().map(ToString::to_string).collect(),
            Power::Tools(tools) => tools.clone(),
            Power::Profile(lines) => lines.clone(),
        };
        items.extend(self.variables().iter().map(|name| variable_item(name)));
        items
    }

    /// Tells whether this very thing is part of it; variables are not things that run.
    pub(crate) fn holds(&self, item: &str) -> bool {
        match self {
            Power::Shell { commands: items, .. } | Power::Tools(items) | Power::Profile(items) => {
                items.iter().any(|given| given == item)
            }
            Power::Script { path, .. } => path == item,
            Power::Hooks { hooks, .. } => hooks.iter().any(|hook| hook.to_string() == item),
        }
    }

    /// Returns the variables that go with it, by name.
    pub fn variables(&self) -> &[String] {
        match self {
            Power::Shell { variables, .. } | Power::Script { variables, .. } | Power::Hooks { variables, .. } => {
                variables
            }
            Power::Tools(_) | Power::Profile(_) => &[],
        }
    }

    /// Keeps those of its variables that `is_meant`.
    fn retain_variables(&mut self, is_meant: impl FnMut(&String) -> bool) {
        match self {
            Power::Shell { variables, .. } | Power::Script { variables, .. } | Power::Hooks { variables, .. } => {
                variables.retain(is_meant);
            }
            Power::Tools(_) | Power::Profile(_) => {}
        }
    }

    /// Takes everything out of it but its variables.
    fn without_commands(mut self) -> Power {
        match &mut self {
            Power::Shell { commands: items, .. } | Power::Tools(items) | Power::Profile(items) => items.clear(),
            Power::Hooks { hooks, .. } => hooks.clear(),
            Power::Script { path, .. } => path.clear(),
        }
        self
    }

    /// Tells whether nothing would happen by it; variables alone do nothing.
    fn is_empty(&self) -> bool {
        match self {
            Power::Shell { commands, .. } => commands.is_empty(),
            Power::Script { .. } => false,
            Power::Hooks { hooks, .. } => hooks.is_empty(),
            Power::Tools(items) | Power::Profile(items) => items.is_empty(),
        }
    }

    /// Tells whether it is about a command that the skill itself brings, and that runs because somebody called it.
    fn runs(&self) -> bool {
        matches!(self, Power::Shell { .. } | Power::Script { .. })
    }

    /// Says what it is, for a heading.
    pub fn title(&self) -> &'static str {
        match self {
            Power::Shell { .. } => "run commands before the model reads it",
            Power::Script { .. } => "run a script",
            Power::Hooks { .. } => "run commands on events",
            Power::Tools(_) => "let the model use tools without asking",
            Power::Profile(_) => "widen what its scripts may do",
        }
    }
}

impl fmt::Display for HookPower {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.on, self.command)
    }
}

/// Says that a power comes with a variable, as the user is shown it.
pub fn variable_item(name: &str) -> String {
    format!("gets the variable {name}")
}

/// Returns everything that a skill would do beyond being read.
pub(crate) fn powers(runtime: &Runtime, entry: &Entry, loading: &Loading) -> Vec<Power> {
    let commands: Vec<String> = loading.expanded.commands().map(|piece| piece.command.clone()).collect();
    let tools = match runtime.tools_meaning() {
        ToolsMeaning::Nothing => Vec::new(),
        ToolsMeaning::Preapprove | ToolsMeaning::Limit => loading.parsed.frontmatter.allowed_tools.clone(),
    };
    // A profile is about what runs.
    let hooks = crate::hooks::wanted(runtime, loading);
    let runs = !commands.is_empty() || !hooks.is_empty();
    let profile = if runs { profile_lines(&loading.profile) } else { Vec::new() };
    let variables = givable_variables(entry);
    let all = [
        Power::Shell { commands, variables: variables.clone() },
        Power::Hooks { hooks, variables },
        Power::Profile(profile),
        Power::Tools(tools),
    ];
    all.into_iter().filter(|power| !power.is_empty()).collect()
}

/// What a skill may do already, and what must be asked for.
#[derive(Debug, Default)]
pub(crate) struct Wanted {
    pub(crate) granted: Vec<Power>,
    pub(crate) asked: Vec<Power>,
    /// Whether it was allowed before, and its folder has changed since.
    pub(crate) changed: bool,
}

impl Runtime {
    /// Sorts what a skill would do into what it may, and what must be asked for. Without a digest it gets nothing.
    pub(crate) fn wanted(&self, session: &Session, entry: &Entry, loading: &Loading) -> Wanted {
        let mut wanted = Wanted::default();
        let Ok(snapshot) = &loading.snapshot else { return wanted };
        let digest = snapshot.digest.to_string();
        for power in &loading.powers {
            let Some(power) = self.undecided(session, entry, power) else {
                // A rule about commands says nothing about variables.
                let alone = self.with_granted_variables(session, entry, &digest, power.clone().without_commands());
                wanted.granted.extend((!alone.variables().is_empty()).then_some(alone));
                continue;
            };
            match self.granted(session, entry, &digest, &power) {
                ApprovalState::Approved => wanted.granted.push(power),
                ApprovalState::NotApproved => wanted.asked.push(power),
                ApprovalState::Changed { .. } => {
                    wanted.changed = true;
                    wanted.asked.push(power);
                }
            }
        }
        if is_unasked(loading, &wanted.granted) {
            let (free, asked) = std::mem::take(&mut wanted.asked).into_iter().partition(Power::runs);
            (wanted.asked, wanted.changed) = (asked, false);
            // Running without a question was agreed to; what was not shown is not given all the same.
            let seeing = |power| self.with_granted_variables(session, entry, &digest, power);
            wanted.granted.extend(<Vec<Power>>::into_iter(free).map(seeing));
        }
        wanted
    }

    /// Leaves of a power's variables those that the user agreed to, for these bytes.
    fn with_granted_variables(&self, session: &Session, entry: &Entry, digest: &str, mut power: Power) -> Power {
        let kind = power.kind();
        power.retain_variables(|name| self.granted_item(session, entry, digest, kind, &variable_item(name)));
        power
    }

    /// Leaves out what permission rules decide; `None` if nothing is left.
    fn undecided(&self, session: &Session, entry: &Entry, power: &Power) -> Option<Power> {
        let asks =
            |permission: Permission, subject: &str| self.decide(session, permission, subject).action == Action::Ask;
        let left = |permission: Permission, all: &[String]| -> Vec<String> {
            all.iter().filter(|subject| asks(permission, subject)).cloned().collect()
        };
        let name = &entry.skill.name;
        let power = match power {
            Power::Shell { commands, variables } => {
                Power::Shell { commands: left(Permission::Shell, commands), variables: variables.clone() }
            }
            Power::Tools(tools) => Power::Tools(left(Permission::Tool, tools)),
            Power::Script { path, .. } => {
                return asks(Permission::Script, &format!("{name}/{path}")).then(|| power.clone());
            }
            Power::Profile(_) => return asks(Permission::Profile, name).then(|| power.clone()),
            Power::Hooks { hooks, variables } => {
                let is_open = |hook: &&HookPower| asks(Permission::Hook, &hook.command);
                Power::Hooks { hooks: hooks.iter().filter(is_open).cloned().collect(), variables: variables.clone() }
            }
        };
        (!power.is_empty()).then_some(power)
    }

    /// Keeps what the user agreed to, for as long as they said.
    pub(crate) fn empower(
        &self,
        session: &mut Session,
        entry: &Entry,
        digest: &str,
        powers: &[Power],
        answer: &Answer,
    ) -> Result<(), TrustError> {
        match answer {
            Answer::Session => powers.iter().for_each(|power| session.empower(entry.canonical(), digest, power)),
            Answer::Always => return self.grant(entry, digest, powers),
            Answer::Once | Answer::Secret(_) | Answer::No | Answer::NotAsked => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_holds_what_was_shown_and_a_variable_runs_nothing() {
        let power = Power::Shell { commands: vec!["date".to_owned()], variables: vec!["TOKEN".to_owned()] };
        assert_eq!(power.items(), ["date", "gets the variable TOKEN"]);
        assert!(power.holds("date"));
        assert!(!power.holds("date -u") && !power.holds("gets the variable TOKEN"));
        assert!(!power.without_commands().holds("date"));
    }
}
