//! The error of opening a workspace.

use std::path::PathBuf;

use openoxide_permissions::RuleError;
use openoxide_skills::{host::HostError, text::near};

/// Why a workspace cannot be opened, or a view cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// There is no such folder.
    #[error("`{}` is not a folder", path.display())]
    NoFolder {
        /// The path.
        path: PathBuf,
    },
    /// The host is unknown or unusable.
    #[error(transparent)]
    Host(#[from] HostError),
    /// There is no such agent.
    #[error("there is no agent `{name}`")]
    UnknownAgent {
        /// The name.
        name: String,
        /// The agents that exist.
        known: Vec<String>,
        /// The user's hosts that have an agent of this name, as `name` or `name@edition`.
        hosts: Vec<String>,
    },
    /// A permission rule cannot be used, and it may be one that denies.
    #[error("a permission rule is not usable")]
    Rule(#[from] RuleError),
}

impl WorkspaceError {
    /// Returns the stable word for the error: every face shows the same one.
    pub fn word(&self) -> &'static str {
        match self {
            WorkspaceError::NoFolder { .. } => "no-folder",
            WorkspaceError::Host(_) => "no-host",
            WorkspaceError::UnknownAgent { .. } => "no-agent",
            WorkspaceError::Rule(_) => "bad-rule",
        }
    }

    /// Returns the next step, if there is one. Names in it come from settings: escape them before showing them.
    pub fn hint(&self) -> Option<String> {
        match self {
            WorkspaceError::UnknownAgent { hosts, .. } if !hosts.is_empty() => {
                Some(format!("name its host: `--host {}`", hosts.join("` or `--host ")))
            }
            WorkspaceError::UnknownAgent { name, known, .. } => {
                Some(one_of(name, known, "add it to your config.toml, as `[agents.NAME]`"))
            }
            WorkspaceError::Host(HostError::Unknown { near: Some(near), known, .. }) => Some(meant(near, known)),
            WorkspaceError::Host(HostError::Unknown { name, known, .. }) => {
                Some(one_of(name, known, "no host is known"))
            }
            WorkspaceError::Host(HostError::UnknownEdition { edition, known, .. }) => {
                Some(one_of(edition, known, "it has one edition only"))
            }
            WorkspaceError::Rule(error) => Some(error.hint().to_owned()),
            WorkspaceError::NoFolder { .. } | WorkspaceError::Host(_) => None,
        }
    }
}

/// Suggests the closest known name and lists all; returns `otherwise` if there are none.
fn one_of(wanted: &str, known: &[String], otherwise: &str) -> String {
    match near(wanted, known.iter().map(String::as_str)).first() {
        Some(near) => meant(near, known),
        None if known.is_empty() => otherwise.to_owned(),
        None => format!("there are `{}`", known.join("`, `")),
    }
}

fn meant(near: &str, known: &[String]) -> String {
    format!("did you mean `{near}`? There are `{}`", known.join("`, `"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_nothing_has_is_answered_with_what_there_is() {
        let host = |known: &[&str]| {
            let known = known.iter().map(ToString::to_string).collect();
            WorkspaceError::Host(HostError::Unknown { name: "codx".to_owned(), known, near: None }).hint().unwrap()
        };
        assert_eq!(host(&["codex", "pi"]), "did you mean `codex`? There are `codex`, `pi`");
        assert_eq!(host(&["pi"]), "there are `pi`");
        assert_eq!(host(&[]), "no host is known");
    }
}
