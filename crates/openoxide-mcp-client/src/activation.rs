//! Activates a skill of a server in the steps of any other: a question, or the result.

use std::path::PathBuf;
use std::sync::Arc;

use openoxide_runtime::{Activated, Answer, Call, Done, Given, Question, Refusal, Runtime, Session, Why};
use openoxide_skills::catalog::View;
use openoxide_skills::envelope::Message;
use openoxide_skills::expand::Arguments;
use openoxide_skills::host::Caller;

use crate::envelope::carry;
use crate::error::RemoteError;
use crate::name::RemoteName;
use crate::remote::{Remote, ServerSkill};

/// What is needed next.
#[derive(Debug)]
pub enum RemoteStep {
    /// The user must decide something.
    Ask(Question),
    /// Nothing; this is the result.
    Done(Box<Done>),
}

/// What a conversation decides.
#[derive(Debug)]
pub enum RemoteDecision {
    /// The user must decide something.
    Ask(Question),
    /// It may be loaded.
    Load,
    /// It is refused.
    No(Refusal),
}

/// The activation of one skill of a server.
pub struct RemoteActivation {
    runtime: Arc<Runtime>,
    remote: Remote,
    name: RemoteName,
    call: Call,
    /// The skill, as it was when its questions were put: a yes is for that one; or why there is none.
    skill: Option<Result<ServerSkill, Refusal>>,
    /// The question that waits.
    asked: Option<Question>,
    /// Questions that were answered with yes.
    agreed: Vec<String>,
}

impl Remote {
    /// Finds the skill that a name means to a caller. What the model may not call is not there for it: it is not named, and
    /// nothing is called like it.
    pub async fn find_for(
        &self,
        name: &RemoteName,
        runtime: &Runtime,
        caller: Caller,
    ) -> Result<ServerSkill, RemoteError> {
        if caller == Caller::User {
            return self.find(name).await;
        }
        // Rules that deny do so in every conversation.
        let knows =
            |skill: &ServerSkill| runtime.before_remote(&Session::default(), &skill.offer(caller), caller).is_ok();
        match self.find_among(name, knows).await {
            // Nobody knows for whom it would be.
            Err(RemoteError::Entry { .. }) => Err(RemoteError::unknown(name)),
            found => found,
        }
    }
}

impl RemoteActivation {
    /// Begins a call, if it means a skill of a server.
    pub fn new(runtime: Arc<Runtime>, remote: Remote, call: Call) -> Option<RemoteActivation> {
        let name = RemoteName::parse(&call.skill)?;
        Some(RemoteActivation { runtime, remote, name, call, skill: None, asked: None, agreed: Vec::new() })
    }

    /// Goes on: from the beginning, or with the answer to the question that was put.
    pub async fn resume(&mut self, session: &mut Session, answer: Option<Answer>) -> RemoteStep {
        self.find().await;
        match self.decide(session, answer) {
            RemoteDecision::Ask(question) => RemoteStep::Ask(question),
            RemoteDecision::Load => RemoteStep::Done(Box::new(self.load().await)),
            RemoteDecision::No(refusal) => {
                RemoteStep::Done(Box::new(Done { refused: vec![refusal], ..Done::default() }))
            }
        }
    }

    /// Finds the skill, if that is not done yet. This asks the server, and needs no conversation.
    pub async fn find(&mut self) {
        if self.skill.is_none() {
            let found = self.remote.find_for(&self.name, &self.runtime, self.call.caller).await;
            self.skill = Some(found.map_err(|error| self.not_found(&error)));
        }
    }

    /// Decides what comes next, after [`find`](Self::find), with the answer to the question that was put. This asks no
    /// server.
    pub fn decide(&mut self, session: &mut Session, answer: Option<Answer>) -> RemoteDecision {
        match self.next(session, answer) {
            Ok(Some(question)) => RemoteDecision::Ask(question),
            Ok(None) => RemoteDecision::Load,
            Err(refusal) => RemoteDecision::No(refusal),
        }
    }

    /// Returns the next question; none if everything is allowed.
    fn next(&mut self, session: &mut Session, answer: Option<Answer>) -> Result<Option<Question>, Refusal> {
        if let Some(question) = self.asked.take() {
            let answer = answer.unwrap_or(Answer::No);
            if !answer.is_yes() {
                return Err(self.refusal(Why::Rejected, format!("`{}` was not allowed", self.call.skill), None));
            }
            // What cannot be remembered counts this time.
            let _ = self.runtime.keep_answer(session, &question, &answer);
            self.agreed.push(question.key());
        }
        let skill = self.found()?;
        let caller = self.call.caller;
        let questions = self.runtime.before_remote(session, &skill.offer(caller), caller);
        // What the model may not call is not there for it.
        let questions = questions.map_err(|refusal| match caller {
            Caller::Model => self.not_found(&RemoteError::unknown(&self.name)),
            Caller::User => refusal,
        })?;
        let open = questions.into_iter().find(|question| !self.agreed.contains(&question.key()));
        self.asked.clone_from(&open);
        Ok(open)
    }

    fn found(&self) -> Result<&ServerSkill, Refusal> {
        match &self.skill {
            Some(found) => found.as_ref().map_err(Clone::clone),
            None => Err(self.refusal(Why::Unreadable, "nothing was called".to_owned(), None)),
        }
    }

    /// Fetches the skill and draws what carries it, once that was [decided](Self::decide). This asks the server, and needs
    /// no conversation.
    pub async fn load(&self) -> Done {
        match self.messages().await {
            Ok(activated) => Done { activated: vec![activated], ..Done::default() },
            Err(refusal) => Done { refused: vec![refusal], ..Done::default() },
        }
    }

    async fn messages(&self) -> Result<Activated, Refusal> {
        let unreadable = |text: String, help| self.refusal(Why::Unreadable, text, help);
        let skill = self.found()?;
        let loaded = self.remote.load(skill).await;
        let verified = loaded.map_err(|error| unreadable(error.to_string(), error.hint()))?;
        let view = self.runtime.view();
        let arguments = arguments(view, &self.call.arguments);
        let drawn = carry(view, &verified, self.call.caller, arguments.as_ref());
        let messages = drawn.map_err(|error| unreadable(error.to_string(), None))?;
        Ok(activated(skill, &self.call, arguments.as_ref(), messages))
    }

    fn not_found(&self, error: &RemoteError) -> Refusal {
        let why = match error {
            RemoteError::UnknownServer { .. } | RemoteError::UnknownSkill { .. } => Why::Unknown,
            RemoteError::Ambiguous { .. } => Why::Ambiguous,
            _ => Why::Unreadable,
        };
        self.refusal(why, error.to_string(), error.hint())
    }

    fn refusal(&self, why: Why, text: String, help: Option<String>) -> Refusal {
        Refusal { name: self.call.skill.clone(), path: None, why, code: None, text, help }
    }
}

/// Splits what was said with a call, by the host's rule.
fn arguments(view: &View, given: &Given) -> Option<Arguments> {
    let rule = view.host.arguments.as_ref().map(|rules| rules.words).unwrap_or_default();
    match given {
        Given::Nothing => None,
        Given::Raw(text) => Some(Arguments::from_raw(rule, text)),
        Given::Words(words) => Some(Arguments::from_words(words)),
    }
}

fn activated(skill: &ServerSkill, call: &Call, arguments: Option<&Arguments>, messages: Vec<Message>) -> Activated {
    Activated {
        name: skill.id.to_string(),
        path: PathBuf::from(skill.id.place("SKILL.md")),
        digest: skill.entry.digest().unwrap_or_default(),
        caller: call.caller,
        arguments: arguments.map(|arguments| arguments.raw().to_owned()),
        messages,
        // Whatever it asks for, nothing is allowed to it.
        tools: Vec::new(),
        limited_to: None,
        fork: None,
        cut: false,
        repeated: false,
        // What a server says can change without a sign.
        still: false,
    }
}
