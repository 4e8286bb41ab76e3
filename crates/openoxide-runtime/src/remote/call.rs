//! The call of a server's skill: access, then its text, then its envelope.

use std::{path::PathBuf, sync::Arc};

use super::access::{RemoteAccess, RemoteRefusal};
use crate::{
    ActivatedSkill, Call, Fetch, FetchError, FetchRequest, Fetched, Refusal, RefusalReason, RemoteName, RemoteSkill,
    Reply, Runtime, Session, Step, carry,
};

pub(crate) struct RemoteCall {
    call: Call,
    access: RemoteAccess,
    /// The skill whose text was asked for.
    granted: Option<RemoteSkill>,
}

impl RemoteCall {
    pub(crate) fn new(name: RemoteName, call: Call) -> RemoteCall {
        let access = RemoteAccess::new(name, call.caller, false, true);
        RemoteCall { call, access, granted: None }
    }

    pub(crate) fn resume(
        &mut self,
        runtime: &Arc<Runtime>,
        session: &mut Session,
        reply: Reply,
    ) -> Step<Result<ActivatedSkill, Refusal>> {
        if let Some(skill) = self.granted.take() {
            return Step::Done(self.activated(runtime, &skill, reply));
        }
        match self.access.resume(runtime, session, reply).into_result() {
            Err(step) => step,
            Ok(Ok((skill, _))) => {
                self.granted = Some(skill.clone());
                Step::Fetch(Fetch::new(runtime, FetchRequest::Manifest(skill)))
            }
            Ok(Err(RemoteRefusal::Fetch(error))) => Step::Done(Err(self.refusal(error.why, error))),
            Ok(Err(RemoteRefusal::Refusal(refusal) | RemoteRefusal::Unapproved(_, refusal))) => {
                Step::Done(Err(refusal))
            }
        }
    }

    fn activated(&self, runtime: &Runtime, skill: &RemoteSkill, reply: Reply) -> Result<ActivatedSkill, Refusal> {
        let why = RefusalReason::Unreadable;
        let bytes = match reply {
            Reply::Fetched(Ok(Fetched::Bytes(bytes))) => bytes,
            Reply::Fetched(Err(error)) => return Err(self.refusal(why, error)),
            _ => return Err(self.refusal(why, FetchError::not_asked(&skill.offer.server))),
        };
        let view = runtime.view();
        let arguments = self.call.arguments.split(view);
        let text = String::from_utf8_lossy(&bytes);
        let messages = carry(view, skill, &text, self.call.caller, arguments.as_ref())
            .map_err(|error| Refusal::new(&self.call.skill, why, error.to_string()))?;
        Ok(ActivatedSkill {
            name: skill.offer.name.clone(),
            path: PathBuf::from(skill.place("SKILL.md")),
            digest: skill.offer.digest.clone().unwrap_or_default(),
            caller: self.call.caller,
            arguments: arguments.map(|arguments| arguments.raw.clone()),
            messages,
            // Whatever it asks for, it gets no tools and chooses no model.
            tools: Vec::new(),
            limited_to: None,
            model: None,
            effort: None,
            fork: None,
            cut: false,
            repeated: false,
            // A server can change its mind without a sign.
            repeatable: false,
        })
    }

    fn refusal(&self, why: RefusalReason, error: FetchError) -> Refusal {
        Refusal { help: error.help, ..Refusal::new(&self.call.skill, why, error.text) }
    }
}
