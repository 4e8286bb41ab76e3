//! Notices: what the user should know about a skill, beside the result of an operation.

use openoxide_config::TrustError;

/// Something that people should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The skill.
    pub skill: String,
    /// What it is.
    pub text: String,
    /// The next step.
    pub help: Option<String>,
}

impl Notice {
    pub(crate) fn new(skill: impl Into<String>, text: impl Into<String>) -> Notice {
        Notice { skill: skill.into(), text: text.into(), help: None }
    }

    /// Says that an answer holds for now only, if it could not be written down.
    pub(crate) fn unless_kept(skill: &str, kept: Result<(), TrustError>) -> Option<Notice> {
        let error = kept.err()?;
        Some(Notice { help: error.hint(), ..Notice::new(skill, format!("the answer is not remembered: {error}")) })
    }
}
