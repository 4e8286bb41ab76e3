//! Findings about files, with their place and their fix.

use std::path::Path;

use openoxide_skills::catalog::Problem;
use openoxide_skills::diagnostic::{Diagnostic, Fix};
use openoxide_skills::text::path_text;

use crate::{JsonSchema, Serialize};

/// A finding about a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProblemLine {
    /// The stable code; `openoxide explain CODE` has the long form.
    pub code: String,
    /// `error`, `warning` or `note`.
    pub level: String,
    /// The file or folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The column in characters, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// The bytes, half open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<[usize; 2]>,
    /// What is so.
    pub message: String,
    /// The next step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// The change that `check --fix` would make.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<FixLine>,
    /// Hosts that do not load the skill because of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dropped_by: Vec<String>,
    /// Hosts that load the skill, but not as it is written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub differs_in: Vec<String>,
}

/// A change that fixes a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum FixLine {
    /// Replace bytes of the file.
    Replace {
        /// The bytes, half open.
        span: [usize; 2],
        /// What stands there afterwards.
        text: String,
    },
    /// Rename the file.
    RenameFile {
        /// The new name.
        to: String,
    },
    /// Rename the skill's folder.
    RenameFolder {
        /// The new name.
        to: String,
    },
}

impl ProblemLine {
    /// Makes the line of a finding about `path`.
    pub fn new(path: Option<&Path>, diagnostic: &Diagnostic) -> ProblemLine {
        let place = diagnostic.place.as_ref();
        ProblemLine {
            code: diagnostic.code.to_string(),
            level: diagnostic.level.to_string(),
            path: path.map(path_text),
            line: place.map(|place| place.line),
            column: place.map(|place| place.column),
            span: place.filter(|place| !place.span.is_empty()).map(|place| [place.span.start, place.span.end]),
            message: diagnostic.message.clone(),
            help: diagnostic.help.clone(),
            fix: diagnostic.fix.as_ref().map(FixLine::from),
            dropped_by: Vec::new(),
            differs_in: Vec::new(),
        }
    }
}

impl From<&Problem> for ProblemLine {
    fn from(problem: &Problem) -> ProblemLine {
        ProblemLine::new(Some(&problem.path), &problem.diagnostic)
    }
}

impl From<&Fix> for FixLine {
    fn from(fix: &Fix) -> FixLine {
        match fix {
            Fix::Replace { span, text } => FixLine::Replace { span: [span.start, span.end], text: text.clone() },
            Fix::RenameFile(to) => FixLine::RenameFile { to: to.clone() },
            Fix::RenameFolder(to) => FixLine::RenameFolder { to: to.clone() },
        }
    }
}
