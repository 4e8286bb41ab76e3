//! Describes a question to the user as JSON: everything that the answer would allow, whole.

use openoxide_config::{PermissionKind, Workspace};
use openoxide_runtime::{Choice, Question, RequestedPermission};
use openoxide_skills::text::path_text;
use openoxide_wire::{PermissionLine, QuestionLine};

use crate::paths;

/// Returns the description of a question for a client that shows it to the user.
pub fn question_line(question: &Question) -> QuestionLine {
    let mut line = QuestionLine {
        choices: question.choices().iter().copied().map(Choice::as_str).map(str::to_owned).collect(),
        ..QuestionLine::default()
    };
    let kind = match question {
        Question::Permission { permission, subject, skill, place } => {
            (line.skills, line.path) = (vec![skill.clone()], Some(place.clone()));
            (line.permission, line.subject) = (Some(permission.clone()), Some(subject.clone()));
            "permission"
        }
        Question::RequestedPermissions { skill, path, digest, changed, permissions } => {
            line.skills = vec![skill.clone()];
            (line.path, line.digest, line.changed) = (Some(path_text(path)), Some(digest.clone()), *changed);
            line.permissions = permissions.iter().map(permission_line).collect();
            "requested-permissions"
        }
        Question::Secret { variable, about, skills } => {
            (line.subject, line.about, line.skills) = (Some(variable.clone()), about.clone(), skills.clone());
            "secret"
        }
        Question::Server { name, transport, target, about, skills } => {
            (line.subject, line.about, line.skills) = (Some(name.clone()), about.clone(), skills.clone());
            (line.transport, line.target) = (Some(transport.clone()), Some(target.clone()));
            "server"
        }
        Question::Remote { offer, changed } => {
            (line.skills, line.subject) = (vec![offer.name.clone()], Some(offer.server.clone()));
            (line.about, line.target) = (Some(offer.about.clone()), Some(offer.uri.clone()));
            (line.digest, line.changed) = (offer.digest.clone(), *changed);
            "remote"
        }
        Question::Login { server, page } => {
            (line.subject, line.target) = (Some(server.clone()), Some(page.clone()));
            "login"
        }
        Question::Setting { key, value, file } => {
            (line.subject, line.target, line.path) = (Some(key.clone()), value.clone(), Some(path_text(file)));
            "setting"
        }
    };
    QuestionLine { kind: kind.to_owned(), ..line }
}

/// Describes the sandbox in which the requested commands run; nothing if the permissions run no command.
pub fn sandbox_line(workspace: &Workspace, permissions: &[RequestedPermission]) -> Option<String> {
    let asks = |kind: PermissionKind| permissions.iter().any(|permission| permission.kind == kind);
    let is_script = asks(PermissionKind::Script);
    if !(is_script || asks(PermissionKind::Shell) || asks(PermissionKind::Hook)) {
        return None;
    }
    let settings = workspace.config.sandbox();
    let writable: Vec<String> = settings.writable.iter().map(|path| paths::short(workspace, path)).collect();
    let writes = match writable.is_empty() {
        true => "read-only project".to_owned(),
        false => format!("writes to {}", writable.join(", ")),
    };
    let network = if settings.network { "network" } else { "no network" };
    let time = if is_script { settings.time } else { settings.shell_time };
    Some(format!("{writes}, {network}, {} s", time.as_secs()))
}

fn permission_line(permission: &RequestedPermission) -> PermissionLine {
    PermissionLine {
        kind: permission.kind.as_str().to_owned(),
        title: permission.title().to_owned(),
        items: permission.items(),
    }
}
