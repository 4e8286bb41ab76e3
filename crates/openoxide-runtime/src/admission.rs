//! Decides which skill a call means, and whether its caller may have it.

use openoxide_permissions::{Action, Decision, Permission};
use openoxide_skills::catalog::{Entry, Status, View};
use openoxide_skills::host::{Caller, Situation};
use openoxide_skills::text::{TerminalText, fill, near, path_text};

use crate::call::{may, names_of};
use crate::{Call, Refusal, RefusalReason, Runtime, Session};

impl Runtime {
    /// Finds the skill that a call means, or says why there is none.
    ///
    /// What a rule denies is not there for the model: it is in no answer, and in no list of names.
    pub fn admit(&self, call: &Call) -> Result<&Entry, Refusal> {
        let admission = Admission { runtime: self, call };
        let name = call.skill.as_str();
        if !is_name(self.view(), call) {
            return Err(admission.said_or_unknown(Situation::SkillBadName, RefusalReason::Unknown));
        }
        let all = self.catalog().called(name);
        let is_there = |entry: &&Entry| call.caller == Caller::User || !self.denies(entry);
        let found: Vec<&Entry> = all.iter().copied().filter(is_there).collect();
        if found.is_empty() && all.iter().any(|entry| entry.is_active()) {
            return Err(admission.said_or_unknown(Situation::SkillDenied, RefusalReason::Denied));
        }
        let mut callable: Vec<&Entry> = found.iter().copied().filter(|entry| entry.is_active()).collect();
        // A caller who gives a path gets that file, although its name means another skill.
        if callable.is_empty() && name.starts_with('/') {
            callable = found.iter().copied().filter(|entry| lost_its_name(entry)).take(1).collect();
        }
        if callable.is_empty() {
            return Err(admission.not_active(&found));
        }
        // Those that the caller may not call are not there to be counted.
        callable.retain(|entry| may(entry, call.caller));
        match callable.as_slice() {
            [] => Err(admission.not_for_caller()),
            [entry] => Ok(entry),
            // A path means one file; a name that several have means none of them.
            several => Err(admission.ambiguous(several)),
        }
    }

    /// Tells whether a skill is called without a question, by the rules of the settings alone.
    pub fn calls_unasked(&self, entry: &Entry, caller: Caller) -> bool {
        self.calling(&Session::default(), entry, caller).action == Action::Allow
    }

    /// Decides whether a caller may call a skill that it may see.
    pub(crate) fn calling(&self, session: &Session, entry: &Entry, caller: Caller) -> Decision {
        if caller == Caller::User && self.view().host.activation.user_needs_no_permission {
            return Decision { action: Action::Allow, rule: None, remembered: false };
        }
        self.decide_by_names(session, Permission::Skill, entry, str::to_owned)
    }
}

/// Tells whether a skill would count but for its name.
pub(crate) fn lost_its_name(entry: &Entry) -> bool {
    matches!(entry.status, Status::Shadowed | Status::Untrusted)
}

/// Tells whether a host looks for such a name at all.
fn is_name(view: &View, call: &Call) -> bool {
    let name = call.skill.as_str();
    // A model knows skills by name; a path that it makes up is none.
    if name.starts_with('/') {
        return call.caller == Caller::User;
    }
    let is_plain = |others: &str| name.chars().all(|letter| letter.is_ascii_alphanumeric() || others.contains(letter));
    !name.is_empty() && view.host.activation.names.as_deref().is_none_or(is_plain)
}

/// A call whose refusal is put into words.
struct Admission<'a> {
    runtime: &'a Runtime,
    call: &'a Call,
}

impl Admission<'_> {
    fn refusal(&self, why: RefusalReason, text: String) -> Refusal {
        Refusal::new(&self.call.skill, why, text)
    }

    /// Returns the names that the caller may know of.
    fn names(&self) -> Vec<&str> {
        let known = |entry: &&Entry| may(entry, self.call.caller) && !self.runtime.denies(entry);
        names_of(self.runtime.catalog().skills.iter().filter(known))
    }

    /// Returns a text of the host, filled in.
    fn own(&self, situation: Situation) -> Option<String> {
        let text = |situation| self.runtime.view().host.own_text(self.call.caller, situation);
        let own = text(situation)?;
        let names = self.names().join(", ");
        let available = match text(Situation::NoSkills).filter(|_| names.is_empty()) {
            Some(none) => none.to_owned(),
            None => names,
        };
        // What a caller makes up stays on one line, and commands no terminal.
        Some(fill(own, &[("available", &available), ("name", &TerminalText(&self.call.skill).to_string())]))
    }

    /// Says what the host's program says. Where it says nothing, the skill is not there for the caller.
    fn said_or_unknown(&self, situation: Situation, why: RefusalReason) -> Refusal {
        self.own(situation).map_or_else(|| self.unknown(), |text| self.refusal(why, text))
    }

    fn unknown(&self) -> Refusal {
        let ours = || format!("no skill is called `{}`", TerminalText(&shortened(&self.call.skill)));
        let text = self.own(Situation::SkillUnknown).unwrap_or_else(ours);
        let mut refusal = self.refusal(RefusalReason::Unknown, text);
        let names = self.names();
        let near = near(&self.call.skill, names.iter().copied());
        if self.runtime.view().host.mention.suggests && self.call.caller == Caller::Model {
            refusal.text.push_str(&our_list(&near, &names));
        } else if let Some(near) = near.first() {
            refusal.help = Some(format!("did you mean `{near}`?"));
        }
        refusal
    }

    /// Says why none of the skills that were found is active.
    fn not_active(&self, found: &[&Entry]) -> Refusal {
        let Some(entry) = found.first() else { return self.unknown() };
        // What the model may not see is not there for it.
        let hidden = matches!(entry.status, Status::Denied | Status::Untrusted | Status::Dormant);
        if self.call.caller == Caller::Model && (hidden || !entry.model) {
            return self.unknown();
        }
        let own = (entry.status == Status::Disabled).then(|| self.own(Situation::SkillDisabled)).flatten();
        let reason = entry.reason.as_ref();
        let text = own.unwrap_or_else(|| {
            let why = reason.map(|reason| format!(": {}", reason.text)).unwrap_or_default();
            format!("`{}` is ignored: it is {}{why}", self.call.skill, entry.status.as_str())
        });
        let code = reason.map(|reason| reason.code);
        Refusal { code, ..self.refusal(RefusalReason::DoesNotCount(entry.status), text).of(entry) }
    }

    fn not_for_caller(&self) -> Refusal {
        let why = RefusalReason::NotForCaller;
        match self.call.caller {
            Caller::Model => self.said_or_unknown(Situation::SkillNotForModel, why),
            Caller::User => {
                let called = TerminalText(&self.call.skill);
                let ours = || format!("`{called}` is for the model to call, not for people");
                // A program may say nothing; a person who gets no answer needs one.
                let own = self.own(Situation::SkillNotForUser).filter(|text| !text.is_empty());
                self.refusal(why, own.unwrap_or_else(ours))
            }
        }
    }

    fn ambiguous(&self, entries: &[&Entry]) -> Refusal {
        let paths: Vec<String> = entries.iter().map(|entry| path_text(&entry.skill.path)).collect();
        let text = format!("{} skills are called `{}`", entries.len(), self.call.skill);
        // The model cannot say a path.
        let is_user = self.call.caller == Caller::User;
        let help = is_user.then(|| format!("say which by its path: {}", paths.join(", ")));
        Refusal { help, ..self.refusal(RefusalReason::Ambiguous, text) }
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
    if names.is_empty() {
        return format!("{did}. There are no skills here.");
    }
    let rest = names.len().saturating_sub(SHOWN);
    let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    let list = names[..names.len() - rest].join(", ");
    let end = if did.is_empty() { "." } else { "" };
    format!("{did}{end} Available skills: {list}{more}.")
}
