//! One layer of settings: its kind, its file, and its values.

use std::collections::BTreeMap;
use std::path::PathBuf;

use openoxide_skills::diagnostic::{Code, Diagnostic};
use openoxide_skills::settings::Origin;

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

/// The most problems of one code that a report on a file has: nobody reads thousands, and a project could write as many.
const MAX_OF_A_KIND: usize = 20;

/// The problems of one file, as a report has them: the first of each code, and the number of the others.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    shown: Vec<Diagnostic>,
    counts: BTreeMap<Code, usize>,
}

impl Problems {
    /// Adds a problem. It is described only if it will be told.
    pub(crate) fn add(&mut self, code: Code, describe: impl FnOnce() -> Diagnostic) {
        let count = self.counts.entry(code).or_default();
        *count += 1;
        if *count <= MAX_OF_A_KIND {
            self.shown.push(describe());
        }
    }

    pub(crate) fn into_diagnostics(self) -> impl Iterator<Item = Diagnostic> {
        let rest = self.counts.into_iter().filter_map(|(code, count)| {
            let more = count.checked_sub(MAX_OF_A_KIND).filter(|more| *more > 0)?;
            Some(Diagnostic::warning(code, format!("and {more} more of this kind")).help("fix those above first"))
        });
        self.shown.into_iter().chain(rest)
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
