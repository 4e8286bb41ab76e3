//! The record of a conversation: what it holds, and what is sent again after the conversation was compacted.

use std::fmt::Write as _;
use std::path::Path;

use openoxide_app::{Record, Session as Conversation, Snapshot, paths, record};

use crate::args::Common;
use crate::commands::messages::{print_messages, warn_notices};
use crate::exit::ExitStatus;
use crate::table::{pad, pad_left, widest};
use crate::ui::{Ui, count, grouped, safe};

/// Lists the record, or prints what is sent again.
pub(super) fn show(
    ui: &Ui,
    common: &Common,
    snapshot: &Snapshot,
    conversation: &Conversation,
    list: bool,
) -> anyhow::Result<ExitStatus> {
    if list {
        return listed(ui, common, snapshot, &conversation.record);
    }
    let sent = record::reattach(snapshot, conversation)?;
    if common.json {
        ui.json(&sent.answer)?;
    } else {
        print_messages(ui, &sent.answer.messages)?;
        let skills = &sent.answer.reattached;
        let tokens: u64 = skills.iter().map(|skill| skill.tokens).sum();
        ui.say(&format!("{} sent again, {} tokens", count(skills.len(), "skill"), grouped(tokens)));
    }
    warn_notices(ui, &sent.notices);
    Ok(ExitStatus::Done)
}

fn listed(ui: &Ui, common: &Common, snapshot: &Snapshot, record: &Record) -> anyhow::Result<ExitStatus> {
    let answer = record::recorded(snapshot, record);
    if common.json {
        ui.json(&answer)?;
        return Ok(ExitStatus::Done);
    }
    let width = widest(answer.recorded.iter().map(|recorded| recorded.name.as_str()), 40);
    let mut text = String::new();
    for recorded in &answer.recorded {
        let order = pad_left(&recorded.order.to_string(), 3);
        let name = pad(&safe(&recorded.name), width);
        let place = safe(&paths::short(&snapshot.workspace, Path::new(&recorded.path)));
        let said = recorded.arguments.as_ref().map(|said| format!("  {}", safe(said))).unwrap_or_default();
        let _ = writeln!(text, "{order}  {name}  {}  {place}{said}", pad(&safe(&recorded.caller), 5));
    }
    ui.data(&text)?;
    if answer.recorded.is_empty() {
        ui.say("the record is empty");
    }
    Ok(ExitStatus::Done)
}
