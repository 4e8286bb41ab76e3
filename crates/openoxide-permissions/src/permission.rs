//! The kinds of things that rules decide on, and the effect that a rule can have.

use std::{fmt, str::FromStr};

/// What a decision is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Permission {
    /// Calling a skill; the subject is its name.
    Skill,
    /// Reading a file of a skill; the subject is `skill/path`.
    Read,
    /// A command in a skill's text; the subject is the command.
    Shell,
    /// Running a skill's script; the subject is `skill/path`.
    Script,
    /// A command that runs on an event; the subject is the command.
    Hook,
    /// Starting or reaching an MCP server; the subjects are its name, and its command or address. Both must be allowed.
    Mcp,
    /// Applying a skill's permission profile; the subject is the skill's name.
    Profile,
    /// Calling a tool; the subject is the tool's name.
    Tool,
    /// Reaching the network; the subject is the skill's name.
    Network,
}

impl Permission {
    /// Every permission.
    pub const ALL: &'static [Permission] = &[
        Permission::Skill,
        Permission::Read,
        Permission::Shell,
        Permission::Script,
        Permission::Hook,
        Permission::Mcp,
        Permission::Profile,
        Permission::Tool,
        Permission::Network,
    ];

    /// Those whose subjects begin with a skill's name, so that a rule means the skill by every name that it has.
    pub const BY_NAME: &'static [Permission] =
        &[Permission::Skill, Permission::Read, Permission::Script, Permission::Profile, Permission::Network];

    /// Returns whether a rule means a skill by every name that it has.
    pub fn is_by_name(self) -> bool {
        Permission::BY_NAME.contains(&self)
    }

    /// Returns the word used in rules.
    pub fn as_str(self) -> &'static str {
        match self {
            Permission::Skill => "skill",
            Permission::Read => "read",
            Permission::Shell => "shell",
            Permission::Script => "script",
            Permission::Hook => "hook",
            Permission::Mcp => "mcp",
            Permission::Profile => "profile",
            Permission::Tool => "tool",
            Permission::Network => "network",
        }
    }

    /// Finds a permission by its word.
    pub fn parse(word: &str) -> Option<Permission> {
        Permission::ALL.iter().copied().find(|permission| permission.as_str() == word)
    }

    /// Returns whether the subjects are commands, which are matched part by part.
    pub fn is_command(self) -> bool {
        matches!(self, Permission::Shell | Permission::Hook)
    }

    /// Returns the default: reading text is allowed, everything that acts is asked for.
    pub fn builtin(self) -> Action {
        match self {
            Permission::Skill | Permission::Read => Action::Allow,
            Permission::Shell
            | Permission::Script
            | Permission::Hook
            | Permission::Mcp
            | Permission::Profile
            | Permission::Tool
            | Permission::Network => Action::Ask,
        }
    }
}

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
