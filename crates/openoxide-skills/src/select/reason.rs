//! The reasons why something that looks like the name of a skill selects none.

use std::{borrow::Cow, fmt};

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
    /// The skill is ignored: it is disabled, denied, dormant, invalid.
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
        self.word_and_text().0
    }

    fn word_and_text(&self) -> (&'static str, Cow<'_, str>) {
        let (word, text) = match self {
            IgnoredReason::Unknown { name, near } => {
                let said = format!("; did you mean `{}`?", near.join("` or `"));
                let guess = if near.is_empty() { "" } else { &said };
                return ("unknown", format!("no skill is called `{name}`{guess}").into());
            }
            IgnoredReason::Ambiguous { name, total, link, .. } => {
                let say = |mark| format!("; say which by its path, as `[{mark}{name}](PATH)`");
                let help = link.as_ref().map(say).unwrap_or_default();
                return ("ambiguous", format!("{total} skills are called `{name}`{help}").into());
            }
            IgnoredReason::NotActive(entry) => {
                let status = entry.status.as_str();
                let text = entry.reason.as_ref().map(|reason| reason.text.as_str().into());
                return (status, text.unwrap_or_else(|| format!("the skill is {status}").into()));
            }
            IgnoredReason::NotForUser => ("not-user-invocable", "the user may not call this skill"),
            IgnoredReason::Blocked => ("blocked-name", "it is the name of an environment variable"),
            IgnoredReason::Connector => ("connector-conflict", "a connector has the same name"),
            IgnoredReason::PathUnknown => ("path-unknown", "no skill is at that path"),
            IgnoredReason::OtherKind => ("other-kind", "it leads to something that is no skill"),
            IgnoredReason::NamedByItem => ("named-by-item", "an item of the turn has this name, and its path decides"),
            IgnoredReason::NoItems => ("no-items", "the host takes skills from the text only"),
            IgnoredReason::Duplicate => ("duplicate", "a skill of this name is chosen already"),
            IgnoredReason::InCode => ("in-code", "it stands in code; outside of the backticks it would count"),
            IgnoredReason::Attached => {
                ("attached", "it is joined to what stands beside it; between blanks it would count")
            }
        };
        (word, text.into())
    }
}

impl fmt::Display for IgnoredReason<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.word_and_text().1)
    }
}
