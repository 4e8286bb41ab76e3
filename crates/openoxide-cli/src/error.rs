//! Errors that a person reads: what happened, why, and the next step.

use openoxide_app::{Error, HostError, RenderError, SettingError, WorkspaceError};

use crate::text::{safe, safe_lines};
use crate::{args::Common, typed};

/// An error of this program's own, with the next step and the exit status.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct CommandError {
    message: String,
    hint: Option<String>,
    status: u8,
}

impl CommandError {
    /// The command could not run.
    pub(crate) fn failed(message: impl Into<String>) -> CommandError {
        CommandError { message: message.into(), hint: None, status: 2 }
    }

    /// The answer is no.
    pub(crate) fn no(message: impl Into<String>) -> CommandError {
        CommandError { message: message.into(), hint: None, status: 1 }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> CommandError {
        self.hint = Some(hint.into());
        self
    }
}

pub(crate) fn status(error: &anyhow::Error) -> u8 {
    match (error.downcast_ref::<CommandError>(), error.downcast_ref::<Error>()) {
        (Some(error), _) => error.status,
        (_, Some(Error::UnknownSkill { .. })) => 1,
        (_, Some(error)) if matches!(error.word(), "unknown-code" | "no-model") => 1,
        _ => 2,
    }
}

/// Returns what happened, safe to print.
pub(crate) fn message(error: &anyhow::Error) -> String {
    match error.downcast_ref::<Error>() {
        // The errors of a template and of a host's file show lines of it.
        None | Some(Error::Render(_) | Error::Workspace(WorkspaceError::Host(HostError::Invalid { .. }))) => {
            safe_lines(&error.to_string())
        }
        // What was typed, or what a settings file says, stays on one line.
        Some(_) => safe(&error.to_string()),
    }
}

/// Gathers the next steps that an error and its causes know; `common` is for the commands that are suggested.
pub(crate) fn hints(common: &Common, error: &anyhow::Error) -> Vec<String> {
    let mut hints: Vec<String> = Vec::new();
    for cause in error.chain() {
        let own = cause.downcast_ref::<CommandError>().and_then(|error| error.hint.clone());
        let hint = own.or_else(|| cause.downcast_ref::<Error>().and_then(|error| app_hint(common, error)));
        if let Some(hint) = hint.filter(|hint| !hints.contains(hint)) {
            hints.push(hint);
        }
    }
    hints
}

/// Returns the next step for an error of a use case, as something to type where that is better.
fn app_hint(common: &Common, error: &Error) -> Option<String> {
    let command = |verb| typed::command(common, verb, None, "");
    match error {
        Error::UnknownSkill { none_active: true, near: None, .. } => {
            Some(format!("no skill is active here; `{}` shows where skills are looked for", command("roots")))
        }
        Error::UnknownSkill { .. } => Some(unknown_skill(common, error.help().as_deref())),
        Error::Render(RenderError::Missing { host, .. }) => Some(format!(
            "add the template to the host's folder; `openoxide list --host {host}` shows what it sees without"
        )),
        Error::Setting(SettingError::NotForProjects(_)) => Some("leave out --in-project".to_owned()),
        Error::Other { word: "unknown-code", .. } => {
            Some(format!("`{}` and `{}` print the codes that there are", command("check"), command("list --all")))
        }
        Error::Other { word: "no-addresses", help: Some(help), .. } => {
            Some(format!("{help}: `openoxide read NAME PATH`"))
        }
        Error::Other { word: "no-skill", help: Some(help), .. } => {
            Some(format!("{help}; `openoxide new NAME` makes one"))
        }
        Error::Workspace(_) | Error::Setting(_) => error.help().as_deref().map(safe),
        error => error.help(),
    }
}

/// Returns the next step where no skill has a name: the question whether another one was meant, and the command that lists
/// all.
pub(crate) fn unknown_skill(common: &Common, question: Option<&str>) -> String {
    let all = format!("`{}` shows every skill", typed::command(common, "list", None, ""));
    question.map_or(all.clone(), |question| format!("{} {all}", safe(question)))
}

/// Returns whether a reader went away, which is no error.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let kinds = error.chain().filter_map(|cause| cause.downcast_ref::<std::io::Error>());
    kinds.into_iter().any(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}
