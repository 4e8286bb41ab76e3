//! Work in steps: what an operation needs next, and what it is resumed with.
//!
//! Activating a skill, reading a file of it, running a script of it and firing hooks all are [`Resumable`]. None of them
//! waits: each returns what it needs (an answer, the output of a command, the reply of a server) as a [`Step`], and the
//! driver resumes it with the [`Reply`]. So a terminal, a web server and a test all drive the same code. [`drive`] is the
//! driver for callers that answer at once.

use openoxide_sandbox::{Outcome, SandboxError};

use crate::{Answer, Fetch, FetchError, FetchReply, LoginReply, LoginStep, Question, Session};

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
#[derive(Debug, Default)]
pub enum Reply {
    /// Nothing yet: the operation begins.
    #[default]
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

/// Answers questions at once.
pub trait Responder {
    /// Decides a question.
    fn answer(&mut self, question: &Question) -> Answer;

    /// Takes a step of a login to a server. A responder that cannot log in does nothing.
    fn login(&mut self, step: &LoginStep) -> LoginReply {
        let _ = step;
        LoginReply::NotTried
    }

    /// Asks an MCP server. A responder without servers knows none.
    fn fetch(&mut self, fetch: &Fetch) -> FetchReply {
        Err(FetchError::no_servers(fetch.server()))
    }
}

/// Nobody can be asked.
impl Responder for () {
    fn answer(&mut self, _: &Question) -> Answer {
        Answer::NotAsked
    }
}

/// Answers by a function.
impl<F: FnMut(&Question) -> Answer> Responder for F {
    fn answer(&mut self, question: &Question) -> Answer {
        self(question)
    }
}

/// Drives an operation to its end; commands are run by `run`.
pub fn drive<O: Resumable>(
    operation: &mut O,
    session: &mut Session,
    responder: &mut dyn Responder,
    mut run: impl FnMut(&Run) -> Result<Outcome, SandboxError>,
) -> O::Output {
    let mut reply = Reply::Begin;
    loop {
        reply = match operation.resume(session, reply) {
            Step::Ask(question) => Reply::Answer(responder.answer(&question)),
            Step::Run(command) => Reply::Ran(run(&command)),
            Step::Login(step) => Reply::Login(responder.login(&step)),
            Step::Fetch(fetch) => Reply::Fetched(responder.fetch(&fetch)),
            Step::Done(output) => return output,
        };
    }
}

impl<T> Step<T> {
    /// Separates the result of a part of an operation from what the part needs, which the driver of the whole must give.
    pub(crate) fn into_result<U>(self) -> Result<T, Step<U>> {
        Err(match self {
            Step::Done(result) => return Ok(result),
            Step::Ask(question) => Step::Ask(question),
            Step::Run(run) => Step::Run(run),
            Step::Login(step) => Step::Login(step),
            Step::Fetch(fetch) => Step::Fetch(fetch),
        })
    }
}

impl Reply {
    /// Returns the user's decision. A reply to something else is no answer, and so a no.
    pub(crate) fn into_answer(self) -> Answer {
        if let Reply::Answer(answer) = self { answer } else { Answer::No }
    }

    /// Returns what a command did. After a reply to something else, it was not run.
    pub(crate) fn into_outcome(self) -> Result<Outcome, SandboxError> {
        if let Reply::Ran(outcome) = self { outcome } else { Err(std::io::Error::other("it was not run").into()) }
    }
}
