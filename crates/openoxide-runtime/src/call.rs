//! Calls of skills, who may make them, and refusals.

use std::path::PathBuf;

use openoxide_skills::catalog::{Catalog, Entry, Status, View};
use openoxide_skills::diagnostic::Code;
use openoxide_skills::expand::Arguments;
use openoxide_skills::host::{Caller, Situation};
use openoxide_skills::text::{fill, near};

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
    /// It is there, and does not count.
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
            RefusalReason::DoesNotCount(standing) => standing.as_str(),
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
    /// The stable code behind a standing.
    pub code: Option<Code>,
    /// What is said, to the model too.
    pub text: String,
    /// The next step, for people.
    pub help: Option<String>,
}

/// Finds the skill that a call means, or says why there is none.
///
/// What `denied` tells of is not there for the model: it is in no answer, and in no list of names.
pub(crate) fn admit<'c>(
    view: &View,
    catalog: &'c Catalog,
    call: &Call,
    denied: &dyn Fn(&Entry) -> bool,
) -> Result<&'c Entry, Refusal> {
    let words = Words { view, catalog, call, denied };
    let wanted = call.skill.as_str();
    if !is_name(view, call) {
        return Err(words.bad_name());
    }
    let all = catalog.called(wanted);
    let is_there = |entry: &&Entry| call.caller == Caller::User || !denied(entry);
    let found: Vec<&Entry> = all.iter().copied().filter(is_there).collect();
    if found.is_empty() && all.iter().any(|entry| entry.is_active()) {
        return Err(words.denied());
    }
    let mut callable: Vec<&Entry> = found.iter().copied().filter(|entry| entry.is_active()).collect();
    // Whoever says which file is meant gets that one, although its name means another.
    if callable.is_empty() && wanted.starts_with('/') {
        callable = found.iter().copied().filter(|entry| lost_its_name(entry)).take(1).collect();
    }
    match callable.as_slice() {
        [] => Err(words.not_active(&found)),
        [entry] => words.for_caller(entry),
        // A path means one file; a name that several have means none of them.
        [first, ..] => match callable.iter().copied().filter(|entry| may(entry, call.caller)).collect::<Vec<_>>()[..] {
            [] => words.for_caller(first),
            [entry] => Ok(entry),
            // Those that the caller may not call are not there to be counted.
            ref several => Err(words.ambiguous(several)),
        },
    }
}

/// Tells whether a skill would count but for its name.
pub(crate) fn lost_its_name(entry: &Entry) -> bool {
    matches!(entry.status, Status::Shadowed | Status::Untrusted)
}

/// Tells whether a host looks for such a name at all.
fn is_name(view: &View, call: &Call) -> bool {
    let wanted = call.skill.as_str();
    // A model is told names; a path that it makes up is none.
    if wanted.starts_with('/') {
        return call.caller == Caller::User;
    }
    let is_plain =
        |others: &str| wanted.chars().all(|letter| letter.is_ascii_alphanumeric() || others.contains(letter));
    !wanted.is_empty() && view.host.activation.names.as_deref().is_none_or(is_plain)
}

/// Tells whether a caller may call a skill.
pub(crate) fn may(entry: &Entry, caller: Caller) -> bool {
    match caller {
        Caller::User => entry.user,
        Caller::Model => entry.model,
    }
}

/// Returns the names that a caller may call, sorted.
pub fn names_for(catalog: &Catalog, caller: Caller) -> Vec<&str> {
    names_of(catalog.skills.iter().filter(|entry| may(entry, caller)))
}

fn names_of<'c>(entries: impl Iterator<Item = &'c Entry>) -> Vec<&'c str> {
    let mut names: Vec<&str> = entries.map(|entry| &*entry.skill.name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Words for a refusal.
struct Words<'a> {
    view: &'a View,
    catalog: &'a Catalog,
    call: &'a Call,
    denied: &'a dyn Fn(&Entry) -> bool,
}

impl Words<'_> {
    fn refusal(&self, why: RefusalReason, text: String) -> Refusal {
        Refusal { name: self.call.skill.clone(), path: None, why, code: None, text, help: None }
    }

    /// Returns the names that the caller may know of.
    fn names(&self) -> Vec<&str> {
        let known = |entry: &&Entry| may(entry, self.call.caller) && !(self.denied)(entry);
        names_of(self.catalog.skills.iter().filter(known))
    }

    /// Returns a text of the host.
    fn own(&self, situation: Situation) -> Option<&str> {
        self.view.host.own_text(self.call.caller, situation)
    }

    /// Writes a text of the host, or ours.
    fn said(&self, situation: Option<Situation>, ours: impl FnOnce() -> String) -> String {
        let Some(text) = situation.and_then(|situation| self.own(situation)) else { return ours() };
        let names = self.names().join(", ");
        let available = match (names.is_empty(), self.own(Situation::NoSkills)) {
            (true, Some(none)) => none.to_owned(),
            _ => names,
        };
        fill(text, &[("available", &available), ("name", &self.call.skill)])
    }

    fn unknown(&self) -> Refusal {
        let ours = || format!("no skill is called `{}`", shortened(&self.call.skill));
        let text = self.said(Some(Situation::SkillUnknown), ours);
        let mut refusal = self.refusal(RefusalReason::Unknown, text);
        let names = self.names();
        let near = near(&self.call.skill, names.iter().copied());
        if self.view.host.mention.suggests && self.call.caller == Caller::Model {
            refusal.text.push_str(&our_list(&near, &names));
        } else if let Some(near) = near.first() {
            refusal.help = Some(format!("did you mean `{near}`?"));
        }
        refusal
    }

    /// Says to the model that a rule denies it, where its program does; elsewhere it is not there.
    fn denied(&self) -> Refusal {
        match self.own(Situation::SkillDenied) {
            Some(_) => self.refusal(RefusalReason::Denied, self.said(Some(Situation::SkillDenied), String::new)),
            None => self.unknown(),
        }
    }

    fn bad_name(&self) -> Refusal {
        match self.own(Situation::SkillBadName) {
            Some(_) => self.refusal(RefusalReason::Unknown, self.said(Some(Situation::SkillBadName), String::new)),
            None => self.unknown(),
        }
    }

    /// Says why none of the skills that were found counts.
    fn not_active(&self, found: &[&Entry]) -> Refusal {
        let Some(entry) = found.first() else { return self.unknown() };
        // What the model may not see is not there for it.
        let hidden = matches!(entry.status, Status::Denied | Status::Untrusted | Status::Dormant);
        if self.call.caller == Caller::Model && (hidden || !entry.model) {
            return self.unknown();
        }
        let own = (entry.status == Status::Disabled).then_some(Situation::SkillDisabled);
        let reason = entry.reason.as_ref();
        let ours = || {
            let why = reason.map(|reason| format!(": {}", reason.text)).unwrap_or_default();
            format!("`{}` does not count, it is {}{why}", self.call.skill, entry.status.as_str())
        };
        let mut refusal = self.refusal(RefusalReason::DoesNotCount(entry.status), self.said(own, ours));
        refusal.path = Some(entry.skill.path.to_path_buf());
        refusal.code = reason.map(|reason| reason.code);
        refusal
    }

    fn for_caller<'e>(&self, entry: &'e Entry) -> Result<&'e Entry, Refusal> {
        if may(entry, self.call.caller) {
            return Ok(entry);
        }
        let text = match self.call.caller {
            Caller::User => self.said(Some(Situation::SkillNotForUser), || {
                format!("`{}` is for the model to call, not for people", self.call.skill)
            }),
            // Where its program does not say so, it is not there for the model.
            Caller::Model if self.own(Situation::SkillNotForModel).is_none() => return Err(self.unknown()),
            Caller::Model => self.said(Some(Situation::SkillNotForModel), String::new),
        };
        Err(self.refusal(RefusalReason::NotForCaller, text))
    }

    fn ambiguous(&self, entries: &[&Entry]) -> Refusal {
        let paths: Vec<String> =
            entries.iter().map(|entry| openoxide_skills::text::path_text(&entry.skill.path)).collect();
        let text = format!("{} skills are called `{}`", entries.len(), self.call.skill);
        let mut refusal = self.refusal(RefusalReason::Ambiguous, text);
        // The model cannot.
        refusal.help =
            (self.call.caller == Caller::User).then(|| format!("say which by its path: {}", paths.join(", ")));
        refusal
    }
}

/// Shortens an unknown name, because a caller can make it as long as it likes.
fn shortened(name: &str) -> String {
    const REPEATED: usize = 200;
    match name.char_indices().nth(REPEATED) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

/// Says which names are near, and which there are.
fn our_list(near: &[&str], names: &[&str]) -> String {
    const SHOWN: usize = 50;
    let did = if near.is_empty() { String::new() } else { format!("; did you mean `{}`?", near.join("`, `")) };
    let rest = names.len().saturating_sub(SHOWN);
    let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    match names {
        [] => format!("{did}. There are no skills here."),
        names => {
            let list = names[..names.len().min(SHOWN)].join(", ");
            let end = if did.is_empty() { "." } else { "" };
            format!("{did}{end} Available skills: {list}{more}.")
        }
    }
}
