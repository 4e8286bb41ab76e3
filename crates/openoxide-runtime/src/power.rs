//! What a skill would do beyond being read, as the user is shown it.

use std::fmt;

use openoxide_config::{Granted, TrustError};
use openoxide_permissions::{Action, Permission};
use openoxide_skills::{Entry, ToolsMeaning};

use crate::ask::Answer;
use crate::load::Loading;
use crate::profile::profile_lines;
use crate::runtime::Runtime;
use crate::session::Session;

/// One thing that a skill would do beyond being read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Power {
    /// Commands in its text, run before the model sees it; whole, in order.
    Shell(Vec<String>),
    /// A script of its folder.
    Script {
        /// Its path in the folder.
        path: String,
    },
    /// Commands that run on events.
    Hooks(Vec<HookPower>),
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
    pub fn kind(&self) -> openoxide_config::Power {
        match self {
            Power::Shell(_) => openoxide_config::Power::Shell,
            Power::Script { .. } => openoxide_config::Power::Script,
            Power::Hooks(_) => openoxide_config::Power::Hook,
            Power::Tools(_) => openoxide_config::Power::Tools,
            Power::Profile(_) => openoxide_config::Power::Profile,
        }
    }

    /// Returns every part of it, whole, as the user is shown them.
    pub fn items(&self) -> Vec<String> {
        match self {
            Power::Shell(commands) => commands.clone(),
            Power::Script { path } => vec![path.clone()],
            Power::Hooks(hooks) => hooks.iter().map(ToString::to_string).collect(),
            Power::Tools(tools) => tools.clone(),
            Power::Profile(lines) => lines.clone(),
        }
    }

    /// Tells whether it is about a command that the skill itself brings, and that runs because somebody called it.
    fn runs(&self) -> bool {
        matches!(self, Power::Shell(_) | Power::Script { .. })
    }

    /// Says what it is, for a heading.
    pub fn title(&self) -> &'static str {
        match self {
            Power::Shell(_) => "run commands before the model reads it",
            Power::Script { .. } => "run a script",
            Power::Hooks(_) => "run commands on events",
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

/// Returns everything that a skill would do beyond being read.
pub(crate) fn powers(runtime: &Runtime, loading: &Loading) -> Vec<Power> {
    let commands: Vec<String> = loading.expanded.commands().map(|piece| piece.command.clone()).collect();
    let tools = match runtime.tools_meaning() {
        ToolsMeaning::Nothing => Vec::new(),
        ToolsMeaning::Preapprove | ToolsMeaning::Limit => loading.parsed.frontmatter.allowed_tools.clone(),
    };
    // A profile is about what runs.
    let hooks = crate::hooks::wanted(runtime, loading);
    let runs = !commands.is_empty() || !hooks.is_empty();
    let profile = if runs { profile_lines(&loading.profile) } else { Vec::new() };
    let all = [Power::Shell(commands), Power::Hooks(hooks), Power::Profile(profile), Power::Tools(tools)];
    all.into_iter().filter(|power| !power.items().is_empty()).collect()
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
            let Some(power) = self.undecided(session, entry, power) else { continue };
            match self.granted(session, entry, &digest, &power) {
                Granted::Yes => wanted.granted.push(power),
                Granted::No => wanted.asked.push(power),
                Granted::Changed { .. } => {
                    wanted.changed = true;
                    wanted.asked.push(power);
                }
            }
        }
        if self.is_unasked(session, entry, loading, &wanted.granted) {
            let (free, asked) = std::mem::take(&mut wanted.asked).into_iter().partition(Power::runs);
            (wanted.asked, wanted.changed) = (asked, false);
            wanted.granted.extend::<Vec<Power>>(free);
        }
        wanted
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
            Power::Shell(commands) => Power::Shell(left(Permission::Shell, commands)),
            Power::Tools(tools) => Power::Tools(left(Permission::Tool, tools)),
            Power::Script { path } => {
                return asks(Permission::Script, &format!("{name}/{path}")).then(|| power.clone());
            }
            Power::Profile(_) => return asks(Permission::Profile, name).then(|| power.clone()),
            Power::Hooks(hooks) => {
                let is_open = |hook: &&HookPower| asks(Permission::Hook, &hook.command);
                Power::Hooks(hooks.iter().filter(is_open).cloned().collect())
            }
        };
        (!power.items().is_empty()).then_some(power)
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
            Answer::Once | Answer::Secret(_) | Answer::No => {}
        }
        Ok(())
    }
}
