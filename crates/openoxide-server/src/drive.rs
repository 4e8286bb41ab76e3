//! Drives operations to their end, on bounded threads, and awaits people and servers.

use std::sync::Arc;

use openoxide_app::activate::Activate;
use openoxide_app::remote::ListRemote;
use openoxide_app::{
    ActivationOutcome, Answer, Error, Firing, LoginReply, Outcome, Place, Question, ReadOutcome, ReadPart, ReadTarget,
    Reading, Rebase, Reply, Resumable, Run, SandboxError, Snapshot, Step, Stop,
};

use crate::{Action, Conversation, Decision, Engine, Present, Slot, Unavailable};

pub(crate) trait Asker: Send {
    /// Returns the answer to a question; [`Answer::NotAsked`] if the user cannot be asked.
    fn ask(&mut self, question: &Question) -> impl Future<Output = Answer> + Send;

    /// Returns the present snapshot of a place, by which an answer is judged.
    fn present(&self, engine: &Engine, place: &Place) -> impl Future<Output = Present> + Send {
        engine.at(place)
    }
}

pub(crate) struct Nobody;

impl Asker for Nobody {
    async fn ask(&mut self, _: &Question) -> Answer {
        Answer::NotAsked
    }
}

pub(crate) trait Operation: Rebase + Resumable<Output: Send> + Send + 'static {
    /// Notes in the audit log what came of it.
    fn audit(&self, output: &Self::Output, engine: &Engine);
}

pub(crate) enum Progress<O: Operation> {
    /// The user must decide something; the operation goes on with the answer.
    Asks(Box<O>, Question),
    Done(Box<O>, O::Output),
}

impl Engine {
    pub(crate) async fn complete<O: Operation>(
        &self,
        snapshot: &Arc<Snapshot>,
        operation: O,
        session: &Conversation,
        asker: &mut impl Asker,
    ) -> Result<Result<(Box<O>, O::Output), Error>, Unavailable> {
        let mut snapshot = Arc::clone(snapshot);
        let mut progress = self.begin(&snapshot, operation, session).await?;
        loop {
            let (operation, question) = match progress {
                Progress::Done(operation, output) => return Ok(Ok((operation, output))),
                Progress::Asks(operation, question) => (operation, question),
            };
            let answer = asker.ask(&question).await;
            let present = asker.present(self, &snapshot.place).await?;
            progress = match self.answer_on(present, &mut snapshot, operation, session, answer).await? {
                Ok(progress) => progress,
                Err(error) => return Ok(Err(error)),
            };
        }
    }

    /// Begins an operation, and drives it to its end, or to where the user must decide something.
    pub(crate) async fn begin<O: Operation>(
        &self,
        snapshot: &Snapshot,
        operation: O,
        session: &Conversation,
    ) -> Result<Progress<O>, Unavailable> {
        self.advance(snapshot, Box::new(operation), session, Reply::Begin).await
    }

    /// Drives an operation on with the user's answer, on the present snapshot, which takes the place of the one that it
    /// began with.
    pub(crate) async fn answer<O: Operation>(
        &self,
        snapshot: &mut Arc<Snapshot>,
        operation: Box<O>,
        session: &Conversation,
        answer: Answer,
    ) -> Result<Result<Progress<O>, Error>, Unavailable> {
        let present = self.at(&snapshot.place).await?;
        self.answer_on(present, snapshot, operation, session, answer).await
    }

    async fn answer_on<O: Operation>(
        &self,
        present: Result<Arc<Snapshot>, Error>,
        snapshot: &mut Arc<Snapshot>,
        mut operation: Box<O>,
        session: &Conversation,
        answer: Answer,
    ) -> Result<Result<Progress<O>, Error>, Unavailable> {
        if let Err(error) = present.and_then(|present| operation.rebase_to_present(snapshot, present)) {
            return Ok(Err(error));
        }
        Ok(Ok(self.advance(snapshot, operation, session, Reply::Answer(answer)).await?))
    }

    async fn advance<O: Operation>(
        &self,
        snapshot: &Snapshot,
        mut operation: Box<O>,
        session: &Conversation,
        mut reply: Reply,
    ) -> Result<Progress<O>, Unavailable> {
        // An answer of the user is not lost because other requests came first.
        let is_answered = matches!(reply, Reply::Answer(_));
        loop {
            // Every step takes the conversation first and a thread then, so that no two wait for each other.
            let mut locked = Arc::clone(session).lock_owned().await;
            let slot = self.work().slot_for(is_answered).await?;
            let step;
            (operation, step) = slot
                .run(move || {
                    let step = operation.resume(&mut locked, reply);
                    (operation, step)
                })
                .await?;
            reply = match step {
                Step::Done(output) => {
                    operation.audit(&output, self);
                    return Ok(Progress::Done(operation, output));
                }
                Step::Ask(question) => return Ok(Progress::Asks(operation, question)),
                Step::Login(_) => Reply::Login(LoginReply::NotTried),
                // Boxed, because a client's future is deep and would be part of every request's.
                Step::Fetch(fetch) => Reply::Fetched(Box::pin(self.servers.answer(snapshot, &fetch)).await),
                Step::Run(run) => Reply::Ran(self.run_in(self.commands.slot_for(is_answered).await?, *run).await?),
            };
        }
    }

    /// Runs a command of a skill in the sandbox. It is killed when its request is dropped, and when the server stops.
    async fn run_in(&self, slot: Slot, run: Run) -> Result<Result<Outcome, SandboxError>, Unavailable> {
        let stop = match Stop::new() {
            Ok(stop) => StopOnDrop(stop),
            Err(error) => return Ok(Err(error.into())),
        };
        let (engine, handle) = (self.clone(), stop.0.clone());
        let work = slot.run(move || engine.run_until(&run, &handle));
        let mut work = std::pin::pin!(work);
        tokio::select! {
            biased;
            ran = work.as_mut() => return ran,
            () = self.stopping().asked.cancelled() => {}
        }
        drop(stop);
        // The output of a command that was killed is no answer.
        work.await.and(Err(Unavailable::Stopping))
    }

    fn run_until(&self, run: &Run, stop: &Stop) -> Result<Outcome, SandboxError> {
        let _counted = self.metrics().command();
        let ran = self.runner.run_until(run, stop);
        let decision = if ran.is_ok() { Decision::Allow } else { Decision::Deny("not-run".to_owned()) };
        self.note(Action::Run, &run.skill, None, Some(&run.written), decision);
        ran
    }
}

impl Operation for Activate {
    fn audit(&self, done: &ActivationOutcome, engine: &Engine) {
        for activated in &done.activated {
            engine.note(Action::Activate, &activated.name, Some(&activated.digest), None, Decision::Allow);
        }
        for refusal in &done.refused {
            let decision = Decision::Deny(refusal.why.as_str().to_owned());
            engine.note(Action::Activate, &refusal.name, None, None, decision);
        }
    }
}

impl Operation for Reading {
    fn audit(&self, outcome: &ReadOutcome, engine: &Engine) {
        let part = match &self.request.target {
            ReadTarget::Skill { part: ReadPart::Path(path), .. } => Some(path.clone()),
            ReadTarget::Found { path, .. } => path.as_ref().map(|path| openoxide_app::shown_name(path.as_path())),
            _ => None,
        };
        let decision = outcome.result.as_ref().err().map(|refusal| Decision::Deny(refusal.word().to_owned()));
        engine.note(Action::Read, &outcome.skill, None, part.as_deref(), decision.unwrap_or(Decision::Allow));
    }
}

/// Hooks are noted as the commands that they run.
impl Operation for Firing {
    fn audit(&self, _: &Self::Output, _: &Engine) {}
}

/// Looking at a list is not noted.
impl Operation for ListRemote {
    fn audit(&self, _: &Self::Output, _: &Engine) {}
}

struct StopOnDrop(Stop);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.stop();
    }
}
