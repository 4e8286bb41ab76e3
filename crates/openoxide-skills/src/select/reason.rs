//! Why something that looks like the name of a skill means none.

use std::fmt;

use crate::catalog::Entry;

/// Why something that looks like the name of a skill means none. It is shown as one sentence, without a full stop.
#[derive(Clone, Debug)]
pub enum WhyNot<'c> {
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
    Standing(&'c Entry),
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

impl WhyNot<'_> {
    /// Returns the word that never changes its meaning.
    pub fn word(&self) -> &'static str {
        match self {
            WhyNot::Unknown { .. } => "unknown",
            WhyNot::Ambiguous { .. } => "ambiguous",
            WhyNot::Standing(entry) => entry.standing.as_str(),
            WhyNot::NotForUser => "not-user-invocable",
            WhyNot::Blocked => "blocked-name",
            WhyNot::Connector => "connector-conflict",
            WhyNot::PathUnknown => "path-unknown",
            WhyNot::OtherKind => "other-kind",
            WhyNot::NamedByItem => "named-by-item",
            WhyNot::NoItems => "no-items",
            WhyNot::Duplicate => "duplicate",
            WhyNot::InCode => "in-code",
            WhyNot::Attached => "attached",
        }
    }
}

impl fmt::Display for WhyNot<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            WhyNot::Unknown { name, near } => return unknown(f, name, near),
            WhyNot::Ambiguous { name, total, link, .. } => return ambiguous(f, name, *total, link.as_deref()),
            WhyNot::Standing(entry) => return standing(f, entry),
            WhyNot::NotForUser => "the user may not call this skill",
            WhyNot::Blocked => "it is the name of an environment variable",
            WhyNot::Connector => "a connector has the same name",
            WhyNot::PathUnknown => "no skill is at that path",
            WhyNot::OtherKind => "it leads to something that is no skill",
            WhyNot::NamedByItem => "an item of the turn has this name, and its path decides",
            WhyNot::NoItems => "the host takes skills from the text only",
            WhyNot::Duplicate => "a skill of this name is chosen already",
            WhyNot::InCode => "it stands in code; outside of the backticks it would count",
            WhyNot::Attached => "it is joined to what stands beside it; between blanks it would count",
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

fn standing(f: &mut fmt::Formatter<'_>, entry: &Entry) -> fmt::Result {
    match &entry.reason {
        Some(reason) => f.write_str(&reason.text),
        None => write!(f, "the skill is {}", entry.standing.as_str()),
    }
}
