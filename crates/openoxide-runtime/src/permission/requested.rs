//! The permissions that a skill requests, as values that the user is shown in full.

use std::fmt;

use openoxide_config::PermissionKind;

/// What a skill would do beyond being read, of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestedPermission {
    /// The kind, as the trust store calls it.
    pub kind: PermissionKind,
    /// What would happen, in order.
    pub actions: Vec<RequestedAction>,
    /// The variables that come with it, by name.
    pub variables: Vec<String>,
}

/// One thing that would happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestedAction {
    /// The event that it happens on, and for which tools or names. Only hooks have one.
    pub on: Option<String>,
    /// The command, the path of the script, the tool, or the line about the profile, whole.
    pub what: String,
}

impl RequestedPermission {
    /// Requests something that happens on no event.
    pub fn new(
        kind: PermissionKind,
        actions: impl IntoIterator<Item = String>,
        variables: Vec<String>,
    ) -> RequestedPermission {
        let actions = actions.into_iter().map(|what| RequestedAction { on: None, what }).collect();
        RequestedPermission { kind, actions, variables }
    }

    /// Returns every part of it, whole, as the user is shown them.
    pub fn items(&self) -> Vec<String> {
        let actions = self.actions.iter().map(ToString::to_string);
        actions.chain(self.variables.iter().map(|name| variable_item(name))).collect()
    }

    /// Tells whether this very thing is part of it; variables are not things that run.
    pub(crate) fn holds(&self, item: &str) -> bool {
        self.actions.iter().any(|action| action.to_string() == item)
    }

    /// Returns whether it is about a command of the skill that runs because of a call, and not on an event.
    pub(crate) fn runs(&self) -> bool {
        matches!(self.kind, PermissionKind::Shell | PermissionKind::Script)
    }

    /// Says what it is, for a heading.
    pub fn title(&self) -> &'static str {
        match self.kind {
            PermissionKind::Shell => "run commands before the model reads it",
            PermissionKind::Script => "run a script",
            PermissionKind::Hook => "run commands on events",
            PermissionKind::Tools => "let the model use tools without asking",
            PermissionKind::Profile => "widen what its scripts may do",
            PermissionKind::Mcp => "add MCP servers",
        }
    }
}

impl fmt::Display for RequestedAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(on) = &self.on {
            write!(f, "{on}: ")?;
        }
        f.write_str(&self.what)
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
        let mut permission =
            RequestedPermission::new(PermissionKind::Shell, ["date".to_owned()], vec!["TOKEN".to_owned()]);
        assert_eq!(permission.items(), ["date", "gets the variable TOKEN"]);
        assert!(permission.holds("date"));
        assert!(!permission.holds("date -u") && !permission.holds("gets the variable TOKEN"));
        permission.actions.clear();
        assert!(!permission.holds("date"));
    }
}
