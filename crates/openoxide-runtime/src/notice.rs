//! Notices: what the user should know about a skill, beside the result of an operation.

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
