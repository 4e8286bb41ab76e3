//! Calls of skills, and refusals.

use std::path::PathBuf;

use openoxide_skills::catalog::{Catalog, Entry, Status, View};
use openoxide_skills::search::{SearchHit, search};
use openoxide_skills::{diagnostic::Code, expand::Arguments, host::Caller};

/// A call of one skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Its name, or the absolute path of its file or folder.
    pub skill: String,
    /// Who calls.
    pub caller: Caller,
    /// What was said with the call.
    pub arguments: CallArguments,
}

impl Call {
    pub(crate) fn plain(skill: impl Into<String>, caller: Caller) -> Call {
        Call { skill: skill.into(), caller, arguments: CallArguments::Nothing }
    }
}

/// The words of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum CallArguments {
    /// None.
    #[default]
    Nothing,
    /// One text, as a person typed it.
    Raw(String),
    /// Separate words.
    Words(Vec<String>),
}

impl CallArguments {
    /// Splits them into words, by the host's rule.
    pub(crate) fn split(&self, view: &View) -> Option<Arguments> {
        let rule = view.host.arguments.as_ref().map(|rules| rules.words).unwrap_or_default();
        match self {
            CallArguments::Nothing => None,
            CallArguments::Raw(text) => Some(Arguments::from_raw(rule, text)),
            CallArguments::Words(words) => Some(Arguments::from_words(words)),
        }
    }
}

/// Why a skill is not activated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalReason {
    /// No skill has this name.
    Unknown,
    /// Several skills have it.
    Ambiguous,
    /// The caller may not call it.
    NotForCaller,
    /// It is there, and is ignored.
    DoesNotCount(Status),
    /// A permission rule says no.
    Denied,
    /// The user said no.
    Rejected,
    /// Its file cannot be read, or is none any more.
    Unreadable,
    /// A command of its text failed, and the host then sends nothing.
    CommandFailed,
    /// It has no such script.
    NoScript,
    /// Its own `allowed-tools` does not name what it would run.
    NotListed,
    /// It could not be run here.
    NotRun,
}

impl RefusalReason {
    /// Returns the word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            RefusalReason::Unknown => "unknown",
            RefusalReason::Ambiguous => "ambiguous",
            RefusalReason::NotForCaller => "not-for-caller",
            RefusalReason::DoesNotCount(status) => status.as_str(),
            RefusalReason::Denied => "denied",
            RefusalReason::Rejected => "rejected",
            RefusalReason::Unreadable => "unreadable",
            RefusalReason::CommandFailed => "command-failed",
            RefusalReason::NoScript => "no-script",
            RefusalReason::NotListed => "not-listed",
            RefusalReason::NotRun => "not-run",
        }
    }
}

/// The answer no, in the words of the host or in ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What was asked for.
    pub name: String,
    /// The skill's file, where there is one that the caller may know of.
    pub path: Option<PathBuf>,
    /// Why.
    pub why: RefusalReason,
    /// The stable code behind a status.
    pub code: Option<Code>,
    /// What is said, to the model too.
    pub text: String,
    /// The next step, for people.
    pub help: Option<String>,
}

impl Refusal {
    pub(crate) fn new(name: &str, why: RefusalReason, text: impl Into<String>) -> Refusal {
        Refusal { name: name.to_owned(), path: None, why, code: None, text: text.into(), help: None }
    }

    /// Adds the skill's file, for a caller that may know of it.
    pub(crate) fn of(self, entry: &Entry) -> Refusal {
        Refusal { path: Some(entry.skill.path.to_path_buf()), ..self }
    }
}

pub(crate) fn may(entry: &Entry, caller: Caller) -> bool {
    match caller {
        Caller::User => entry.user,
        Caller::Model => entry.model,
    }
}

/// Finds the active skills that match a query, best first: those that the caller may call, or all if nobody calls.
pub fn search_for<'c>(catalog: &'c Catalog, caller: Option<Caller>, query: &str, limit: usize) -> Vec<SearchHit<'c>> {
    let visible = |entry: &&Entry| caller.is_none_or(|caller| may(entry, caller));
    search(catalog.skills.iter().filter(visible), query, limit)
}

/// Returns the names that a caller may call, sorted.
pub fn names_for(catalog: &Catalog, caller: Caller) -> Vec<&str> {
    names_of(catalog.skills.iter().filter(|entry| may(entry, caller)))
}

pub(crate) fn names_of<'c>(entries: impl Iterator<Item = &'c Entry>) -> Vec<&'c str> {
    let mut names: Vec<&str> = entries.map(|entry| &*entry.skill.name).collect();
    names.sort_unstable();
    names.dedup();
    names
}
