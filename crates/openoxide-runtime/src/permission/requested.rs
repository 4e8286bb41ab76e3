//! The permissions that a skill requests, as values that the user is shown in full.

use std::fmt;

use openoxide_config::PermissionKind;

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
    pub fn kind(&self) -> PermissionKind {
        match self {
            Power::Shell { .. } => PermissionKind::Shell,
            Power::Script { .. } => PermissionKind::Script,
            Power::Hooks { .. } => PermissionKind::Hook,
            Power::Tools(_) => PermissionKind::Tools,
            Power::Profile(_) => PermissionKind::Profile,
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
    pub(crate) fn retain_variables(&mut self, is_meant: impl FnMut(&String) -> bool) {
        match self {
            Power::Shell { variables, .. } | Power::Script { variables, .. } | Power::Hooks { variables, .. } => {
                variables.retain(is_meant);
            }
            Power::Tools(_) | Power::Profile(_) => {}
        }
    }

    /// Takes everything out of it but its variables.
    pub(crate) fn without_commands(mut self) -> Power {
        match &mut self {
            Power::Shell { commands: items, .. } | Power::Tools(items) | Power::Profile(items) => items.clear(),
            Power::Hooks { hooks, .. } => hooks.clear(),
            Power::Script { path, .. } => path.clear(),
        }
        self
    }

    /// Tells whether nothing would happen by it; variables alone do nothing.
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Power::Shell { commands, .. } => commands.is_empty(),
            Power::Script { .. } => false,
            Power::Hooks { hooks, .. } => hooks.is_empty(),
            Power::Tools(items) | Power::Profile(items) => items.is_empty(),
        }
    }

    /// Tells whether it is about a command that the skill itself brings, and that runs because somebody called it.
    pub(crate) fn runs(&self) -> bool {
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
