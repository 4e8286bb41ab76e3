//! Finds a server's skill and settles every question about it, for activation and reading alike.

use std::sync::Arc;

use openoxide_skills::host::Caller;

use super::fetch::{Fetch, FetchError, FetchRequest, Fetched, RemoteSkill};
use super::name::RemoteName;
use crate::call::{Refusal, RefusalReason};
use crate::question::{Answer, Question};
use crate::runtime::Runtime;
use crate::session::Session;
use crate::step::Reply;

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

/// What the access needs next.
pub(crate) enum Access {
    /// The server must be asked.
    Fetch(Fetch),
    /// The user must decide something.
    Ask(Question),
    /// The skill may be used. The path is what the name went on with.
    Granted(RemoteSkill, Option<String>),
    /// It may not, or cannot.
    Refused(RemoteRefusal),
}

/// Why a server's skill is not used.
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

    pub(crate) fn resume(&mut self, runtime: &Arc<Runtime>, session: &mut Session, reply: Reply) -> Access {
        match self.next(runtime, session, reply) {
            Ok(access) => access,
            Err(refusal) => Access::Refused(refusal),
        }
    }

    fn next(&mut self, runtime: &Arc<Runtime>, session: &mut Session, reply: Reply) -> Result<Access, RemoteRefusal> {
        if self.skill.is_none() {
            match reply {
                Reply::Fetched(Ok(Fetched::Skill(skill, path))) => self.skill = Some((*skill, path)),
                Reply::Fetched(Err(error)) => return Err(RemoteRefusal::Fetch(error)),
                Reply::Fetched(Ok(_)) => return Err(RemoteRefusal::Fetch(FetchError::not_asked(&self.name.server))),
                _ => return Ok(Access::Fetch(self.find(runtime))),
            }
        } else if let Some(question) = self.asked.take() {
            let answer = if let Reply::Answer(answer) = reply { answer } else { Answer::No };
            if !answer.is_yes() {
                return Err(RemoteRefusal::Unapproved(answer, self.rejected()));
            }
            // An answer that cannot be remembered holds this time.
            let _ = runtime.keep_answer(session, &question, &answer);
            self.approved.push(question.key());
        }
        let Some((skill, path)) = &self.skill else {
            return Err(RemoteRefusal::Fetch(FetchError::not_asked(&self.name.server)));
        };
        let questions =
            if self.asks { runtime.before_remote(session, &skill.offer, self.caller) } else { Ok(Vec::new()) };
        // To the model, a skill that it may not call does not exist.
        let questions = questions.map_err(|refusal| match self.caller {
            Caller::Model => RemoteRefusal::Fetch(FetchError::unknown_skill(&self.name)),
            Caller::User => RemoteRefusal::Refusal(refusal),
        })?;
        let open = questions.into_iter().find(|question| !self.approved.contains(&question.key()));
        self.asked.clone_from(&open);
        Ok(open.map_or_else(|| Access::Granted(skill.clone(), path.clone()), Access::Ask))
    }

    fn find(&self, runtime: &Arc<Runtime>) -> Fetch {
        let (name, caller, with_path) = (self.name.clone(), self.caller, self.with_path);
        Fetch { runtime: Arc::clone(runtime), request: FetchRequest::Find { name, caller, with_path } }
    }

    fn rejected(&self) -> Refusal {
        let name = self.name.to_string();
        let text = format!("`{name}` was not allowed");
        Refusal { name, path: None, why: RefusalReason::Rejected, code: None, text, help: None }
    }
}
