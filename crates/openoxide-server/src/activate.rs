//! Leads an activation to its end: steps on threads for work, commands on threads for commands, questions to whoever
//! can reach the user.

use std::sync::Arc;

use openoxide_mcp_client::{RemoteActivation, RemoteDecision};
use openoxide_runtime::{Activation, Answer, Done, LoginReply, Question, Reply, Run, Session, Step};
use openoxide_sandbox::{Outcome, SandboxError, Stop};
use tokio::sync::Mutex;

use crate::blocking_pool::{Slot, Unavailable};
use crate::calling::Calling;
use crate::engine::Engine;
use crate::observe::audit::{Action, Decision};

/// A conversation, which several requests may be part of at once. It is held for single steps only: never while a command
/// runs, a server of others is asked, or the user thinks.
pub type Conversation = Arc<Mutex<Session>>;

/// Whoever can reach the user.
pub trait Asker: Send {
    /// Puts a question to the user; [`Answer::No`] if nobody can be asked.
    fn ask(&mut self, question: &Question) -> impl Future<Output = Answer> + Send;
}

/// Nobody: every question is answered no.
pub struct Nobody;

impl Asker for Nobody {
    async fn ask(&mut self, _: &Question) -> Answer {
        Answer::No
    }
}

/// Where an activation stands.
pub enum Stand {
    /// The user must decide something; the activation goes on with the answer.
    Asks(Box<Calling>, Question),
    /// It is at its end.
    Done(Box<Done>),
}

impl Engine {
    /// Leads an activation to its end.
    pub async fn activate(
        &self,
        calling: impl Into<Calling>,
        session: &Conversation,
        asker: &mut impl Asker,
    ) -> Result<Done, Unavailable> {
        let mut stand = self.advance(calling, session, Reply::Begin).await?;
        loop {
            stand = match stand {
                Stand::Done(done) => return Ok(*done),
                Stand::Asks(calling, question) => {
                    let answer = asker.ask(&question).await;
                    self.advance(*calling, session, Reply::Answer(answer)).await?
                }
            };
        }
    }

    /// Leads an activation to its end, or to where the user must decide something.
    pub async fn advance(
        &self,
        calling: impl Into<Calling>,
        session: &Conversation,
        reply: Reply,
    ) -> Result<Stand, Unavailable> {
        match calling.into() {
            Calling::Local(activation) => self.advance_local(activation, session, reply).await,
            Calling::Remote(remote) => Ok(self.advance_remote(remote, session, reply).await),
        }
    }

    async fn advance_remote(&self, mut remote: Box<RemoteActivation>, session: &Conversation, reply: Reply) -> Stand {
        let answer = if let Reply::Answer(answer) = reply { Some(answer) } else { None };
        remote.find().await;
        let decision = remote.decide(&mut *session.lock().await, answer);
        match decision {
            RemoteDecision::Ask(question) => Stand::Asks(Box::new(Calling::Remote(remote)), question),
            RemoteDecision::Load => self.done(remote.load().await),
            RemoteDecision::No(refusal) => self.done(Done { refused: vec![refusal], ..Done::default() }),
        }
    }

    async fn advance_local(
        &self,
        mut activation: Box<Activation>,
        session: &Conversation,
        mut reply: Reply,
    ) -> Result<Stand, Unavailable> {
        // What the user has answered is not lost because others came first.
        let is_answered = matches!(reply, Reply::Answer(_));
        loop {
            // Everybody takes the conversation first and a thread then, so that nobody waits for the other in a circle.
            let mut held = Arc::clone(session).lock_owned().await;
            let slot = if is_answered { self.work().patient_slot().await? } else { self.work().slot().await? };
            let step;
            (activation, step) = slot
                .run(move || {
                    let step = activation.resume(&mut held, reply);
                    (activation, step)
                })
                .await?;
            reply = match step {
                Step::Done(done) => return Ok(self.done(done)),
                Step::Ask(question) => return Ok(Stand::Asks(Box::new(Calling::Local(activation)), question)),
                Step::Login(_) => Reply::Login(LoginReply::NotTried),
                Step::Run(run) => Reply::Ran(self.run_in(self.command_slot(is_answered).await?, run).await?),
            };
        }
    }

    fn done(&self, done: Done) -> Stand {
        self.audit().activated(&self.actor(), &done);
        Stand::Done(Box::new(done))
    }

    /// Runs a command of a skill in the sandbox. It is killed when nobody waits for it any more, and when the server
    /// stops.
    pub async fn run(&self, run: Run) -> Result<Result<Outcome, SandboxError>, Unavailable> {
        self.run_in(self.command_slot(false).await?, run).await
    }

    async fn command_slot(&self, is_patient: bool) -> Result<Slot, Unavailable> {
        if is_patient { self.commands().patient_slot().await } else { self.commands().slot().await }
    }

    async fn run_in(&self, slot: Slot, run: Run) -> Result<Result<Outcome, SandboxError>, Unavailable> {
        let stop = match Stop::new() {
            Ok(stop) => Abandoned(stop),
            Err(error) => return Ok(Err(error.into())),
        };
        let (engine, ours) = (self.clone(), stop.0.clone());
        let work = slot.run(move || engine.run_until(&run, &ours));
        let mut work = std::pin::pin!(work);
        tokio::select! {
            biased;
            ran = work.as_mut() => return ran,
            () = self.stopping().asked() => {}
        }
        drop(stop);
        // What it wrote until it was killed is no answer to anybody.
        work.await.and(Err(Unavailable::Stopping))
    }

    fn run_until(&self, run: &Run, stop: &Stop) -> Result<Outcome, SandboxError> {
        let _counted = self.metrics().command();
        let ran = match self.isolation() {
            Ok(isolation) => openoxide_sandbox::run_until(isolation, &run.command, stop),
            Err(error) => Err(std::io::Error::other(error.to_owned()).into()),
        };
        let decision = if ran.is_ok() { Decision::Allow } else { Decision::Deny("not-run".to_owned()) };
        self.note(Action::Run, &run.skill, None, Some(&run.written), decision);
        ran
    }
}

/// Stops a command that nobody waits for any more.
struct Abandoned(Stop);

impl Drop for Abandoned {
    fn drop(&mut self) {
        self.0.stop();
    }
}
