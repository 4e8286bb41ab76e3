//! The record of a conversation: what it holds, and what is sent again after the conversation was compacted.

use std::{fmt::Write as _, path::Path};

use openoxide_app::{Session as Conversation, Snapshot, paths, record};

use crate::table::{pad, pad_left, widest};
use crate::ui::{ExitStatus, Ui, count, grouped, safe};

pub(super) fn reattach(ui: &Ui, snapshot: &Snapshot, conversation: &Conversation) -> anyhow::Result<ExitStatus> {
    let answer = record::reattach(snapshot, conversation)?;
    if ui.common.json {
        ui.json(&answer)?;
    } else {
        ui.messages(&answer.messages)?;
        let tokens: u64 = answer.reattached.iter().map(|skill| skill.tokens).sum();
        ui.say(&format!("{} sent again, {} tokens", count(answer.reattached.len(), "skill"), grouped(tokens)));
    }
    ui.notices(&answer.notices);
    Ok(ExitStatus::Done)
}

pub(super) fn list(ui: &Ui, snapshot: &Snapshot, conversation: &Conversation) -> anyhow::Result<ExitStatus> {
    let answer = record::recorded(snapshot, conversation);
    if ui.common.json {
        return ui.json(&answer);
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
