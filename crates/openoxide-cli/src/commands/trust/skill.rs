//! `trust --skill`: gives one skill power, after showing everything that it would get.

use std::path::Path;

use openoxide_app::paths;
use openoxide_app::trust::{GrantRequest, Requested};
use openoxide_app::{Depth, PermissionKind};
use openoxide_wire::{ChangeAnswer, ChangeLine};

use crate::args::Common;
use crate::asking::AskingArgs;
use crate::exit::ExitStatus;
use crate::session::Session;
use crate::typed;
use crate::ui::{Role, Ui, count, paint, safe};

pub(super) fn grant(
    ui: &Ui,
    common: &Common,
    wanted: &str,
    kinds: &[PermissionKind],
    asking: &AskingArgs,
) -> anyhow::Result<ExitStatus> {
    let session = Session::open(ui, common)?;
    session.warn(ui);
    let (name, requested) = openoxide_app::trust::request(&session.search(Depth::Quick), wanted, kinds)?;
    let name = safe(&name);
    let request = match requested {
        Requested::Nothing => return nothing(ui, common, &format!("{name} asks for no power")),
        Requested::Granted => return nothing(ui, common, &format!("{name} has this power already")),
        Requested::New(request) => request,
    };
    show(ui, &session, &request);
    if let Some(since) = request.changed_since {
        ui.warn(&format!("it changed since you gave it power on {}", since.date()));
    }
    if !asking.consent(ui, &format!("Give {name} this power?"))? {
        ui.say("nothing was given");
        return Ok(ExitStatus::No);
    }
    let undo = undo(&session, common, &request.skill);
    let changes = openoxide_app::trust::grant(&session.workspace, request)?;
    ui.say(&format!("{name} has {} now", count(changes.len(), "power")));
    if let Some(undo) = &undo {
        ui.say(&format!("undo: {undo}"));
    }
    answer(ui, common, changes, undo)
}

fn nothing(ui: &Ui, common: &Common, text: &str) -> anyhow::Result<ExitStatus> {
    ui.say(text);
    answer(ui, common, Vec::new(), None)
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

/// Shows everything, word for word. It is the question, so `--quiet` does not hide it.
fn show(ui: &Ui, session: &Session, request: &GrantRequest) {
    ui.ask(&format!("{}\n{}", paths::short(&session.workspace, &request.skill), safe(&request.digest)));
    for (kind, items) in &request.permissions {
        ui.ask(&paint(Role::Strong, &format!("{}: {}", kind.as_str(), meaning(*kind))));
        for item in items {
            ui.ask(&ui.quoted("  ", item));
        }
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
