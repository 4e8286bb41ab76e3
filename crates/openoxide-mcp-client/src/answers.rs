//! What servers offer, as the JSON that the command line and the server send.

use openoxide_config::ApprovalState;
use openoxide_runtime::{Runtime, Session};
use openoxide_skills::host::Caller;
use openoxide_wire::{RemoteLine, RemoteProblemLine};

use crate::error::RemoteError;
use crate::remote::ServerSkill;

/// Returns the line of a skill that a server offers, and whether it is allowed.
pub fn remote_line(runtime: &Runtime, session: &Session, skill: &ServerSkill) -> RemoteLine {
    let offer = skill.offer(Caller::User);
    let granted = runtime.remote_granted(session, &offer);
    RemoteLine {
        name: offer.name,
        server: offer.server,
        uri: offer.uri,
        description: offer.about,
        files: offer.size.map(|(files, _)| files),
        bytes: offer.size.map(|(_, bytes)| bytes),
        digest: offer.digest,
        allowed: granted == ApprovalState::Approved,
        changed: matches!(granted, ApprovalState::Changed { .. }),
        model: skill.entry.is_for(Caller::Model),
        user: skill.entry.is_for(Caller::User),
    }
}

/// Returns what keeps a server, or a skill of it, from being used.
pub fn remote_problem_line(error: &RemoteError) -> RemoteProblemLine {
    RemoteProblemLine { why: error.word().to_owned(), text: error.to_string(), help: error.hint() }
}
