//! `trust --revoke`: takes back trust in folders, powers of skills, and answers that are remembered.

use std::path::{Path, PathBuf};

use openoxide_app::paths;
use openoxide_app::trust::RevokeEvent;
use openoxide_app::{PermissionKind, TrustRecord, Workspace};
use openoxide_wire::ChangeAnswer;

use crate::args::Common;
use crate::exit::ExitStatus;
use crate::ui::{Ui, safe};

pub(super) fn revoke(
    ui: &Ui,
    common: &Common,
    workspace: &Workspace,
    given: &[PathBuf],
    permissions: &[PermissionKind],
) -> anyhow::Result<ExitStatus> {
    let mut report = |event| ui.say(&line(workspace, &event));
    let revoked = openoxide_app::trust::revoke(workspace, given, permissions, &mut report)?;
    if common.json {
        ui.json(&ChangeAnswer::new(revoked.changes, None))?;
    }
    for folder in &revoked.still_trusted {
        let shown = paths::from_home(workspace, folder);
        ui.warn(&format!("{shown} is still trusted, by the administrator or by --config"));
    }
    Ok(if revoked.still_trusted.is_empty() { ExitStatus::Done } else { ExitStatus::No })
}

fn line(workspace: &Workspace, event: &RevokeEvent) -> String {
    match event {
        RevokeEvent::Record(record) => record_line(workspace, record),
        RevokeEvent::Folder(folder) => format!("{} is not trusted any more", paths::from_home(workspace, folder)),
        RevokeEvent::Nothing { path, file } => {
            let file = paths::short(workspace, file);
            match path {
                Some(path) => format!("{} is not trusted in {file}", paths::from_home(workspace, path)),
                None => format!("nothing is trusted in {file}"),
            }
        }
    }
}

fn record_line(workspace: &Workspace, record: &TrustRecord) -> String {
    let power = |skill: &Path, power: &str| {
        format!("{} has no power `{}` any more", paths::from_home(workspace, skill), safe(power))
    };
    match record {
        TrustRecord::Folder(folder) => format!("{} is not trusted any more", paths::from_home(workspace, &folder.path)),
        TrustRecord::Source(source) => format!("{} is not trusted any more", safe(&source.source)),
        TrustRecord::Grant(grant) => power(&grant.skill, grant.permission.as_str()),
        TrustRecord::UnknownGrant { skill, permission } => power(skill, permission),
        TrustRecord::Remote(remote) => {
            format!("{} of the MCP server {} is asked for again", safe(&remote.uri), safe(&remote.server))
        }
        TrustRecord::Answer(answer) => {
            format!("`{}` is asked for again", safe(&format!("{} {}", answer.permission, answer.pattern)))
        }
    }
}
