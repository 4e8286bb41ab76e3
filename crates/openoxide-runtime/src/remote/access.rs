//! Finds a server's skill and settles every question about it, for activation and reading alike.

use std::sync::Arc;

use openoxide_skills::host::Caller;

use crate::{
    Answer, Fetch, FetchError, FetchRequest, Fetched, Question, Refusal, RefusalReason, RemoteName, RemoteSkill, Reply,
    Runtime, Session, Step,
};

/// The access to one skill of a server.
pub(crate) struct RemoteAccess {
    name: RemoteName,
    caller: Caller,
    with_path: bool,
    /// Whether the user must approve what reaches the caller.
    asks: bool,
    /// The skill as it was when its questions were asked: an approval is for that one.
    skill: Option<(RemoteSkill, Option<String>)>,
    asked: Option<Question>,
    /// Questions that the user answered with yes.
    approved: Vec<String>,
}

/// The skill that may be used and the path that its name went on with, or why it is not used.
pub(crate) type Access = Result<(RemoteSkill, Option<String>), RemoteRefusal>;

#[derive(Clone, Debug)]
pub(crate) enum RemoteRefusal {
    /// The server, or what it offers, cannot be used.
    Fetch(FetchError),
    /// A rule says no.
    Refusal(Refusal),
    /// The user did not approve it.
    Unapproved(Answer, Refusal),
}

impl RemoteAccess {
    /// Begins. With `asks`, nothing of the skill is fetched before the user approves it.
    pub(crate) fn new(name: RemoteName, caller: Caller, with_path: bool, asks: bool) -> RemoteAccess {
        RemoteAccess { name, caller, with_path, asks, skill: None, asked: None, approved: Vec::new() }
    }

    /// Goes on to the skill, and the path that its name went on with.
    pub(crate) fn resume(&mut self, runtime: &Arc<Runtime>, session: &mut Session, reply: Reply) -> Step<Access> {
        self.next(runtime, session, reply).unwrap_or_else(|refusal| Step::Done(Err(refusal)))
    }

    fn next(
        &mut self,
        runtime: &Arc<Runtime>,
        session: &mut Session,
        reply: Reply,
    ) -> Result<Step<Access>, RemoteRefusal> {
        let not_asked = || RemoteRefusal::Fetch(FetchError::not_asked(&self.name.server));
        if self.skill.is_none() {
            match reply {
                Reply::Fetched(Ok(Fetched::Skill(skill, path))) => self.skill = Some((*skill, path)),
                Reply::Fetched(Err(error)) => return Err(RemoteRefusal::Fetch(error)),
                Reply::Fetched(Ok(_)) => return Err(not_asked()),
                _ => {
                    let (name, caller, with_path) = (self.name.clone(), self.caller, self.with_path);
                    return Ok(Step::Fetch(Fetch::new(runtime, FetchRequest::Find { name, caller, with_path })));
                }
            }
        } else if let Some(question) = self.asked.take() {
            let answer = reply.into_answer();
            if !answer.is_yes() {
                let name = self.name.to_string();
                let refusal = Refusal::new(&name, RefusalReason::Rejected, format!("`{name}` was not allowed"));
                return Err(RemoteRefusal::Unapproved(answer, refusal));
            }
            // An answer that cannot be remembered holds this time.
            let _ = runtime.keep_answer(session, &question, &answer);
            self.approved.push(question.key());
        }
        let (skill, path) = self.skill.as_ref().ok_or_else(not_asked)?;
        let questions =
            if self.asks { runtime.before_remote(session, &skill.offer, self.caller) } else { Ok(Vec::new()) };
        // To the model, a skill that it may not call does not exist.
        let questions = questions.map_err(|refusal| match self.caller {
            Caller::Model => RemoteRefusal::Fetch(FetchError::unknown_skill(&self.name)),
            Caller::User => RemoteRefusal::Refusal(refusal),
        })?;
        let open = questions.into_iter().find(|question| !self.approved.contains(&question.key()));
        self.asked.clone_from(&open);
        Ok(open.map_or_else(|| Step::Done(Ok((skill.clone(), path.clone()))), Step::Ask))
    }
}
