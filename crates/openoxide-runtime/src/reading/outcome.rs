//! The outcome of reading: a file, a folder, or a refusal.

use openoxide_skills::host::ReadProblem;
use openoxide_skills::resource::{ResourceAnswer, ResourceRefusal};

use crate::{Answer, FetchError, Refusal, RefusalReason, remote::RemoteRefusal};

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
    /// What a server's program complained about, for the user's own terminal alone.
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

    /// Returns the text for the user's own terminal, with what a server's program complained about.
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

impl From<Refusal> for ReadRefusal {
    fn from(refusal: Refusal) -> ReadRefusal {
        let reason = ReadRefusalReason::Call(refusal.why);
        ReadRefusal { reason, text: refusal.text, complaint: None, help: refusal.help }
    }
}

impl From<RemoteRefusal> for ReadRefusal {
    fn from(refusal: RemoteRefusal) -> ReadRefusal {
        match refusal {
            RemoteRefusal::Fetch(error) => error.into(),
            RemoteRefusal::Refusal(refusal) => refusal.into(),
            RemoteRefusal::Unapproved(answer, refusal) => ReadRefusal::unapproved(&answer, refusal.text),
        }
    }
}
