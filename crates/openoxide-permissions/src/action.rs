//! The effect of a rule: allow, ask or deny.

use std::{fmt, str::FromStr};

/// The effect of a rule. A later variant is stricter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// It is allowed.
    Allow,
    /// The user is asked.
    Ask,
    /// It is denied.
    Deny,
}

impl Action {
    /// Returns the word used in settings, text and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Action::Allow => "allow",
            Action::Ask => "ask",
            Action::Deny => "deny",
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Action {
    type Err = ();

    fn from_str(word: &str) -> Result<Action, ()> {
        [Action::Allow, Action::Ask, Action::Deny].into_iter().find(|action| action.as_str() == word).ok_or(())
    }
}
