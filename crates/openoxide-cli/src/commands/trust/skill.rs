//! `trust --skill`: gives one skill power, after showing everything that it would get.

use std::path::Path;

use openoxide_config::{ApprovalState, Grant, PermissionKind, Timestamp, Trust};
use openoxide_skills::text::path_text;
use openoxide_wire::{ChangeAnswer, ChangeLine};

use super::TrustArgs;
use super::look::{Look, look};
use crate::ExitStatus;
use crate::args::Common;
use crate::commands::activate::runtime;
use crate::paths;
use crate::session::Session;
use crate::typed;
use crate::ui::{Role, Ui, count, paint, safe};

pub(super) fn grant(ui: &Ui, common: &Common, args: &TrustArgs, wanted: &str) -> anyhow::Result<ExitStatus> {
    let session = Session::open(ui, common)?;
    session.warn(ui);
    let runtime = runtime(&session)?;
    let entry = session.find(runtime.catalog(), wanted)?[0];
    let (name, skill, look) = (safe(&entry.skill.name), entry.canonical().to_owned(), look(&runtime, entry)?);
    let asked = look.asked(&args.power);
    let (mut trust, file) = super::store(&session.workspace)?;
    let lacks = |power: PermissionKind, item: &str| {
        trust.approval_for(&skill, &look.digest, power, item) != ApprovalState::Approved
    };
    if !asked.iter().any(|(power, items)| items.iter().any(|item| lacks(*power, item))) {
        let what = if asked.is_empty() { "asks for no power" } else { "has this power already" };
        ui.say(&format!("{name} {what}"));
        return answer(ui, common, Vec::new(), None);
    }
    show(ui, &session, &skill, &look, &asked);
    if let Some(since) = changed(&trust, &skill, &look, &asked) {
        ui.warn(&format!("it changed since you gave it power on {}", since.date()));
    }
    if !args.asking.consent(ui, &format!("Give {name} this power?"))? {
        ui.say("nothing was given");
        return Ok(ExitStatus::No);
    }
    let mut changes = Vec::new();
    for (power, items) in asked {
        let (skill, digest) = (skill.clone(), look.digest.clone());
        let target = format!("{} {}", path_text(&skill), power.as_str());
        if trust.grant(Grant { skill, digest, permission: power, shown: items.clone(), at: super::now() })? {
            changes.push(ChangeLine::new("grant", &file, Some(target)));
        }
    }
    ui.say(&format!("{name} has {} now", count(changes.len(), "power")));
    let undo = undo(&session, common, &skill);
    if let Some(undo) = &undo {
        ui.say(&format!("undo: {undo}"));
    }
    answer(ui, common, changes, undo)
}

/// Returns when power was given to other bytes of the same skill.
fn changed(trust: &Trust, skill: &Path, look: &Look, asked: &[(PermissionKind, &Vec<String>)]) -> Option<Timestamp> {
    asked.iter().find_map(|(power, _)| match trust.approval(skill, &look.digest, *power) {
        ApprovalState::Changed { since } => Some(since),
        ApprovalState::Approved | ApprovalState::NotApproved => None,
    })
}

/// Writes the command that takes the power back; a word alone would be a name.
fn undo(session: &Session, common: &Common, skill: &Path) -> Option<String> {
    let folder = typed::path(&session.workspace, skill.parent().unwrap_or(skill))?;
    let folder = if folder.contains('/') { folder } else { format!("./{folder}") };
    Some(typed::command(&typed::for_all(common), "trust", Some(&folder), "--revoke"))
}

fn answer(ui: &Ui, common: &Common, changes: Vec<ChangeLine>, undo: Option<String>) -> anyhow::Result<ExitStatus> {
    if common.json {
        ui.json(&ChangeAnswer::new(changes, undo))?;
    }
    Ok(ExitStatus::Done)
}

/// Shows everything, word for word: what is not shown is not given. It is the question, so it is shown to the quiet too.
fn show(ui: &Ui, session: &Session, skill: &Path, look: &Look, asked: &[(PermissionKind, &Vec<String>)]) {
    ui.ask(&format!("{}\n{}", paths::short(&session.workspace, skill), safe(&look.digest)));
    for (power, items) in asked {
        ui.ask(&paint(Role::Strong, &format!("{}: {}", power.as_str(), meaning(*power))));
        items.iter().for_each(|item| ui.ask(&ui.quoted("  ", item)));
    }
}

fn meaning(power: PermissionKind) -> &'static str {
    match power {
        PermissionKind::Shell => "run these commands when it is called",
        PermissionKind::Script => "run these scripts",
        PermissionKind::Hook => "run these commands when something happens",
        PermissionKind::Profile => "have these permissions",
        PermissionKind::Tools => "use these tools without asking",
        PermissionKind::Mcp => "add these servers of tools",
    }
}
