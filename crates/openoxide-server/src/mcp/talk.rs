//! Leads an activation to its end, with the questions that the client can put to its user.

use std::sync::Arc;
use std::time::Duration;

use openoxide_mcp_client::RemoteStep;
use openoxide_runtime::{Activation, Answer, Done, LoginReply, Question, Reply, Session, Step};
use rmcp::model::{ElicitRequestParams, ElicitResult, InputRequiredResult, InputResponses, ProtocolVersion};
use rmcp::service::{Peer, RequestContext};
use rmcp::{ErrorData, RoleServer};
use tokio::sync::Mutex;

use super::McpServer;
use super::audit;
use super::error::{invalid, unavailable};
use super::held::{MadeFor, QUESTION, Waiting};
use super::question;
use crate::calling::Calling;
use crate::engine::Engine;

/// How long a user may think.
const PATIENCE: Duration = Duration::from_mins(10);

/// Whoever can reach the user.
pub(super) struct Asking {
    way: Way,
    /// Whether there is a conversation that an answer can be remembered for.
    lasting: bool,
}

enum Way {
    /// The client is asked while it waits.
    Now(Box<Peer<RoleServer>>),
    /// The client gets the question as the result, and comes again with the answer.
    Later,
    /// The client cannot ask.
    Never,
}

/// What came of a question.
pub(super) enum Heard {
    /// This answer.
    Answer(Answer),
    /// The client is to ask with this form, and to come again.
    Later(Box<ElicitRequestParams>),
    /// Nobody was asked, and why.
    Nobody(String),
}

impl Asking {
    /// Finds out how the user can be reached.
    pub(super) fn of(server: &McpServer, context: &RequestContext<RoleServer>) -> Asking {
        let version = context.protocol_version();
        let is_modern = version.is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str());
        let elicitation = context.client_capabilities().and_then(|capabilities| capabilities.elicitation);
        // Who names no way means forms.
        let has_forms = elicitation.is_some_and(|ways| ways.form.is_some() || ways.url.is_none());
        let way = match (has_forms, is_modern) {
            (false, _) => Way::Never,
            (true, true) => Way::Later,
            (true, false) => Way::Now(Box::new(context.peer.clone())),
        };
        Asking { way, lasting: server.one_conversation || !is_modern }
    }

    /// Puts a question.
    pub(super) async fn ask(&self, question: &Question) -> Heard {
        let form = match question::form(question, self.lasting) {
            Ok(form) => form,
            Err(why) => return Heard::Nobody(why),
        };
        match &self.way {
            Way::Later => Heard::Later(Box::new(form)),
            Way::Never => Heard::Nobody(NO_FORMS.to_owned()),
            Way::Now(peer) => match peer.create_elicitation_with_timeout(form, Some(PATIENCE)).await {
                Ok(result) => Heard::Answer(question::answer(question, self.lasting, &result)),
                Err(_) => Heard::Nobody("the client did not bring an answer".to_owned()),
            },
        }
    }

    /// Makes the form of a question that was put before.
    pub(super) fn later(&self, question: &Question) -> Result<ElicitRequestParams, String> {
        question::form(question, self.lasting)
    }

    /// Reads the answer that a client came with, if it did.
    pub(super) fn heard(&self, question: &Question, responses: Option<&InputResponses>) -> Option<Answer> {
        let response = responses?.get(QUESTION)?;
        let result: ElicitResult = serde_json::from_value(response.clone()).ok()?;
        Some(question::answer(question, self.lasting, &result))
    }
}

const NO_FORMS: &str = "this client cannot ask its user (it does not support elicitation); \
                        the user can allow it with a permission rule, or in a terminal with `openoxide activate`";

/// An activation on its way.
pub(super) struct Talk {
    calling: Calling,
    session: Arc<Mutex<Session>>,
    reply: Reply,
    /// What was not asked, and why.
    unasked: Vec<String>,
}

/// What came of an activation.
pub(super) enum Spoken {
    /// It is done; also, what was not asked.
    Done(Box<Done>, Vec<String>),
    /// The client is to come again with an answer.
    Later(InputRequiredResult),
}

impl McpServer {
    /// Leads an activation on: from its beginning, or from the question that was put before.
    pub(super) async fn speak(&self, mut talk: Talk, asking: &Asking, made_for: &MadeFor) -> Result<Spoken, ErrorData> {
        loop {
            let (going, question) = match talk.step(&self.shared.engine).await? {
                (going, Stop::Ask(question)) => (going, question),
                (going, Stop::Done(done)) => {
                    self.shared.engine.audit().activated(&audit::actor(), &done);
                    return Ok(Spoken::Done(done, going.unasked));
                }
            };
            talk = going;
            match asking.ask(&question).await {
                Heard::Answer(answer) => talk.reply = Reply::Answer(answer),
                Heard::Nobody(why) => {
                    talk.unasked.push(format!("{}: {why}", about(&question)));
                    talk.reply = Reply::Answer(Answer::No);
                }
                Heard::Later(form) => {
                    let waiting = Waiting::Talk { question, talk: Box::new(talk) };
                    return Ok(Spoken::Later(self.shared.held.put(made_for.clone(), waiting, *form)?));
                }
            }
        }
    }

    /// Goes on with what waited for an answer.
    pub(super) async fn speak_on(
        &self,
        state: &str,
        responses: Option<&InputResponses>,
        asking: &Asking,
        made_for: &MadeFor,
    ) -> Result<Spoken, ErrorData> {
        let Waiting::Talk { question, mut talk } = self.shared.held.take(state, made_for)? else {
            return Err(invalid("the request state belongs to another request"));
        };
        let Some(answer) = asking.heard(&question, responses) else {
            let form = asking.later(&question).map_err(invalid)?;
            let waiting = Waiting::Talk { question, talk };
            return Ok(Spoken::Later(self.shared.held.put(made_for.clone(), waiting, form)?));
        };
        talk.reply = Reply::Answer(answer);
        self.speak(*talk, asking, made_for).await
    }
}

/// Where an activation stops.
enum Stop {
    Ask(Question),
    Done(Box<Done>),
}

impl Talk {
    pub(super) fn new(calling: impl Into<Calling>, session: Arc<Mutex<Session>>) -> Talk {
        Talk { calling: calling.into(), session, reply: Reply::Begin, unasked: Vec::new() }
    }

    /// Goes on to the next question, or to the end. The conversation is free for others while a command runs.
    async fn step(self, engine: &Engine) -> Result<(Talk, Stop), ErrorData> {
        let Talk { calling, session, reply, unasked } = self;
        let (calling, stop) = match calling {
            Calling::Local(activation) => step_local(engine, *activation, &session, reply).await?,
            Calling::Remote(mut remote) => {
                let answer = if let Reply::Answer(answer) = reply { Some(answer) } else { None };
                let stop = match remote.resume(&mut *session.lock().await, answer).await {
                    RemoteStep::Ask(question) => Stop::Ask(question),
                    RemoteStep::Done(done) => Stop::Done(done),
                };
                (Calling::Remote(remote), stop)
            }
        };
        Ok((Talk { calling, session, reply: Reply::Begin, unasked }, stop))
    }
}

async fn step_local(
    engine: &Engine,
    mut activation: Activation,
    session: &Arc<Mutex<Session>>,
    mut reply: Reply,
) -> Result<(Calling, Stop), ErrorData> {
    loop {
        let mut session = Arc::clone(session).lock_owned().await;
        let slot = engine.work().slot().await.map_err(unavailable)?;
        let step;
        (activation, step) = slot
            .run(move || {
                let step = activation.resume(&mut session, reply);
                (activation, step)
            })
            .await
            .map_err(unavailable)?;
        reply = match step {
            Step::Done(done) => return Ok((activation.into(), Stop::Done(Box::new(done)))),
            Step::Ask(question) => return Ok((activation.into(), Stop::Ask(question))),
            Step::Login(_) => Reply::Login(LoginReply::NotTried),
            Step::Run(run) => Reply::Ran(engine.run(run).await.map_err(unavailable)?),
        };
    }
}

/// Says what a question is about, in few words.
fn about(question: &Question) -> String {
    match question {
        Question::Permission { permission, subject, .. } => format!("the permission to {permission} `{subject}`"),
        Question::Power { skill, powers, .. } => {
            let what: Vec<&str> = powers.iter().map(openoxide_runtime::Power::title).collect();
            format!("whether `{skill}` may {}", what.join(" and "))
        }
        Question::Secret { variable, .. } => format!("the variable {variable}"),
        Question::Server { name, .. } => format!("adding the MCP server `{name}`"),
        Question::Remote { skill, .. } => format!("whether the model may read `{skill}`"),
        Question::Login { server, .. } => format!("logging in to `{server}`"),
    }
}
