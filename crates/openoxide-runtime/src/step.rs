//! Work in steps: what an operation needs next, and what it is resumed with.
//!
//! Activating a skill, reading a file of it, running a script of it and firing hooks all are [`Resumable`]. None of them
//! waits: each returns what it needs (an answer, the output of a command, the reply of a server) as a [`Step`], and the
//! driver resumes it with the [`Reply`]. So a terminal, a web server and a test all drive the same code.

use openoxide_sandbox::{Outcome, SandboxError};

use crate::login::{LoginReply, LoginStep};
use crate::question::{Answer, Question};
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
