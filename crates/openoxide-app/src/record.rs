//! Use case: show what a conversation activated, and what it is sent again after it was compacted.

use std::path::Path;

use openoxide_live::Snapshot;
use openoxide_runtime::{ReattachLimits, Record, Session};
use openoxide_skills::text::path_text;
use openoxide_wire::{ActivateAnswer, ReattachedLine, RecordedLine};

use crate::activate::{message_line, notice_line};
use crate::error::Error;

/// Takes up the conversation that is recorded in a file. A file that is not there is an empty record.
pub fn open(file: &Path) -> Result<Session, Error> {
    Ok(Session::recorded(Record::load(file)?))
}

/// Writes the record of a conversation, whole or not at all.
pub fn save(session: &Session, file: &Path) -> Result<(), Error> {
    Ok(session.record.as_ref().map_or(Ok(()), |record| record.save(file))?)
}

/// Lists what the record of a conversation holds.
pub fn recorded(snapshot: &Snapshot, session: &Session) -> ActivateAnswer {
    let recorded = session.record.iter().flat_map(Record::all).map(|recorded| RecordedLine {
        order: recorded.order,
        name: recorded.name.clone(),
        path: path_text(&recorded.path),
        digest: recorded.digest.clone(),
        caller: recorded.caller.clone(),
        arguments: recorded.arguments.clone(),
        forked: recorded.forked,
    });
    ActivateAnswer { host: snapshot.view.spec.id(), recorded: recorded.collect(), ..ActivateAnswer::default() }
}

/// Draws what the conversation of a record is sent again, within the limits of re-attachment. Nothing is run.
pub fn reattach(snapshot: &Snapshot, session: &Session) -> Result<ActivateAnswer, Error> {
    let runtime = snapshot.runtime()?;
    let reattach = |record: &Record| record.reattach(runtime, session, &ReattachLimits::default());
    let sent = session.record.as_ref().map(reattach).unwrap_or_default();
    let skills = sent.skills.iter().map(|skill| ReattachedLine {
        name: skill.name.clone(),
        path: path_text(&skill.path),
        order: skill.order,
        tokens: skill.tokens,
        changed: skill.changed,
        cut: skill.cut,
    });
    Ok(ActivateAnswer {
        host: snapshot.view.spec.id(),
        messages: sent.messages.iter().map(message_line).collect(),
        reattached: skills.collect(),
        notices: sent.notices.iter().map(notice_line).collect(),
        ..ActivateAnswer::default()
    })
}
