//! The record of a conversation: what it holds, and what is sent again after the conversation was compacted.

use std::fmt::Write as _;

use openoxide_app::activate::{message_line, notice_line};
use openoxide_app::paths;
use openoxide_runtime::{ReattachLimits, Reattached, Record, Recorded, Runtime, Session as Conversation};
use openoxide_skills::text::path_text;
use openoxide_wire::{ActivateAnswer, ReattachedLine, RecordedLine};

use super::{print_messages, tell_notices};
use crate::args::Common;
use crate::exit::ExitStatus;
use crate::session::Session;
use crate::table::{pad, pad_left, widest};
use crate::ui::{Ui, count, grouped, safe};

/// Lists the record, or prints what is sent again.
pub(super) fn show(
    ui: &Ui,
    common: &Common,
    session: &Session,
    runtime: &Runtime,
    conversation: &Conversation,
    list: bool,
) -> anyhow::Result<ExitStatus> {
    let record = &conversation.record;
    if list {
        return listed(ui, common, session, record);
    }
    let sent = record.reattach(runtime, conversation, &ReattachLimits::default());
    let answer = answer(session, &sent);
    if common.json {
        ui.json(&answer)?;
    } else {
        print_messages(ui, &answer.messages)?;
        let tokens: u64 = sent.skills.iter().map(|skill| skill.tokens).sum();
        ui.say(&format!("{} sent again, {} tokens", count(sent.skills.len(), "skill"), grouped(tokens)));
    }
    tell_notices(ui, &sent.notices);
    Ok(ExitStatus::Done)
}

fn answer(session: &Session, sent: &Reattached) -> ActivateAnswer {
    let skills = sent.skills.iter().map(|skill| ReattachedLine {
        name: skill.name.clone(),
        path: path_text(&skill.path),
        order: skill.order,
        tokens: skill.tokens,
        changed: skill.changed,
        cut: skill.cut,
    });
    ActivateAnswer {
        host: session.view.spec.id(),
        messages: sent.messages.iter().map(message_line).collect(),
        reattached: skills.collect(),
        notices: sent.notices.iter().map(notice_line).collect(),
        ..ActivateAnswer::default()
    }
}

fn listed(ui: &Ui, common: &Common, session: &Session, record: &Record) -> anyhow::Result<ExitStatus> {
    if common.json {
        let recorded = record.all().iter().map(line).collect();
        ui.json(&ActivateAnswer { host: session.view.spec.id(), recorded, ..ActivateAnswer::default() })?;
        return Ok(ExitStatus::Done);
    }
    let width = widest(record.all().iter().map(|recorded| recorded.name.as_str()), 40);
    let mut text = String::new();
    for recorded in record.all() {
        let order = pad_left(&recorded.order.to_string(), 3);
        let name = pad(&safe(&recorded.name), width);
        let place = safe(&paths::short(&session.workspace, &recorded.path));
        let said = recorded.arguments.as_ref().map(|said| format!("  {}", safe(said))).unwrap_or_default();
        let _ = writeln!(text, "{order}  {name}  {}  {place}{said}", pad(&safe(&recorded.caller), 5));
    }
    ui.data(&text)?;
    if record.all().is_empty() {
        ui.say("the record is empty");
    }
    Ok(ExitStatus::Done)
}

fn line(recorded: &Recorded) -> RecordedLine {
    RecordedLine {
        order: recorded.order,
        name: recorded.name.clone(),
        path: path_text(&recorded.path),
        digest: recorded.digest.clone(),
        caller: recorded.caller.clone(),
        arguments: recorded.arguments.clone(),
        forked: recorded.forked,
    }
}
