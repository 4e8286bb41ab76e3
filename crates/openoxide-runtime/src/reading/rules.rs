//! Decides who may read a skill's files, with the same check as before a call.

use openoxide_config::TrustError;
use openoxide_permissions::{Action, Permission};
use openoxide_skills::catalog::{Entry, Status};
use openoxide_skills::host::{Caller, ReadProblem};
use openoxide_skills::resource::ResourceRequest;

use crate::{Answer, Call, Question, RefusalReason, Runtime, Session, call::may};

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
        let name = &entry.skill.name;
        let mut questions = Vec::new();
        if self.calling(session, entry, asked.caller).action == Action::Ask {
            questions.push(Question::permission(Permission::Skill, name, name));
        }
        for subject in asked.subjects(entry)? {
            match self.decide(session, Permission::Read, &subject).action {
                Action::Allow => {}
                Action::Ask => questions.push(Question::permission(Permission::Read, &subject, name)),
                Action::Deny => return Err(ReadProblem::Forbidden),
            }
        }
        Ok(questions)
    }

    /// Keeps the answer to a question about a permission or a server's skill, for as long as the user said.
    pub fn keep_answer(&self, session: &mut Session, question: &Question, answer: &Answer) -> Result<(), TrustError> {
        if let Question::Remote { offer, .. } = question {
            return self.keep_remote(session, offer, answer);
        }
        let Question::Permission { permission, subject, .. } = question else { return Ok(()) };
        let Some(permission) = Permission::parse(permission) else { return Ok(()) };
        match answer {
            Answer::Session => session.allow(permission, subject),
            Answer::Always => return self.remember(permission, subject),
            Answer::Once | Answer::No | Answer::NotAsked | Answer::Secret(_) => {}
        }
        Ok(())
    }
}
