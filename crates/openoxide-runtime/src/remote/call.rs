//! The call of a server's skill: access, then its text, then its envelope.

use std::path::PathBuf;
use std::sync::Arc;

use openoxide_skills::envelope::Message;
use openoxide_skills::expand::Arguments;

use super::access::{Access, RemoteAccess, RemoteRefusal};
use super::envelope::carry;
use super::fetch::{Fetch, FetchError, FetchRequest, Fetched, RemoteSkill};
use super::name::RemoteName;
use crate::activation::ActivatedSkill;
use crate::call::{Call, Refusal, RefusalReason};
use crate::question::Question;
use crate::runtime::Runtime;
use crate::session::Session;
use crate::step::Reply;

/// A call of a server's skill.
pub(crate) struct RemoteCall {
    call: Call,
    access: RemoteAccess,
    /// The skill whose text was asked for.
    granted: Option<RemoteSkill>,
}

/// What the call needs next.
pub(crate) enum RemoteStep {
    /// The user must decide something.
    Ask(Question),
    /// The server must be asked.
    Fetch(Fetch),
    /// Nothing; this is the result.
    Done(Result<ActivatedSkill, Refusal>),
}

impl RemoteCall {
    pub(crate) fn new(name: RemoteName, call: Call) -> RemoteCall {
        let access = RemoteAccess::new(name, call.caller, false, true);
        RemoteCall { call, access, granted: None }
    }

    pub(crate) fn resume(&mut self, runtime: &Arc<Runtime>, session: &mut Session, reply: Reply) -> RemoteStep {
        if let Some(skill) = self.granted.take() {
            return RemoteStep::Done(self.activated(runtime, &skill, reply));
        }
        match self.access.resume(runtime, session, reply) {
            Access::Fetch(fetch) => RemoteStep::Fetch(fetch),
            Access::Ask(question) => RemoteStep::Ask(question),
            Access::Refused(RemoteRefusal::Fetch(error)) => RemoteStep::Done(Err(self.refusal(error.why, error))),
            Access::Refused(RemoteRefusal::Refusal(refusal) | RemoteRefusal::Unapproved(_, refusal)) => {
                RemoteStep::Done(Err(refusal))
            }
            Access::Granted(skill, _) => {
                self.granted = Some(skill.clone());
                RemoteStep::Fetch(Fetch { runtime: Arc::clone(runtime), request: FetchRequest::Manifest(skill) })
            }
        }
    }

    fn activated(&self, runtime: &Runtime, skill: &RemoteSkill, reply: Reply) -> Result<ActivatedSkill, Refusal> {
        let bytes = match reply {
            Reply::Fetched(Ok(Fetched::Bytes(bytes))) => bytes,
            Reply::Fetched(Err(error)) => return Err(self.refusal(RefusalReason::Unreadable, error)),
            _ => return Err(self.refusal(RefusalReason::Unreadable, FetchError::not_asked(&skill.offer.server))),
        };
        let view = runtime.view();
        let arguments = self.call.arguments.split(view);
        let text = String::from_utf8_lossy(&bytes);
        let messages = carry(view, skill, &text, self.call.caller, arguments.as_ref()).map_err(|error| Refusal {
            name: self.call.skill.clone(),
            path: None,
            why: RefusalReason::Unreadable,
            code: None,
            text: error.to_string(),
            help: None,
        })?;
        Ok(self.outcome(skill, arguments.as_ref(), messages))
    }

    fn outcome(&self, skill: &RemoteSkill, arguments: Option<&Arguments>, messages: Vec<Message>) -> ActivatedSkill {
        ActivatedSkill {
            name: skill.offer.name.clone(),
            path: PathBuf::from(skill.place("SKILL.md")),
            digest: skill.offer.digest.clone().unwrap_or_default(),
            caller: self.call.caller,
            arguments: arguments.map(|arguments| arguments.raw.clone()),
            messages,
            // Whatever it asks for, it gets no tools.
            tools: Vec::new(),
            limited_to: None,
            fork: None,
            cut: false,
            repeated: false,
            // A server can change its mind without a sign.
            repeatable: false,
        }
    }

    fn refusal(&self, why: RefusalReason, error: FetchError) -> Refusal {
        Refusal { name: self.call.skill.clone(), path: None, why, code: None, text: error.text, help: error.help }
    }
}
