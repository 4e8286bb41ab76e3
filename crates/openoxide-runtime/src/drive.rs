//! Drives an activation to its end with somebody who answers at once: a terminal, a script, or nobody.

use openoxide_sandbox::{Outcome, SandboxError};

use crate::activation::Activation;
use crate::ask::{Answer, Question};
use crate::login::{LoginReply, LoginStep};
use crate::session::Session;
use crate::step::{Done, Reply, Run, Step};

/// Somebody who answers questions at once.
pub trait Responder {
    /// Decides a question.
    fn answer(&mut self, question: &Question) -> Answer;

    /// Takes a step of a login to a server; who cannot does nothing.
    fn login(&mut self, step: &LoginStep) -> LoginReply {
        let _ = step;
        LoginReply::NotTried
    }
}

/// Nobody: every question is answered no.
impl Responder for () {
    fn answer(&mut self, _: &Question) -> Answer {
        Answer::No
    }
}

/// Answers by a function.
impl<F: FnMut(&Question) -> Answer> Responder for F {
    fn answer(&mut self, question: &Question) -> Answer {
        self(question)
    }
}

/// Drives an activation to its end; commands are run by `run`.
pub fn drive(
    activation: &mut Activation,
    session: &mut Session,
    responder: &mut dyn Responder,
    mut run: impl FnMut(&Run) -> Result<Outcome, SandboxError>,
) -> Done {
    let mut reply = Reply::Begin;
    loop {
        reply = match activation.resume(session, reply) {
            Step::Ask(question) => Reply::Answer(responder.answer(&question)),
            Step::Run(wanted) => Reply::Ran(run(&wanted)),
            Step::Login(step) => Reply::Login(responder.login(&step)),
            Step::Done(done) => return done,
        };
    }
}
