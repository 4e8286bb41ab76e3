//! Leads an activation to its end, with the questions that the client can put to its user.

use std::sync::Arc;
use std::time::Duration;

use openoxide_runtime::{Answer, Done, Question, Reply};
use rmcp::model::{ElicitRequestParams, ElicitResult, InputRequiredResult, InputResponses, ProtocolVersion};
use rmcp::service::{Peer, RequestContext};
use rmcp::{ErrorData, RoleServer};
use tokio::sync::Semaphore;

use super::McpServer;
use super::audit;
use super::error::{invalid, unavailable};
use super::held::{MadeFor, QUESTION, Waiting};
use super::question::{self, Standing};
use crate::activate::{Conversation, Stand};
use crate::answer::ApprovalProof;
use crate::calling::Calling;
use crate::engine::Engine;

/// How long a user may think.
const PATIENCE: Duration = Duration::from_mins(10);
/// Most questions that clients are asked at once while they wait.
pub(super) const ASKED_MAX: usize = 256;

/// Whoever can reach the user.
pub(super) struct Asking {
    way: Way,
    /// What its answers count for.
    standing: Standing,
    /// Room for questions that a client is asked while it waits.
    room: Arc<Semaphore>,
    /// The engine, which notes what is done under the name of whoever asks.
    pub(super) engine: Engine,
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
        let head = context.extensions.get::<http::request::Parts>();
        // Whoever started this process speaks for its user; over HTTP that must be shown.
        let shown = head.and_then(|head| head.extensions.get::<ApprovalProof>()) == Some(&ApprovalProof(true));
        let standing =
            Standing { lasting: server.one_conversation || !is_modern, proven: server.one_conversation || shown };
        let engine = server.shared.engine.asked_by(audit::actor(head));
        Asking { way, standing, room: Arc::clone(&server.shared.asked), engine }
    }

    /// Puts a question.
    pub(super) async fn ask(&self, question: &Question) -> Heard {
        let form = match question::form(question, self.standing) {
            Ok(form) => form,
            Err(why) => return Heard::Nobody(why),
        };
        match &self.way {
            Way::Later => Heard::Later(Box::new(form)),
            Way::Never => Heard::Nobody(NO_FORMS.to_owned()),
            Way::Now(peer) => {
                let Ok(_room) = self.room.try_acquire() else {
                    return Heard::Nobody("too many questions wait for an answer; try again later".to_owned());
                };
                match peer.create_elicitation_with_timeout(form, Some(PATIENCE)).await {
                    Ok(result) => Heard::Answer(question::answer(question, self.standing, &result)),
                    Err(_) => Heard::Nobody("the client did not bring an answer".to_owned()),
                }
            }
        }
    }

    /// Makes the form of a question that was put before.
    pub(super) fn later(&self, question: &Question) -> Result<ElicitRequestParams, String> {
        question::form(question, self.standing)
    }

    /// Reads the answer that a client came with, if it did.
    pub(super) fn heard(&self, question: &Question, responses: Option<&InputResponses>) -> Option<Answer> {
        let response = responses?.get(QUESTION)?;
        let result: ElicitResult = serde_json::from_value(response.clone()).ok()?;
        Some(question::answer(question, self.standing, &result))
    }
}

const NO_FORMS: &str = "this client cannot ask its user (it does not support elicitation); \
                        the user can allow it with a permission rule, or in a terminal with `openoxide activate`";

/// An activation on its way.
pub(super) struct Talk {
    calling: Calling,
    session: Conversation,
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
            let Talk { calling, session, reply, unasked } = talk;
            let stand = asking.engine.advance(calling, &session, reply).await.map_err(unavailable)?;
            let (calling, question) = match stand {
                Stand::Asks(calling, question) => (*calling, question),
                Stand::Done(done) => return Ok(Spoken::Done(done, unasked)),
            };
            talk = Talk { calling, session, reply: Reply::Begin, unasked };
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

impl Talk {
    pub(super) fn new(calling: impl Into<Calling>, session: Conversation) -> Talk {
        Talk { calling: calling.into(), session, reply: Reply::Begin, unasked: Vec::new() }
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
        Question::Setting { key, .. } => format!("changing the setting `{key}`"),
    }
}
