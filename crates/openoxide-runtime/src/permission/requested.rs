//! The permissions that a skill requests, as values that the user is shown in full.

use std::fmt;

use openoxide_config::PermissionKind;

/// One thing that a skill would do beyond being read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestedPermission {
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
        hooks: Vec<HookCommand>,
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
pub struct HookCommand {
    /// The event, and for which tools or names.
    pub on: String,
    /// The command, whole.
    pub command: String,
}

impl RequestedPermission {
    /// Returns what the store of trust calls it.
    pub fn kind(&self) -> PermissionKind {
        match self {
            RequestedPermission::Shell { .. } => PermissionKind::Shell,
            RequestedPermission::Script { .. } => PermissionKind::Script,
            RequestedPermission::Hooks { .. } => PermissionKind::Hook,
            RequestedPermission::Tools(_) => PermissionKind::Tools,
            RequestedPermission::Profile(_) => PermissionKind::Profile,
        }
    }

    /// Returns every part of it, whole, as the user is shown them.
    pub fn items(&self) -> Vec<String> {
        let mut items = match self {
            RequestedPermission::Shell { commands, .. } => commands.clone(),
            RequestedPermission::Script { path, .. } => vec![path.clone()],
            RequestedPermission::Hooks { hooks, .. } => hooks.iter().map(ToString::to_string).collect(),
            RequestedPermission::Tools(tools) => tools.clone(),
            RequestedPermission::Profile(lines) => lines.clone(),
        };
        items.extend(self.variables().iter().map(|name| variable_item(name)));
        items
    }

    /// Tells whether this very thing is part of it; variables are not things that run.
    pub(crate) fn holds(&self, item: &str) -> bool {
        match self {
            RequestedPermission::Shell { commands: items, .. }
            | RequestedPermission::Tools(items)
            | RequestedPermission::Profile(items) => items.iter().any(|given| given == item),
            RequestedPermission::Script { path, .. } => path == item,
            RequestedPermission::Hooks { hooks, .. } => hooks.iter().any(|hook| hook.to_string() == item),
        }
    }

    /// Returns the variables that go with it, by name.
    pub fn variables(&self) -> &[String] {
        match self {
            RequestedPermission::Shell { variables, .. }
            | RequestedPermission::Script { variables, .. }
            | RequestedPermission::Hooks { variables, .. } => variables,
            RequestedPermission::Tools(_) | RequestedPermission::Profile(_) => &[],
        }
    }

    /// Keeps those of its variables that `is_meant`.
    pub(crate) fn retain_variables(&mut self, is_meant: impl FnMut(&String) -> bool) {
        match self {
            RequestedPermission::Shell { variables, .. }
            | RequestedPermission::Script { variables, .. }
            | RequestedPermission::Hooks { variables, .. } => {
                variables.retain(is_meant);
            }
            RequestedPermission::Tools(_) | RequestedPermission::Profile(_) => {}
        }
    }

    /// Takes everything out of it but its variables.
    pub(crate) fn without_commands(mut self) -> RequestedPermission {
        match &mut self {
            RequestedPermission::Shell { commands: items, .. }
            | RequestedPermission::Tools(items)
            | RequestedPermission::Profile(items) => items.clear(),
            RequestedPermission::Hooks { hooks, .. } => hooks.clear(),
            RequestedPermission::Script { path, .. } => path.clear(),
        }
        self
    }

    /// Tells whether nothing would happen by it; variables alone do nothing.
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            RequestedPermission::Shell { commands, .. } => commands.is_empty(),
            RequestedPermission::Script { .. } => false,
            RequestedPermission::Hooks { hooks, .. } => hooks.is_empty(),
            RequestedPermission::Tools(items) | RequestedPermission::Profile(items) => items.is_empty(),
        }
    }

    /// Returns whether it is about a command of the skill that runs because of a call, and not on an event.
    pub(crate) fn runs(&self) -> bool {
        matches!(self, RequestedPermission::Shell { .. } | RequestedPermission::Script { .. })
    }

    /// Says what it is, for a heading.
    pub fn title(&self) -> &'static str {
        match self {
            RequestedPermission::Shell { .. } => "run commands before the model reads it",
            RequestedPermission::Script { .. } => "run a script",
            RequestedPermission::Hooks { .. } => "run commands on events",
            RequestedPermission::Tools(_) => "let the model use tools without asking",
            RequestedPermission::Profile(_) => "widen what its scripts may do",
        }
    }
}

impl fmt::Display for HookCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.on, self.command)
    }
}

/// Returns the line that tells the user that a permission comes with a variable.
pub fn variable_item(name: &str) -> String {
    format!("gets the variable {name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_holds_what_was_shown_and_a_variable_runs_nothing() {
        let permission =
            RequestedPermission::Shell { commands: vec!["date".to_owned()], variables: vec!["TOKEN".to_owned()] };
        assert_eq!(permission.items(), ["date", "gets the variable TOKEN"]);
        assert!(permission.holds("date"));
        assert!(!permission.holds("date -u") && !permission.holds("gets the variable TOKEN"));
        assert!(!permission.without_commands().holds("date"));
    }
}
