//! The request to read a file or folder of a skill, and what comes of it.

use openoxide_skills::catalog::Entry;
use openoxide_skills::host::{Caller, ReadProblem};
use openoxide_skills::resource::{ResourceAnswer, ResourcePath, ResourceRefusal};

use crate::{Answer, FetchError, Refusal, RefusalReason, remote::RemoteRefusal};

/// What a caller wants to read.
#[derive(Clone, Debug)]
pub struct ReadRequest {
    /// Which file.
    pub target: ReadTarget,
    /// Who asks: what a caller may not call, it may not read.
    pub caller: Caller,
    /// In which form.
    pub form: ReadForm,
    /// Who gets to see it.
    pub audience: Audience,
}

impl ReadRequest {
    /// Returns what the caller wrote.
    pub fn written(&self) -> &str {
        match &self.target {
            ReadTarget::Skill { written, .. } => written,
            ReadTarget::Url(url) => url,
            ReadTarget::Found { entry, .. } => &entry.skill.name,
        }
    }
}

/// Which file is read.
#[derive(Clone, Debug)]
pub enum ReadTarget {
    /// A part of a skill.
    Skill {
        /// The skill, by name, absolute path, or `mcp:SERVER/NAME`.
        skill: String,
        /// What the caller wrote, for the answer.
        written: String,
        /// Which part of it.
        part: ReadPart,
    },
    /// An address, `skill://NAME/PATH`.
    Url(String),
    /// A file or a folder of a skill that is already found.
    Found {
        /// The skill.
        entry: Box<Entry>,
        /// Its path in the skill's folder; absent: that folder itself.
        path: Option<ResourcePath>,
        /// What it must be.
        kind: FoundKind,
    },
}

/// Which part of a skill is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadPart {
    /// Its `SKILL.md`.
    Manifest,
    /// The names in its folder.
    Listing,
    /// A file or a folder in it.
    Path(String),
}

/// In which form a file is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadForm {
    /// Text as the host sends it; a file that is not text is refused.
    Text,
    /// Bytes, whole.
    Bytes,
    /// Bytes, or the file itself if it is large: a caller that sends it on need not hold it.
    BytesOrFile,
}

/// Who gets to see what is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// The user, at their own terminal. Reading a server's skill there needs no approval.
    Person,
    /// A program, which may hand it to a model.
    Program,
}

/// What a path in a skill that is already found must lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundKind {
    /// A file; links inside the skill's folder are followed.
    File,
    /// A file without a link on the way, except where the skill's own `SKILL.md` is one.
    PlainFile,
    /// A folder without a link on the way; its names are listed as they are served.
    Folder,
}

/// What comes of reading.
#[derive(Clone, Debug)]
pub struct ReadOutcome {
    /// The skill's name, or what the caller wrote where no skill was found.
    pub skill: String,
    /// What was read, or why nothing was.
    pub result: Result<ResourceAnswer, ReadRefusal>,
}

/// Why nothing was read.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{text}")]
pub struct ReadRefusal {
    /// The reason.
    pub reason: ReadRefusalReason,
    /// The reason in words, the host's own where it has some. They never hold an absolute path.
    pub text: String,
    /// What the system or a server's program complained about, for the user's own terminal alone.
    pub complaint: Option<String>,
    /// The next step.
    pub help: Option<String>,
}

/// The reason why nothing was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadRefusalReason {
    /// Something about the file, or a rule on it.
    Problem(ReadProblem),
    /// The user said no.
    Rejected,
    /// The user could not be asked.
    NotAsked,
    /// The skill may not be called.
    Call(RefusalReason),
    /// The server cannot be used; with its stable word.
    Server(RefusalReason, &'static str),
}

impl ReadRefusal {
    /// Returns the stable word.
    pub fn word(&self) -> &'static str {
        match self.reason {
            ReadRefusalReason::Problem(problem) => problem.as_str(),
            ReadRefusalReason::Rejected => RefusalReason::Rejected.as_str(),
            ReadRefusalReason::NotAsked => "not-asked",
            ReadRefusalReason::Call(why) => why.as_str(),
            ReadRefusalReason::Server(_, word) => word,
        }
    }

    /// Returns the text for the user's own terminal, with what the system or a server's program complained about.
    pub fn in_terminal(&self) -> String {
        match &self.complaint {
            Some(complaint) => format!("{}: {complaint}", self.text),
            None => self.text.clone(),
        }
    }

    /// Refuses what the user did not approve.
    pub(super) fn unapproved(answer: &Answer, text: String) -> ReadRefusal {
        let reason = match answer {
            Answer::NotAsked => ReadRefusalReason::NotAsked,
            _ => ReadRefusalReason::Rejected,
        };
        ReadRefusal { reason, text, complaint: None, help: None }
    }
}

impl From<ResourceRefusal> for ReadRefusal {
    fn from(refused: ResourceRefusal) -> ReadRefusal {
        let reason = ReadRefusalReason::Problem(refused.problem);
        ReadRefusal { reason, text: refused.text, complaint: None, help: None }
    }
}

impl From<FetchError> for ReadRefusal {
    fn from(error: FetchError) -> ReadRefusal {
        let FetchError { why, word, text, complaint, help } = error;
        ReadRefusal { reason: ReadRefusalReason::Server(why, word), text, complaint, help }
    }
}

impl From<RemoteRefusal> for ReadRefusal {
    fn from(refusal: RemoteRefusal) -> ReadRefusal {
        match refusal {
            RemoteRefusal::Fetch(error) => error.into(),
            RemoteRefusal::Refusal(Refusal { why, text, help, .. }) => {
                ReadRefusal { reason: ReadRefusalReason::Call(why), text, complaint: None, help }
            }
            RemoteRefusal::Unapproved(answer, refusal) => ReadRefusal::unapproved(&answer, refusal.text),
        }
    }
}
