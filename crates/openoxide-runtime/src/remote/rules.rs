//! Decides whether a skill that a server offers may reach the model.

use std::time::SystemTime;

use openoxide_config::{ApprovalState, Timestamp, TrustError, TrustRecord, TrustedRemote};
use openoxide_permissions::{Action, Permission};
use openoxide_skills::host::Caller;

use crate::{Answer, Question, Refusal, RefusalReason, RemoteOffer, Runtime, Session};

impl Runtime {
    /// Returns what must be asked before a skill of a server reaches the model.
    ///
    /// A rule on skills holds for its name, which no skill of a folder can have. What a rule allows is still asked for:
    /// nobody could know what the server would list.
    pub fn before_remote(
        &self,
        session: &Session,
        offer: &RemoteOffer,
        caller: Caller,
    ) -> Result<Vec<Question>, Refusal> {
        let no = |why, text: String| Err(Refusal::new(&offer.name, why, text));
        if !offer.callable {
            return no(RefusalReason::NotForCaller, format!("`{}` is not for you to call", offer.name));
        }
        let mut questions = Vec::new();
        match self.decide_about(session, Permission::Skill, &offer.name, &offer.uri).action {
            Action::Deny => return no(RefusalReason::Denied, format!("`{}` is denied by a rule", offer.name)),
            Action::Ask if !(caller == Caller::User && self.view().host.activation.user_needs_no_permission) => {
                questions.push(Question::permission(Permission::Skill, &offer.name, &offer.name, &offer.uri));
            }
            Action::Ask | Action::Allow => {}
        }
        let granted = self.remote_granted(session, offer);
        if granted != ApprovalState::Approved {
            let changed = matches!(granted, ApprovalState::Changed { .. });
            questions.push(Question::Remote { offer: offer.clone(), changed });
        }
        Ok(questions)
    }

    /// Tells whether a skill of a server may reach the model, with what the server lists for it now.
    pub fn remote_granted(&self, session: &Session, offer: &RemoteOffer) -> ApprovalState {
        // What has no digest can be anything the next time.
        let Some(digest) = &offer.digest else { return ApprovalState::NotApproved };
        if session.remotes.contains(&(offer.server.clone(), offer.uri.clone(), digest.clone())) {
            return ApprovalState::Approved;
        }
        self.with_trust(|trust| trust.remote_approval(&offer.server, &offer.uri, digest))
    }

    pub(crate) fn keep_remote(
        &self,
        session: &mut Session,
        offer: &RemoteOffer,
        answer: &Answer,
    ) -> Result<(), TrustError> {
        let Some(digest) = offer.digest.clone() else { return Ok(()) };
        let (server, uri) = (offer.server.clone(), offer.uri.clone());
        match answer {
            Answer::Session => drop(session.remotes.insert((server, uri, digest))),
            Answer::Always => {
                let remote = TrustedRemote { server, uri, digest, at: Timestamp::from(SystemTime::now()) };
                self.with_trust(|trust| trust.add(TrustRecord::Remote(remote)))?;
            }
            Answer::Once | Answer::No | Answer::NotAsked | Answer::Secret(_) => {}
        }
        Ok(())
    }
}
