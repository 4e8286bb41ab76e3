//! One layer of settings: its kind, its file, and its values.

use std::path::PathBuf;

use openoxide_skills::{diagnostic::Diagnostic, settings::Origin};

use crate::{document::Document, variables};

/// The kind of a layer, weakest first: a later layer overrides an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LayerKind {
    /// The administrator's file.
    Admin,
    /// The user's file.
    User,
    /// The project's file, if the project is trusted.
    Project,
    /// Environment variables.
    Environment,
    /// `--config KEY=VALUE`.
    CommandLine,
}

/// The owner of the settings that a change is written to.
///
/// A project's file came with the project, so a link in its place is not followed: it could lead anywhere. The user's
/// file may be a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SettingsOwner {
    /// The user.
    #[default]
    User,
    /// The project. Its settings are active once the project is trusted.
    Project,
}

/// One layer of settings.
#[derive(Clone, Debug)]
pub struct Layer {
    /// The kind.
    pub kind: LayerKind,
    /// The file, if the layer has one.
    pub path: Option<PathBuf>,
    /// Whether its values are used: a project's are ignored until the project is trusted.
    pub is_active: bool,
    pub(crate) document: Document,
}

impl Layer {
    /// Makes an active layer.
    pub(crate) fn new(kind: LayerKind, path: Option<PathBuf>, document: Document) -> Layer {
        Layer { kind, path, is_active: true, document }
    }

    /// Returns where a key of the layer is set.
    pub fn origin(&self, key: &str) -> Origin {
        match (&self.path, self.kind) {
            (Some(path), _) => Origin::File { path: path.clone(), line: self.document.line(key) },
            (None, LayerKind::Environment) => Origin::Environment(variables::OPENOXIDE_HOST.to_owned()),
            (None, _) => Origin::CommandLine,
        }
    }
}

/// A problem with a settings file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigProblem {
    /// The file; absent for the command line and the environment.
    pub path: Option<PathBuf>,
    /// The problem.
    pub diagnostic: Diagnostic,
}
