//! Errors that a person reads: what happened, why, and the next step.

use std::fmt;

use openoxide_config::{TrustError, WorkspaceError};
use openoxide_skills::{HostError, RenderError, near};

use crate::ui::safe;

/// An error that knows the next step, and whether the answer is merely no.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    message: String,
    hint: Option<String>,
    status: u8,
}

impl Told {
    /// The question could not be answered.
    pub(crate) fn failed(message: impl Into<String>) -> Told {
        Told { message: message.into(), hint: None, status: 2 }
    }

    /// The answer is no.
    pub(crate) fn no(message: impl Into<String>) -> Told {
        Told { message: message.into(), hint: None, status: 1 }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Told {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Told {}

/// Returns the exit status for an error.
pub(crate) fn status(error: &anyhow::Error) -> u8 {
    error.downcast_ref::<Told>().map_or(2, |told| told.status)
}

/// Gathers the next steps that an error's causes know.
pub(crate) fn hints(error: &anyhow::Error) -> Vec<String> {
    let mut hints: Vec<String> = Vec::new();
    for cause in error.chain() {
        let told = cause.downcast_ref::<Told>().and_then(|told| told.hint.clone());
        let host = cause.downcast_ref::<HostError>().or_else(|| match cause.downcast_ref::<WorkspaceError>() {
            Some(WorkspaceError::Host(error)) => Some(error),
            _ => None,
        });
        let agent = cause.downcast_ref::<WorkspaceError>().and_then(agent_hint);
        let hint =
            told.or_else(|| host.and_then(host_hint)).or(agent).or_else(|| cause.downcast_ref().and_then(render_hint));
        let trust = || cause.downcast_ref().and_then(TrustError::hint);
        let hint = hint.or_else(trust);
        if let Some(hint) = hint.filter(|hint| !hints.contains(hint)) {
            hints.push(hint);
        }
    }
    hints
}

fn agent_hint(error: &WorkspaceError) -> Option<String> {
    let (wanted, known) = match error {
        WorkspaceError::UnknownAgent { name, known } => (name, known),
        WorkspaceError::Rule(_) => return Some("mend the rule; nothing is decided by guessing it".to_owned()),
        WorkspaceError::NoFolder { .. } | WorkspaceError::Host(_) => return None,
    };
    let list = safe(&known.join("`, `"));
    Some(match near(wanted, known.iter().map(String::as_str)).first() {
        Some(near) => format!("did you mean `{}`? There are `{list}`", safe(near)),
        None if known.is_empty() => "add it to your config.toml, as `[agents.NAME]`".to_owned(),
        None => format!("there are `{list}`"),
    })
}

fn render_hint(error: &RenderError) -> Option<String> {
    match error {
        RenderError::Missing { host, .. } => Some(format!(
            "add the template to the host's folder; `openoxide list --host {host}` shows what it sees without"
        )),
        RenderError::Template { .. } => None,
    }
}

fn host_hint(error: &HostError) -> Option<String> {
    let (wanted, known) = match error {
        HostError::Unknown { name, known } => (name, known),
        HostError::UnknownEdition { edition, known, .. } => (edition, known),
        _ => return None,
    };
    let list = known.join("`, `");
    Some(match near(wanted, known.iter().map(String::as_str)).first() {
        Some(near) => format!("did you mean `{near}`? There are `{list}`"),
        None if known.is_empty() => "it has one edition only".to_owned(),
        None => format!("there are `{list}`"),
    })
}

/// Tells whether a reader went away, which is no error.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let kinds = error.chain().filter_map(|cause| cause.downcast_ref::<std::io::Error>());
    kinds.into_iter().any(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}
