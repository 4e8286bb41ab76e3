//! The one error of all use cases: a stable word, a kind that each face maps to its own status, and the next step.

use openoxide_config::{EditError, SettingError, TrustError, WorkspaceError};
use openoxide_permissions::RuleError;
use openoxide_runtime::{ReadRefusal, ReadRefusalReason, Refusal, RefusalReason};
use openoxide_skills::host::{HostError, ReadProblem};
use openoxide_skills::{catalog::Status, diagnostic::Code, text::RenderError};

/// The next step for a program that is not told what is wrong in the user's files.
pub(crate) const ASK_THE_USER: &str = "`openoxide list` shows the user what is wrong";

/// Why a use case has no answer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The project, host or agent cannot be opened.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// A permission rule cannot be read. It may be one that denies, so nothing is decided without it.
    #[error(transparent)]
    Rule(#[from] RuleError),
    /// No skill has the name, path or id.
    #[error("no skill is called `{wanted}`")]
    UnknownSkill {
        /// What was asked for.
        wanted: String,
        /// A name that is close to it.
        near: Option<String>,
        /// Whether no skill is active here at all.
        none_active: bool,
    },
    /// Several skills have the name.
    #[error("{} skills are called `{wanted}`", ids.len())]
    AmbiguousSkill {
        /// What was asked for.
        wanted: String,
        /// What tells them apart.
        ids: Vec<String>,
    },
    /// A skill may not be called, or cannot be.
    #[error("{}", .0.text)]
    Refused(Box<Refusal>),
    /// A file may not be read, or cannot be.
    #[error("{}", .0.text)]
    Unread(Box<ReadRefusal>),
    /// A setting was not changed, or a skill not switched on or off.
    #[error(transparent)]
    Setting(SettingError),
    /// A settings file was not changed.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// The user's trust cannot be read or written.
    #[error(transparent)]
    Trust(#[from] TrustError),
    /// A template of the host cannot be drawn.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// A file of this machine cannot be read or written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// A file or folder cannot be made, changed or removed.
    #[error("{message}")]
    File {
        /// What was tried.
        message: String,
        /// Why it failed.
        source: std::io::Error,
    },
    /// The request makes no sense, or the machine cannot do it: a word that no lower layer has.
    #[error("{message}")]
    Other {
        /// What each face maps to its own status.
        kind: ErrorKind,
        /// The stable word.
        word: &'static str,
        /// What happened.
        message: String,
        /// The next step.
        help: Option<String>,
    },
}

/// What kind of failure it is. Each face maps it to its own status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The request can be read and makes no sense.
    Invalid,
    /// What was asked for does not exist.
    NotFound,
    /// A rule, a person or a limit on who may ask says no.
    Forbidden,
    /// The state of files or settings does not allow it.
    Conflict,
    /// It exists, but not in the form that was asked for.
    NotAcceptable,
    /// It is larger than is sent.
    TooLarge,
    /// It was tried, and failed.
    Failed,
    /// It cannot be done now.
    Unavailable,
    /// A defect of this program.
    Internal,
}

impl Error {
    /// Makes an error of its own.
    pub fn other(kind: ErrorKind, word: &'static str, message: impl Into<String>) -> Error {
        Error::Other { kind, word, message: message.into(), help: None }
    }

    /// Adds the next step to an error of its own; the others know theirs.
    #[must_use]
    pub fn with_help(mut self, next: impl Into<String>) -> Error {
        if let Error::Other { help, .. } = &mut self {
            *help = Some(next.into());
        }
        self
    }

    /// Returns the error as a program gets it that is not the user. What is wrong in the user's own files is not repeated: the
    /// text can have names of rules, and of skills that the program may not see.
    #[must_use]
    pub fn for_programs(self) -> Error {
        let (message, step) = match &self {
            Error::Rule(rule) | Error::Workspace(WorkspaceError::Rule(rule)) => {
                ("the user's permission rules cannot be used", rule.step())
            }
            Error::Workspace(WorkspaceError::Host(HostError::Invalid { .. } | HostError::Unreadable { .. })) => {
                ("the host's files are not usable", None)
            }
            Error::Trust(_) => ("the list of trusted projects cannot be read", None),
            _ => return self,
        };
        Error::other(self.kind(), self.word(), message).with_help(step.unwrap_or(ASK_THE_USER))
    }

    /// Returns what happened as one sentence, for faces that show no chain of causes.
    pub fn summary(&self) -> String {
        match self {
            // The cause says which rule, and in which file.
            Error::Workspace(WorkspaceError::Rule(rule)) => rule.to_string(),
            _ => self.to_string(),
        }
    }

    /// Returns the stable word: the same on every face.
    pub fn word(&self) -> &'static str {
        match self {
            Error::Workspace(error) => error.word(),
            Error::Rule(_) => "bad-rule",
            Error::UnknownSkill { .. } => "unknown",
            Error::AmbiguousSkill { .. } => "ambiguous",
            Error::Refused(refusal) => refusal.why.as_str(),
            Error::Unread(refusal) => refusal.word(),
            Error::Setting(error) => error.word(),
            Error::Edit(error) => error.word(),
            Error::Trust(error) => error.word(),
            Error::Render(_) => "bad-template",
            Error::Io(_) | Error::File { .. } => "io",
            Error::Other { word, .. } => word,
        }
    }

    /// Returns the code of the finding behind it, where the status of a skill is the reason.
    pub fn code(&self) -> Option<Code> {
        if let Error::Refused(refusal) = self { refusal.code } else { None }
    }

    /// Returns the kind.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Error::Workspace(WorkspaceError::Rule(_)) | Error::Rule(_) => ErrorKind::Conflict,
            Error::Workspace(_) | Error::UnknownSkill { .. } | Error::Setting(SettingError::UnknownSkill { .. }) => {
                ErrorKind::NotFound
            }
            Error::Refused(refusal) => refusal_kind(refusal.why),
            Error::Unread(refusal) => match refusal.reason {
                ReadRefusalReason::Problem(problem) => read_kind(problem),
                ReadRefusalReason::Rejected | ReadRefusalReason::NotAsked => ErrorKind::Forbidden,
                ReadRefusalReason::Call(why) | ReadRefusalReason::Server(why, _) => refusal_kind(why),
            },
            Error::Setting(SettingError::Foreign { .. }) => ErrorKind::Forbidden,
            Error::AmbiguousSkill { .. }
            | Error::Setting(_)
            | Error::Edit(_)
            | Error::Trust(_)
            | Error::Render(_)
            | Error::Io(_)
            | Error::File { .. } => ErrorKind::Conflict,
            Error::Other { kind, .. } => *kind,
        }
    }

    /// Returns the next step, in words that hold on every face.
    pub fn help(&self) -> Option<String> {
        match self {
            Error::Workspace(error) => error.hint(),
            Error::Rule(error) => Some(error.hint().to_owned()),
            Error::UnknownSkill { near, .. } => near.as_ref().map(|near| format!("did you mean `{near}`?")),
            Error::AmbiguousSkill { ids, .. } => Some(format!("their ids: {}", ids.join(", "))),
            Error::Refused(refusal) => refusal.help.clone(),
            Error::Setting(error) => error.hint(),
            Error::Trust(error) => error.hint(),
            Error::Unread(refusal) => refusal.help.clone(),
            Error::Other { help, .. } => help.clone(),
            Error::Edit(_) | Error::Render(_) | Error::Io(_) | Error::File { .. } => None,
        }
    }
}

impl From<&RuleError> for Error {
    fn from(error: &RuleError) -> Error {
        Error::Rule(error.clone())
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Error {
        Error::Refused(Box::new(refusal))
    }
}

impl From<ReadRefusal> for Error {
    fn from(refusal: ReadRefusal) -> Error {
        Error::Unread(Box::new(refusal))
    }
}

impl From<SettingError> for Error {
    fn from(error: SettingError) -> Error {
        match error {
            SettingError::Workspace(error) => Error::from(error),
            error => Error::Setting(error),
        }
    }
}

fn refusal_kind(why: RefusalReason) -> ErrorKind {
    match why {
        RefusalReason::Unknown | RefusalReason::NoScript => ErrorKind::NotFound,
        RefusalReason::NotForCaller
        | RefusalReason::Denied
        | RefusalReason::Rejected
        | RefusalReason::NotListed
        | RefusalReason::DoesNotCount(Status::Denied | Status::Untrusted) => ErrorKind::Forbidden,
        RefusalReason::Ambiguous | RefusalReason::DoesNotCount(_) => ErrorKind::Conflict,
        RefusalReason::Unreadable | RefusalReason::CommandFailed | RefusalReason::NotRun => ErrorKind::Failed,
    }
}

fn read_kind(problem: ReadProblem) -> ErrorKind {
    match problem {
        ReadProblem::UnknownSkill
        | ReadProblem::NotFound
        | ReadProblem::NoName
        | ReadProblem::Empty
        | ReadProblem::Nul
        | ReadProblem::Encoding
        | ReadProblem::Itself
        | ReadProblem::Folder => ErrorKind::NotFound,
        ReadProblem::NotCallable
        | ReadProblem::Forbidden
        | ReadProblem::Denied
        | ReadProblem::Absolute
        | ReadProblem::Home
        | ReadProblem::Traversal
        | ReadProblem::Escapes
        | ReadProblem::Special => ErrorKind::Forbidden,
        ReadProblem::TooLarge => ErrorKind::TooLarge,
        ReadProblem::Binary | ReadProblem::NotUtf8 => ErrorKind::NotAcceptable,
        ReadProblem::Unreadable => ErrorKind::Conflict,
    }
}
