//! Drives operations with the questions that an MCP client can ask its user.

use std::sync::Arc;

use openoxide_app::{ANSWER_TIME, Answer, Error, PendingError, Question, Snapshot};
use rmcp::model::{
    ElicitRequest, ElicitRequestParams, ElicitResult, InputRequest, InputRequests, InputRequiredResult, InputResponses,
    ProtocolVersion,
};
use rmcp::{ErrorData, RoleServer, service::Peer};

use super::question;
use super::{Context, McpServer, McpState, Result, failed, invalid, unavailable};
use crate::{
    Actor, Asked, ClientProgram, Conversation, Earlier, Engine, Face, Machine, Operation, Owner, Pend,
    PendingOperation, Progress, RequestKey,
};

/// What the question is called in a result.
const QUESTION: &str = "answer";

/// Asks the user of a client.
pub(super) struct Elicitor {
    way: Way,
    state: Arc<McpState>,
    session: Conversation,
    /// Who asked for what: the request has to be repeated where the answer comes later.
    asked: Asked,
    /// The engine, which acts for the client.
    pub(super) engine: Engine,
}

enum Way {
    /// The client is asked while it waits.
    Now(Box<Peer<RoleServer>>),
    /// The client gets the question as the result, and repeats its request with the answer.
    Later,
    /// The client cannot ask.
    Never,
    /// Over HTTP anyone could be the client, so the user answers on the server's page, and the client repeats its request.
    OnPage,
}

enum Heard {
    Answer(Answer),
    /// The client must ask with this form, and repeat its request.
    Later(Box<ElicitRequestParams>),
}

impl Elicitor {
    /// Finds out how the user of a client can be asked.
    pub(super) fn new(server: &McpServer, context: &Context, request: RequestKey) -> Elicitor {
        let version = context.protocol_version();
        let is_modern = version.is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str());
        let elicitation = context.client_capabilities().and_then(|capabilities| capabilities.elicitation);
        // A client that names no way means forms.
        let has_forms = elicitation.is_some_and(|ways| ways.form.is_some() || ways.url.is_none());
        // The program that started this process speaks for its user; nobody else does.
        let way = match (server.is_started_by_client, has_forms, is_modern) {
            (false, _, _) => Way::OnPage,
            (true, false, _) => Way::Never,
            (true, true, true) => Way::Later,
            (true, true, false) => Way::Now(Box::new(context.peer.clone())),
        };
        let head = context.extensions.get::<http::request::Parts>();
        let owner = match head {
            Some(head) if is_modern && !server.is_started_by_client => Owner::McpAlone(Machine::of(&head.extensions)),
            _ => Owner::McpConversation(Arc::clone(&server.session)),
        };
        let program = head.map(|head| ClientProgram::of(&head.extensions, &head.headers)).unwrap_or_default();
        let actor = head.map_or_else(|| Actor::of(Face::Mcp), |head| Actor::of_request(Face::Mcp, &head.extensions));
        let engine = server.state.engine.asked_by(actor);
        let (state, session) = (Arc::clone(&server.state), Arc::clone(&server.session));
        Elicitor { way, state, session, asked: Asked { owner, program, request }, engine }
    }

    /// Asks a question, or says why it cannot be asked.
    async fn ask(&self, question: &Question) -> Result<Heard, String> {
        let form = question::form(question)?;
        let peer = match &self.way {
            Way::Later => return Ok(Heard::Later(Box::new(form))),
            Way::Never | Way::OnPage => return Err(NO_FORMS.to_owned()),
            Way::Now(peer) => peer,
        };
        let _room =
            self.state.asked.try_acquire().map_err(|_| "too many questions wait for an answer; try again later")?;
        let result = peer.create_elicitation_with_timeout(form, Some(ANSWER_TIME)).await;
        let result = result.map_err(|_| "the client did not bring an answer")?;
        Ok(Heard::Answer(question::answer(question, &result)))
    }

    /// Drives an operation on with the user's answer.
    async fn answer<O: Operation>(&self, work: &mut Work, operation: Box<O>, answer: Answer) -> Result<Progress<O>> {
        let progress = self.engine.answer(&mut work.snapshot, operation, &work.session, answer).await;
        progress.map_err(unavailable)?.map_err(failed)
    }

    /// Reads the answer that a repeated request has, if it has one.
    fn heard(&self, question: &Question, responses: Option<&InputResponses>) -> Option<Answer> {
        let response = responses?.get(QUESTION)?;
        let result: ElicitResult = serde_json::from_value(response.clone()).ok()?;
        Some(question::answer(question, &result))
    }
}

const NO_FORMS: &str = "this client cannot ask its user (it does not support elicitation); \
                        the user can allow it with a permission rule, or in a terminal with `openoxide activate`";

pub(super) enum Elicited<O: Operation> {
    /// Its output, and which questions could not be asked, and why.
    Done(O::Output, Vec<String>),
    /// The client must repeat its request with an answer.
    Later(InputRequiredResult),
    /// The user must answer on the server's page, and the client repeat its request then. This says so to the client.
    OnPage(String),
}

/// What goes with an operation under way.
struct Work {
    snapshot: Arc<Snapshot>,
    /// The conversation that it began in. Where every request stands alone, the next one has another.
    session: Conversation,
    unasked: Vec<String>,
}

impl Elicitor {
    /// Drives an operation from its beginning.
    pub(super) async fn begin<O: Operation + Pend>(
        &self,
        snapshot: &Arc<Snapshot>,
        operation: O,
    ) -> Result<Elicited<O>> {
        if matches!(self.way, Way::OnPage)
            && let Some(earlier) = Earlier::find(&self.engine.pending, &self.asked)
        {
            return self.go_on(earlier).await;
        }
        let progress = self.engine.begin(snapshot, operation, &self.session).await.map_err(unavailable)?;
        let (snapshot, session) = (Arc::clone(snapshot), Arc::clone(&self.session));
        self.drive(Work { snapshot, session, unasked: Vec::new() }, progress).await
    }

    /// Drives an operation on from the question that a repeated request answers.
    pub(super) async fn resume<O: Operation + Pend>(
        &self,
        handle: &str,
        responses: Option<&InputResponses>,
    ) -> Result<Elicited<O>> {
        // Over HTTP no question is put to the client, so it can answer none.
        let may_answer = !matches!(self.way, Way::OnPage);
        let is_it = |waiting: &PendingOperation| may_answer && waiting.asked == self.asked;
        let waiting = self.engine.pending.take_if(handle, is_it).map_err(not_pending)?;
        let PendingOperation { work, question, snapshot, session, unasked, .. } = waiting;
        let operation = O::take(work).ok_or_else(|| invalid("the request state belongs to another request"))?;
        let mut work = Work { snapshot, session, unasked };
        if let Some(answer) = self.heard(&question, responses) {
            let progress = self.answer(&mut work, operation, answer).await?;
            return self.drive(work, progress).await;
        }
        let form = question::form(&question).map_err(invalid)?;
        self.wait(work, operation, question, form)
    }

    /// Goes on with what an earlier request of the same client began.
    async fn go_on<O: Operation + Pend>(&self, earlier: Earlier) -> Result<Elicited<O>> {
        let (waiting, answer) = match earlier {
            Earlier::Open(_, question) => return Ok(Elicited::OnPage(on_page(&question))),
            Earlier::Answered(waiting, answer) => (*waiting, answer),
        };
        let PendingOperation { work, snapshot, session, unasked, .. } = waiting;
        let operation = O::take(work).ok_or_else(|| invalid("the request state belongs to another request"))?;
        let mut work = Work { snapshot, session, unasked };
        let progress = self.answer(&mut work, operation, answer).await?;
        Box::pin(self.drive(work, progress)).await
    }

    async fn drive<O: Operation + Pend>(&self, mut work: Work, mut progress: Progress<O>) -> Result<Elicited<O>> {
        loop {
            let (operation, question) = match progress {
                Progress::Done(_, output) => return Ok(Elicited::Done(output, work.unasked)),
                Progress::Asks(operation, question) => (operation, question),
            };
            if matches!(self.way, Way::OnPage) {
                let text = on_page(&question);
                self.keep(work, operation, question)?;
                return Ok(Elicited::OnPage(text));
            }
            let answer = match self.ask(&question).await {
                Ok(Heard::Answer(answer)) => answer,
                Ok(Heard::Later(form)) => return self.wait(work, operation, question, *form),
                Err(why) => {
                    work.unasked.push(format!("{}: {why}", about(&question)));
                    Answer::NotAsked
                }
            };
            progress = self.answer(&mut work, operation, answer).await?;
        }
    }

    /// Keeps an operation until the client repeats its request, and writes the result that asks.
    fn wait<O: Operation + Pend>(
        &self,
        work: Work,
        operation: Box<O>,
        question: Question,
        form: ElicitRequestParams,
    ) -> Result<Elicited<O>> {
        let handle = self.keep(work, operation, question)?;
        let form = InputRequest::Elicitation(ElicitRequest::new(form));
        let asked = InputRequests::from([(QUESTION.to_owned(), form)]);
        Ok(Elicited::Later(InputRequiredResult::new(Some(asked), Some(handle))))
    }

    /// Keeps an operation until the user answers, and returns its handle.
    fn keep<O: Operation + Pend>(&self, work: Work, operation: Box<O>, question: Question) -> Result<String> {
        let Work { snapshot, session, unasked } = work;
        let (work, asked) = (operation.pend(), self.asked.clone());
        let waiting = PendingOperation { work, question, snapshot, session, asked, answer: None, unasked };
        waiting.wait(&self.engine.pending).map_err(not_pending)
    }
}

/// Says what the user must decide, and where. The question stands whole on the page.
fn on_page(question: &Question) -> String {
    let what = question::message(question).unwrap_or_else(|_| format!("{}.", about(question)));
    format!(
        "This needs the user's approval. {what}\nAsk the user to answer on the page of this server: `openoxide serve` \
         printed a link to it, and `openoxide serve --link` prints another. Then make the same call again."
    )
}

fn not_pending(error: PendingError) -> ErrorData {
    failed(Error::from(error))
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
        Question::Remote { offer, .. } => format!("whether the model may read `{}`", offer.name),
        Question::Login { server, .. } => format!("logging in to `{server}`"),
        Question::Setting { key, .. } => format!("changing the setting `{key}`"),
    }
}
