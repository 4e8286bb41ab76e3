//! The outcome of an activation, as a value.

use std::path::PathBuf;

use openoxide_skills::{envelope::Message, host::Caller};

use crate::{ForkPlan, Notice, Refusal, Verdict};

/// The result of an activation.
#[derive(Clone, Debug, Default)]
pub struct ActivationOutcome {
    /// Skills that are sent, in the order of the calls.
    pub activated: Vec<ActivatedSkill>,
    /// Skills that are not.
    pub refused: Vec<Refusal>,
    /// What people should know besides.
    pub notices: Vec<Notice>,
    /// What the hooks of the skills say on being activated.
    pub verdict: Verdict,
}

/// A skill that is sent.
#[derive(Clone, Debug)]
pub struct ActivatedSkill {
    /// Its name.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// The digest of its folder.
    pub digest: String,
    /// Who called.
    pub caller: Caller,
    /// What was said with the call.
    pub arguments: Option<String>,
    /// What the model is sent.
    pub messages: Vec<Message>,
    /// Tools that the model may now use without a question.
    pub tools: Vec<String>,
    /// The only tools that the model may now use; absent: any.
    pub limited_to: Option<Vec<String>>,
    /// The model that the skill asks for while it is active.
    pub model: Option<String>,
    /// How hard the model should think meanwhile, as the skill asks for.
    pub effort: Option<String>,
    /// How it runs in a conversation of its own; then nothing is sent to this one yet.
    pub fork: Option<ForkPlan>,
    /// Whether it was cut.
    pub cut: bool,
    /// Whether the model has it already.
    pub repeated: bool,
    /// Whether the same call gets the same for as long as settings and catalog, the skill's own files and what is trusted
    /// are the same: nothing was run, no other file was looked at, and nothing was needed.
    pub repeatable: bool,
}
