//! Drives operations with the questions that an MCP client can ask its user.

use std::sync::Arc;
use std::time::Duration;

use openoxide_app::{Answer, PendingError, Question, Reply, Snapshot};
use rmcp::model::{
    ElicitRequest, ElicitRequestParams, ElicitResult, InputRequest, InputRequests, InputRequiredResult, InputResponses,
    ProtocolVersion,
};
use rmcp::service::{Peer, RequestContext};
use rmcp::{ErrorData, RoleServer};
use tokio::sync::Semaphore;

use super::audit;
use super::error::{internal, invalid, unavailable};
use super::question::{self, Standing};
use super::server::McpServer;
use crate::answer::ApprovalProof;
use crate::conversation::Conversation;
use crate::drive::{Operation, Progress};
use crate::engine::Engine;
use crate::pending_operation::{Pend, PendingOperation, RequestKey};

/// What the question is called in a result.
const QUESTION: &str = "answer";
/// How long a user may think.
const PATIENCE: Duration = Duration::from_mins(10);

/// Whoever can reach the user.
pub(super) struct Elicitor {
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

impl Elicitor {
    /// Finds out how the user can be reached.
    pub(super) fn of(server: &McpServer, context: &RequestContext<RoleServer>) -> Elicitor {
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
        Elicitor { way, standing, room: Arc::clone(&server.shared.asked), engine }
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

/// What came of an operation.
pub(super) enum Elicited<O: Operation> {
    /// It is done; also, which questions could not be asked, and why.
    Done(O::Output, Vec<String>),
    /// The client is to come again with an answer.
    Later(InputRequiredResult),
}

/// An operation, and what it goes on with.
struct Work<O: Operation> {
    operation: Box<O>,
    snapshot: Arc<Snapshot>,
    /// The conversation that it began in. Where every request stands alone, the next one has another.
    session: Conversation,
    unasked: Vec<String>,
}

impl McpServer {
    /// Drives an operation from its beginning, with the questions that the client can ask its user.
    pub(super) async fn begin_eliciting<O: Operation + Pend>(
        &self,
        snapshot: &Arc<Snapshot>,
        operation: O,
        elicitor: &Elicitor,
        request: &RequestKey,
    ) -> Result<Elicited<O>, ErrorData> {
        let (operation, snapshot, session) = (Box::new(operation), Arc::clone(snapshot), Arc::clone(&self.session));
        let work = Work { operation, snapshot, session, unasked: Vec::new() };
        self.elicit(work, Reply::Begin, elicitor, request).await
    }

    /// Drives an operation on from the question that the client came back with.
    pub(super) async fn resume_eliciting<O: Operation + Pend>(
        &self,
        handle: &str,
        responses: Option<&InputResponses>,
        elicitor: &Elicitor,
        request: &RequestKey,
    ) -> Result<Elicited<O>, ErrorData> {
        let is_it = |waiting: &PendingOperation| waiting.request.as_ref() == Some(request);
        let waiting = self.shared.engine.pending().take_if(handle, is_it).map_err(not_pending)?;
        let PendingOperation { work, question, snapshot, session, unasked, .. } = waiting;
        let operation = O::take(work).ok_or_else(|| invalid("the request state belongs to another request"))?;
        let work = Work { operation, snapshot, session, unasked };
        if let Some(answer) = elicitor.heard(&question, responses) {
            return self.elicit(work, Reply::Answer(answer), elicitor, request).await;
        }
        let form = elicitor.later(&question).map_err(invalid)?;
        Ok(Elicited::Later(self.wait(work, question, form, request)?))
    }

    async fn elicit<O: Operation + Pend>(
        &self,
        mut work: Work<O>,
        mut reply: Reply,
        elicitor: &Elicitor,
        request: &RequestKey,
    ) -> Result<Elicited<O>, ErrorData> {
        loop {
            let Work { operation, snapshot, session, mut unasked } = work;
            let progress = elicitor.engine.advance(&snapshot, operation, &session, reply).await;
            let (operation, question) = match progress.map_err(unavailable)? {
                Progress::Done(_, output) => return Ok(Elicited::Done(output, unasked)),
                Progress::Asks(operation, question) => (operation, question),
            };
            let heard = elicitor.ask(&question).await;
            if let Heard::Nobody(why) = &heard {
                unasked.push(format!("{}: {why}", about(&question)));
            }
            work = Work { operation, snapshot, session, unasked };
            reply = match heard {
                Heard::Answer(answer) => Reply::Answer(answer),
                Heard::Nobody(_) => Reply::Answer(Answer::NotAsked),
                Heard::Later(form) => return Ok(Elicited::Later(self.wait(work, question, *form, request)?)),
            };
        }
    }

    /// Keeps an operation until the client comes again, and writes the result that asks.
    fn wait<O: Operation + Pend>(
        &self,
        work: Work<O>,
        question: Question,
        form: ElicitRequestParams,
        request: &RequestKey,
    ) -> Result<InputRequiredResult, ErrorData> {
        let Work { operation, snapshot, session, unasked } = work;
        let work = operation.pend();
        let kind = work.kind();
        let waiting = PendingOperation { work, question, snapshot, session, request: Some(request.clone()), unasked };
        let handle = self.shared.engine.pending().insert(kind, waiting).map_err(not_pending)?;
        let form = InputRequest::Elicitation(ElicitRequest::new(form));
        Ok(InputRequiredResult::new(Some(InputRequests::from([(QUESTION.to_owned(), form)])), Some(handle)))
    }
}

fn not_pending(error: PendingError) -> ErrorData {
    match error {
        PendingError::Unknown => {
            invalid("the request state is not one that waits for this request; call it again without")
        }
        PendingError::Full | PendingError::NoRandomness => internal(error.to_string()),
    }
}

/// Says what a question is about, in few words.
fn about(question: &Question) -> String {
    match question {
        Question::Permission { permission, subject, .. } => format!("the permission to {permission} `{subject}`"),
        Question::RequestedPermissions { skill, permissions, .. } => {
            let what: Vec<&str> = permissions.iter().map(openoxide_app::RequestedPermission::title).collect();
            format!("whether `{skill}` may {}", what.join(" and "))
        }
        Question::Secret { variable, .. } => format!("the variable {variable}"),
        Question::Server { name, .. } => format!("adding the MCP server `{name}`"),
        Question::Remote { skill, .. } => format!("whether the model may read `{skill}`"),
        Question::Login { server, .. } => format!("logging in to `{server}`"),
        Question::Setting { key, .. } => format!("changing the setting `{key}`"),
    }
}
