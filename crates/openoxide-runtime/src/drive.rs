//! Drives an operation to its end with a responder that answers at once.

use openoxide_sandbox::{Outcome, SandboxError};

use crate::login::{LoginReply, LoginStep};
use crate::question::{Answer, Question};
use crate::remote::{Fetch, FetchError, FetchReply};
use crate::session::Session;
use crate::step::{Reply, Resumable, Run, Step};

/// Somebody who answers questions at once.
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
