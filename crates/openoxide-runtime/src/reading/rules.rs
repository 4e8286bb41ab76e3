//! Decides who may read a skill's files, with the same check as before a call.

use openoxide_config::TrustError;
use openoxide_permissions::{Action, Permission, Rule};
use openoxide_skills::catalog::{Entry, Status};
use openoxide_skills::host::{Caller, ReadProblem};
use openoxide_skills::resource::{ResourceRequest, SkillDir};

use crate::{Answer, Call, Question, RefusalReason, Runtime, Session, call::may, runtime::place_of};

impl Runtime {
    /// Finds the skill whose files a caller may read, by its name or the absolute path of its file or folder.
    ///
    /// What a caller may not call, they may not read. To the model, such a skill is as unknown as one that is not there,
    /// so that no name leaks.
    pub fn readable(&self, session: &Session, skill: &str, caller: Caller) -> Result<&Entry, ReadProblem> {
        let is_first = |entry: &&Entry| entry.is_active() && may(entry, caller);
        let entry = self.admit(&Call::plain(skill, caller)).or_else(|refusal| match refusal.why {
            // Of several that have the name, the first is read.
            RefusalReason::Ambiguous => {
                self.catalog().find(skill).into_iter().find(is_first).ok_or(ReadProblem::NotCallable)
            }
            RefusalReason::Unknown | RefusalReason::DoesNotCount(Status::Invalid) => Err(ReadProblem::UnknownSkill),
            _ => Err(ReadProblem::NotCallable),
        });
        self.unless_denied(session, entry, caller)
    }

    /// Finds a skill again that was found before. It may have been denied, switched off or removed since.
    pub(crate) fn still_readable(
        &self,
        session: &Session,
        found: &Entry,
        caller: Caller,
    ) -> Result<&Entry, ReadProblem> {
        let is_it = |entry: &&Entry| entry.canonical().as_os_str() == found.canonical().as_os_str();
        let entry = self.catalog().skills.iter().find(is_it).filter(|entry| entry.is_active() && may(entry, caller));
        self.unless_denied(session, entry.ok_or(ReadProblem::UnknownSkill), caller)
    }

    fn unless_denied<'r>(
        &self,
        session: &Session,
        entry: Result<&'r Entry, ReadProblem>,
        caller: Caller,
    ) -> Result<&'r Entry, ReadProblem> {
        let entry = entry.and_then(|entry| match self.calling(session, entry, caller).action {
            Action::Deny => Err(ReadProblem::NotCallable),
            Action::Allow | Action::Ask => Ok(entry),
        });
        entry.map_err(|problem| if caller == Caller::Model { ReadProblem::UnknownSkill } else { problem })
    }

    /// Returns what must be asked before a file of a skill is read.
    pub fn before_reading(
        &self,
        session: &Session,
        entry: &Entry,
        asked: &ResourceRequest,
    ) -> Result<Vec<Question>, ReadProblem> {
        let mut questions = Vec::new();
        if self.calling(session, entry, asked.caller).action == Action::Ask {
            questions.push(Question::call(entry));
        }
        for path in asked.paths()? {
            match self.reading(session, entry, &path, asked.caller) {
                Action::Allow => {}
                Action::Ask => {
                    let (name, place) = (&entry.skill.name, place_of(entry));
                    questions.push(Question::permission(Permission::Read, &format!("{name}/{path}"), name, &place));
                }
                Action::Deny => return Err(ReadProblem::Forbidden),
            }
        }
        Ok(questions)
    }

    /// Decides whether a caller may read a file of a skill; rules mean it by any name of the skill, and by those of every skill
    /// that this one lies in.
    pub(crate) fn reading(&self, session: &Session, entry: &Entry, path: &str, caller: Caller) -> Action {
        let own = self.decide_by_names(session, Permission::Read, entry, |name| format!("{name}/{path}")).action;
        let outer = self.reading_of_outer(entry, path);
        let is_approved =
            || self.is_approved(session, Permission::Read, &format!("{}/{path}", entry.skill.name), &place_of(entry));
        // The question is asked about the skill itself, so that its answer applies to the others too.
        let by_rules = if outer == Action::Ask && own == Action::Allow && is_approved() { own } else { own.max(outer) };
        match caller {
            Caller::Model => by_rules.max(self.view().outside(entry).0),
            // What the program keeps its model from, people may still read.
            Caller::User => by_rules,
        }
    }

    /// Returns the strictest rule on a file by the names of the skills around the one that it was asked for.
    fn reading_of_outer(&self, entry: &Entry, path: &str) -> Action {
        if !self.has_rules_on_files() {
            return Action::Allow;
        }
        let folder = entry.canonical().parent().unwrap_or(entry.canonical());
        let file = folder.join(path);
        let around =
            self.catalog().files_at(&file).into_iter().filter(|(outer, _)| outer.canonical() != entry.canonical());
        let ruled = around.map(|(outer, below)| {
            let below = below.to_string_lossy();
            self.ruled_by_names(Permission::Read, outer, |name| format!("{name}/{below}")).action
        });
        ruled.max().unwrap_or(Action::Allow)
    }

    fn has_rules_on_files(&self) -> bool {
        let is_about_files = |rule: &Rule| rule.pattern != "*" && rule.is_about(Permission::Read.as_str());
        self.rules().0.iter().any(is_about_files)
    }

    /// Finds where links lead on the way to what is asked for, so that rules on files are asked about that too. Without such
    /// rules nothing is looked up.
    pub fn judge_links(&self, entry: &Entry, asked: &mut ResourceRequest) {
        if self.has_rules_on_files()
            && let Ok(dir) = SkillDir::of(self.catalog(), entry)
        {
            asked.judge_links(&dir);
        }
    }

    /// Keeps the answer to a question about a permission or a server's skill, for as long as the user said.
    pub fn keep_answer(&self, session: &mut Session, question: &Question, answer: &Answer) -> Result<(), TrustError> {
        if let Question::Remote { offer, .. } = question {
            return self.keep_remote(session, offer, answer);
        }
        let Question::Permission { permission, subject, place, .. } = question else { return Ok(()) };
        let Some(permission) = Permission::parse(permission) else { return Ok(()) };
        match answer {
            Answer::Session => session.allow(permission, subject, place),
            Answer::Always => return self.remember(permission, subject, place),
            Answer::Once | Answer::No | Answer::NotAsked | Answer::Secret(_) => {}
        }
        Ok(())
    }
}
