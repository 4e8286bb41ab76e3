//! The reasons why something that looks like the name of a skill selects none.

use std::fmt;

use crate::catalog::Entry;

/// Why something that looks like the name of a skill means none. It is shown as one sentence, without a full stop.
#[derive(Clone, Debug)]
pub enum IgnoredReason<'c> {
    /// No skill is called so.
    Unknown {
        /// The name.
        name: String,
        /// Names that may have been meant; only of skills that the user may call.
        near: Vec<&'c str>,
    },
    /// Several skills are called so.
    Ambiguous {
        /// The name.
        name: String,
        /// The first of them.
        candidates: Vec<&'c Entry>,
        /// How many there are.
        total: usize,
        /// The mark of the links that would say which, where it is said how.
        link: Option<String>,
    },
    /// The skill does not count: it is disabled, denied, dormant, invalid.
    NotActive(&'c Entry),
    /// The skill is not for the user to call.
    NotForUser,
    /// It is the name of an environment variable.
    Blocked,
    /// A connector has the same name.
    Connector,
    /// No skill is there.
    PathUnknown,
    /// It leads to something that is no skill.
    OtherKind,
    /// A structured item of the turn has this name.
    NamedByItem,
    /// The host takes no structured items.
    NoItems,
    /// The skill, or one of its name, is chosen already.
    Duplicate,
    /// It stands in code.
    InCode,
    /// It is a part of something longer.
    Attached,
}

impl IgnoredReason<'_> {
    /// Returns the word that never changes its meaning.
    pub fn word(&self) -> &'static str {
        match self {
            IgnoredReason::Unknown { .. } => "unknown",
            IgnoredReason::Ambiguous { .. } => "ambiguous",
            IgnoredReason::NotActive(entry) => entry.status.as_str(),
            IgnoredReason::NotForUser => "not-user-invocable",
            IgnoredReason::Blocked => "blocked-name",
            IgnoredReason::Connector => "connector-conflict",
            IgnoredReason::PathUnknown => "path-unknown",
            IgnoredReason::OtherKind => "other-kind",
            IgnoredReason::NamedByItem => "named-by-item",
            IgnoredReason::NoItems => "no-items",
            IgnoredReason::Duplicate => "duplicate",
            IgnoredReason::InCode => "in-code",
            IgnoredReason::Attached => "attached",
        }
    }
}

impl fmt::Display for IgnoredReason<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            IgnoredReason::Unknown { name, near } => return unknown(f, name, near),
            IgnoredReason::Ambiguous { name, total, link, .. } => return ambiguous(f, name, *total, link.as_deref()),
            IgnoredReason::NotActive(entry) => return not_active(f, entry),
            IgnoredReason::NotForUser => "the user may not call this skill",
            IgnoredReason::Blocked => "it is the name of an environment variable",
            IgnoredReason::Connector => "a connector has the same name",
            IgnoredReason::PathUnknown => "no skill is at that path",
            IgnoredReason::OtherKind => "it leads to something that is no skill",
            IgnoredReason::NamedByItem => "an item of the turn has this name, and its path decides",
            IgnoredReason::NoItems => "the host takes skills from the text only",
            IgnoredReason::Duplicate => "a skill of this name is chosen already",
            IgnoredReason::InCode => "it stands in code; outside of the backticks it would count",
            IgnoredReason::Attached => "it is joined to what stands beside it; between blanks it would count",
        })
    }
}

fn unknown(f: &mut fmt::Formatter<'_>, name: &str, near: &[&str]) -> fmt::Result {
    write!(f, "no skill is called `{name}`")?;
    match near {
        [] => Ok(()),
        near => write!(f, "; did you mean `{}`?", near.join("` or `")),
    }
}

fn ambiguous(f: &mut fmt::Formatter<'_>, name: &str, total: usize, link: Option<&str>) -> fmt::Result {
    write!(f, "{total} skills are called `{name}`")?;
    match link {
        Some(mark) => write!(f, "; say which by its path, as `[{mark}{name}](PATH)`"),
        None => Ok(()),
    }
}

fn not_active(f: &mut fmt::Formatter<'_>, entry: &Entry) -> fmt::Result {
    match &entry.reason {
        Some(reason) => f.write_str(&reason.text),
        None => write!(f, "the skill is {}", entry.status.as_str()),
    }
}
