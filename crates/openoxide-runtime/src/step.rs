//! Work in steps: what an operation needs next, and what it is resumed with.
//!
//! Activating a skill, reading a file of it, running a script of it and firing hooks all are [`Resumable`]. None of them
//! waits: each answers what it needs (a person's answer, a command's output, a server's reply) as a [`Step`], and whoever
//! drives it resumes it with the [`Reply`]. So a terminal, a web server and a test all drive the same code.

use std::path::PathBuf;

use openoxide_sandbox::{Outcome, SandboxError};
use openoxide_skills::envelope::Message;
use openoxide_skills::host::Caller;

use crate::ask::{Answer, Question};
use crate::call::Refusal;
use crate::fork::ForkPlan;
use crate::hooks::Verdict;
use crate::login::{LoginReply, LoginStep};
use crate::remote::{Fetch, FetchReply};
use crate::session::Session;

/// An operation that proceeds in steps.
pub trait Resumable {
    /// What comes of it.
    type Output;

    /// Goes on with the reply to the last step, to the next one. The first reply is [`Reply::Begin`].
    fn resume(&mut self, session: &mut Session, reply: Reply) -> Step<Self::Output>;
}

/// What an operation needs next.
#[derive(Debug)]
pub enum Step<T> {
    /// The user must decide something.
    Ask(Question),
    /// A command must be run.
    Run(Box<Run>),
    /// A login to a server must go on.
    Login(LoginStep),
    /// An MCP server must be asked.
    Fetch(Fetch),
    /// Nothing; this is the result.
    Done(T),
}

/// A command to be run in the sandbox.
#[derive(Clone, Debug)]
pub struct Run {
    /// The skill that wants it.
    pub skill: String,
    /// The command, as its author wrote it.
    pub written: String,
    /// What is run.
    pub command: openoxide_sandbox::Command,
}

/// What came of a step.
#[derive(Debug)]
pub enum Reply {
    /// Nothing yet: the operation begins.
    Begin,
    /// The user's decision.
    Answer(Answer),
    /// What a command did.
    Ran(Result<Outcome, SandboxError>),
    /// What came of a step of a login.
    Login(LoginReply),
    /// What the server answered.
    Fetched(FetchReply),
}

/// The result of an activation.
#[derive(Clone, Debug, Default)]
pub struct Done {
    /// Skills that are sent, in the order of the calls.
    pub activated: Vec<Activated>,
    /// Skills that are not.
    pub refused: Vec<Refusal>,
    /// What people should know besides.
    pub notices: Vec<Notice>,
    /// What the hooks of the skills say on being activated.
    pub verdict: Verdict,
}

/// A skill that is sent.
#[derive(Clone, Debug)]
pub struct Activated {
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
    /// How it runs in a conversation of its own; then nothing is sent to this one yet.
    pub fork: Option<ForkPlan>,
    /// Whether it was cut.
    pub cut: bool,
    /// Whether the model has it already.
    pub repeated: bool,
    /// Whether the same call gets the same for as long as settings and catalog, the skill's own files and what is trusted
    /// are the same: nothing was run, no other file was looked at, and nothing was needed.
    pub still: bool,
}

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
