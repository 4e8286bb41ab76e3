//! Calls of skills. One that needs an answer of the user waits for it under a handle that nobody can guess.

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use axum::response::{IntoResponse, Response};
use http::StatusCode;
use openoxide_live::Snapshot;
use openoxide_runtime::{
    Activated, Answer, Call, Choice, Done, Given, Question, Refusal, Reply, Runtime, Why, activate_answer,
    question_line,
};
use openoxide_skills::resource::FolderStamps;
use openoxide_skills::text::path_text;
use openoxide_wire::{ActivateAnswer, CallerInput, QuestionLine, ReadAnswer, SchemaVersion};
use schemars::JsonSchema;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use super::extract::{Body, HttpContext, LocationQuery, PathSegments, Query, runtime};
use super::files::{self, Reading};
use super::id;
use super::redact::Redactor;
use super::response::EncodedResponse;
use super::response_cache::{CacheKey, CachedResponse, Dependencies, trust_file};
use crate::activate::{Conversation, Stand};
use crate::answer::{ApprovalProof, Failure, Peer};
use crate::calling::Calling;
use crate::encoding::hex;
use crate::observe::audit::{self, Action};

/// How many calls may wait for an answer.
const CALLS_MAX: usize = 256;
/// How many files may: whoever can ask for one must not keep calls from being answered.
const READS_MAX: usize = 64;
/// The longest arguments of a call whose response is cached, in bytes.
const CACHED_ARGUMENTS_MAX: usize = 256;
/// How long each of them waits.
const WAITS: Duration = Duration::from_mins(10);

/// How a skill is called.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("not" = { "required": ["arguments", "words"] }))]
pub(crate) struct ActivateInput {
    /// What is said with the call, as a person typed it.
    #[serde(default)]
    arguments: Option<String>,
    /// What is said with the call, word by word, in place of `arguments`.
    #[serde(default)]
    words: Option<Vec<String>>,
    /// Who calls.
    #[serde(default, rename = "as")]
    who: CallerInput,
}

/// What comes of an answer, by what waited for it.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "it is here to be described")]
pub(crate) enum AnsweredAnswer {
    /// A call: what the model is sent.
    Activated(Box<ActivateAnswer>),
    /// Reading: the file, for whoever accepted JSON, or the names in the folder.
    Read(Box<ReadAnswer>),
}

/// An activation that needs an answer of the user.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WaitingAnswer {
    /// The version of the format.
    schema: SchemaVersion,
    /// What the activation is called: the answer goes to `/v1/activations/{handle}`.
    handle: String,
    /// For how many seconds it waits.
    expires_in: u64,
    /// What the user must decide.
    question: QuestionLine,
    /// The next step.
    help: String,
}

/// The user's decision.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnswerInput {
    /// The decision, one of the question's choices.
    answer: Decision,
    /// The value that was asked for, with the answer `value`.
    #[serde(default)]
    value: Option<String>,
}

/// A decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Decision {
    /// Yes, this time.
    Once,
    /// Yes, until it is revoked.
    Always,
    /// A value.
    Value,
    /// No.
    No,
}

impl fmt::Debug for AnswerInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnswerInput").field("answer", &self.answer).finish_non_exhaustive()
    }
}

impl AnswerInput {
    /// Returns the answer, if it is one to this question.
    fn answer(self, question: &Question) -> Result<Answer, Failure> {
        let (choice, answer) = match (self.answer, self.value) {
            (Decision::Once, None) => (Choice::Once, Answer::Once),
            (Decision::Always, None) => (Choice::Always, Answer::Always),
            (Decision::No, None) => (Choice::No, Answer::No),
            (Decision::Value, Some(value)) => (Choice::Value, Answer::Secret(SecretString::from(value))),
            (Decision::Value, None) => return Err(unfit("the value is missing")),
            (_, Some(_)) => return Err(unfit("a value goes with the answer `value` only")),
        };
        if question.choices().contains(&choice) {
            return Ok(answer);
        }
        Err(unfit("that is no answer to the question").help(format!("answers: {}", choices(question).join(", "))))
    }
}

/// Returns the answers that make sense. Every call is a conversation of its own, so there is none to remember one for.
fn choices(question: &Question) -> Vec<String> {
    let choices = question.choices().iter().copied().filter(|choice| *choice != Choice::Session);
    choices.map(Choice::as_str).map(str::to_owned).collect()
}

/// Says that nobody says yes for the user who does not show the token.
fn needs_proof(asking: &HttpContext) -> Failure {
    let text = "only whoever shows the server's token can say yes for its user";
    Failure::new(StatusCode::FORBIDDEN, "needs-proof", text).help(format!("send {}", proof(asking)))
}

/// Says how the token is shown, and to whoever is here, where it is.
fn proof(asking: &HttpContext) -> String {
    let file = asking.http.options().token_file.as_ref().filter(|_| asking.peer == Peer::Local);
    let file = file.map(|file| format!("; the token is in {}", path_text(file))).unwrap_or_default();
    format!("`Authorization: Bearer TOKEN`{file}")
}

fn unfit(text: &str) -> Failure {
    Failure::new(StatusCode::UNPROCESSABLE_ENTITY, "unfit-answer", text)
}

/// Activations that wait for an answer, each until it comes or is too late.
#[derive(Default)]
pub(crate) struct Activations {
    waiting: Mutex<HashMap<String, Waiting>>,
}

struct Waiting {
    what: What,
    question: Question,
    state: Arc<Snapshot>,
    until: Instant,
}

/// What waits.
enum What {
    /// A call of a skill, and how far it has come.
    Call(Call, Box<Calling>, Conversation),
    /// Reading a file of one.
    Read(Box<Reading>),
}

impl Activations {
    /// Keeps an activation; refused if too many wait.
    fn keep(&self, waiting: Waiting) -> Result<String, Failure> {
        let handle = handle()?;
        let mut all = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        all.retain(|_, waiting| waiting.until > now);
        let is_read = |waiting: &Waiting| matches!(waiting.what, What::Read(_));
        let most = if is_read(&waiting) { READS_MAX } else { CALLS_MAX };
        if all.values().filter(|other| is_read(other) == is_read(&waiting)).count() >= most {
            let text = "too many activations wait for an answer";
            return Err(Failure::new(StatusCode::SERVICE_UNAVAILABLE, "busy", text).retry_after(30));
        }
        all.insert(handle.clone(), waiting);
        Ok(handle)
    }

    /// Takes an activation that still waits.
    fn take(&self, handle: &str) -> Result<Waiting, Failure> {
        let mut all = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = all.remove(handle).filter(|waiting| waiting.until > Instant::now());
        waiting.ok_or_else(|| {
            let failure = Failure::new(StatusCode::NOT_FOUND, "no-activation", "no activation waits under this handle");
            failure.help("it was answered, dropped or waited too long: call the skill again")
        })
    }

    fn put_back(&self, handle: String, waiting: Waiting) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).insert(handle, waiting);
    }

    /// Returns how many wait.
    pub(crate) fn len(&self) -> usize {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

/// Makes a handle of 128 random bits.
fn handle() -> Result<String, Failure> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| {
        Failure::new(StatusCode::SERVICE_UNAVAILABLE, "no-randomness", error.to_string()).retry_after(1)
    })?;
    Ok(hex(&bytes))
}

pub(crate) async fn activate(
    asking: HttpContext,
    PathSegments(id): PathSegments<String>,
    Query(query): Query<LocationQuery>,
    Body(input): Body<ActivateInput>,
) -> Result<Response, Failure> {
    let state = asking.state(&query.at).await?;
    let runtime = runtime(&state)?;
    let arguments = match (input.arguments, input.words) {
        (Some(_), Some(_)) => {
            let text = "`arguments` and `words` are two ways to say the same";
            return Err(Failure::new(StatusCode::UNPROCESSABLE_ENTITY, "bad-body", text).help("send one of them"));
        }
        (Some(raw), None) => Given::Raw(raw),
        (None, Some(words)) => Given::Words(words),
        (None, None) => Given::Nothing,
    };
    let call = Call { skill: id, caller: input.who.into(), arguments };
    let key = cache_key(&state, &call, asking.peer);
    if let Some(hit) = key.as_ref().and_then(|key| asking.http.cache().get(key)) {
        asking.engine.note(Action::Activate, &hit.skill, hit.digest.as_deref(), None, audit::Decision::Allow);
        return Ok(hit.response.send(&asking.headers));
    }
    let (call, folder) = meant(&runtime, call)?;
    let stamps = look(&asking, &state, folder.clone().filter(|_| key.is_some())).await?;
    let calling = asking.engine.begin(&state, runtime, call.clone());
    let session = Conversation::default();
    let stand = asking.engine.advance(calling, &session, Reply::Begin).await?;
    if let (Stand::Done(done), Some(key), Some(stamps), Some(folder)) = (&stand, key, stamps, folder)
        && let Some(activated) = still(done).filter(|activated| activated.path.starts_with(&folder))
    {
        let answer = activate_answer(state.view.spec.id(), done);
        let response = EncodedResponse::json_once(&answer, asking.peer, &state)?;
        let (skill, digest) = (activated.name.clone(), Some(activated.digest.clone()));
        let cached = CachedResponse { response: response.clone(), skill, digest };
        asking.http.cache().insert(key, Dependencies::Folder(stamps), cached);
        return Ok(response.send(&asking.headers));
    }
    stands(&asking, &state, call, session, stand)
}

/// Returns the key of an activation's response, if it may be cached at all.
fn cache_key(snapshot: &Arc<Snapshot>, call: &Call, peer: Peer) -> Option<CacheKey> {
    let arguments = match &call.arguments {
        Given::Nothing => None,
        Given::Raw(said) if said.len() <= CACHED_ARGUMENTS_MAX => Some(said.clone()),
        Given::Raw(_) | Given::Words(_) => return None,
    };
    let key = CacheKey::new(snapshot, "activate", call.skill.clone(), peer);
    Some(key.used_by(call.caller, arguments))
}

/// Returns the call as the runtime understands it, and the folder of the skill that it means.
fn meant(runtime: &Runtime, mut call: Call) -> Result<(Call, Option<PathBuf>), Failure> {
    // Whether there is such a skill for the caller is the runtime's to say.
    let found = id::find(runtime.catalog(), &call.skill);
    let folder = found.as_ref().ok().map(|entry| entry.dir().to_owned());
    match found {
        Ok(entry) if call.skill.starts_with('~') => call.skill = runtime.catalog().call_of(entry),
        _ if call.skill.starts_with('/') => return Err(id::unknown(runtime.catalog(), &call.skill)),
        _ => {}
    }
    Ok((call, folder))
}

/// Looks at what an activation depends on, before it begins.
async fn look(
    asking: &HttpContext,
    state: &Snapshot,
    folder: Option<PathBuf>,
) -> Result<Option<FolderStamps>, Failure> {
    let Some(folder) = folder else { return Ok(None) };
    let trust = trust_file(state);
    asking.work(move || Ok(FolderStamps::of(&folder, trust, SystemTime::now()))).await
}

/// Returns the one skill that was activated, if the same call gets the same again.
fn still(done: &Done) -> Option<&Activated> {
    match done.activated.as_slice() {
        [one] if one.still && done.refused.is_empty() && done.notices.is_empty() => Some(one),
        _ => None,
    }
}

pub(crate) async fn answer(
    asking: HttpContext,
    PathSegments(handle): PathSegments<String>,
    Body(input): Body<AnswerInput>,
) -> Result<Response, Failure> {
    // An activation that there is no room for goes on waiting; once it was taken, it waits for its turn.
    drop(asking.engine.work().slot().await?);
    let waiting = asking.http.activations().take(&handle)?;
    let answer = match input.answer(&waiting.question) {
        Ok(answer) if matches!(answer, Answer::No) || asking.proven == ApprovalProof(true) => answer,
        Ok(_) => {
            let failure = needs_proof(&asking);
            asking.http.activations().put_back(handle, waiting);
            return Err(failure);
        }
        Err(failure) => {
            asking.http.activations().put_back(handle, waiting);
            return Err(failure);
        }
    };
    let Waiting { what, question, state, .. } = waiting;
    // What was denied or switched off since the question was put is not allowed by an old answer.
    let now = asking.engine.at(&state.place).await??;
    match what {
        What::Call(call, calling, session) if Arc::ptr_eq(&state, &now) => {
            go_on(&asking, &now, call, (*calling, session), Reply::Answer(answer)).await
        }
        What::Call(call, ..) => again(&asking, &now, call, &question, answer).await,
        What::Read(reading) => files::answered(&asking, now, *reading, question, answer).await,
    }
}

/// Begins a call anew where something has changed; the answer counts if the question is still the same.
async fn again(
    asking: &HttpContext,
    state: &Arc<Snapshot>,
    call: Call,
    question: &Question,
    answer: Answer,
) -> Result<Response, Failure> {
    let calling = asking.engine.begin(state, runtime(state)?, call.clone());
    let session = Conversation::default();
    match asking.engine.advance(calling, &session, Reply::Begin).await? {
        Stand::Asks(calling, asked) if asked == *question => {
            go_on(asking, state, call, (*calling, session), Reply::Answer(answer)).await
        }
        stand => stands(asking, state, call, session, stand),
    }
}

pub(crate) async fn drop_it(
    asking: HttpContext,
    PathSegments(handle): PathSegments<String>,
) -> Result<Response, Failure> {
    asking.http.activations().take(&handle)?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Leads an activation on, and answers what came of it or what must be answered first.
async fn go_on(
    asking: &HttpContext,
    state: &Arc<Snapshot>,
    call: Call,
    (calling, session): (Calling, Conversation),
    reply: Reply,
) -> Result<Response, Failure> {
    let stand = asking.engine.advance(calling, &session, reply).await?;
    stands(asking, state, call, session, stand)
}

fn stands(
    asking: &HttpContext,
    state: &Arc<Snapshot>,
    call: Call,
    session: Conversation,
    stand: Stand,
) -> Result<Response, Failure> {
    match stand {
        Stand::Done(done) => answered(asking, state, &done),
        Stand::Asks(calling, question) => wait(asking, state, What::Call(call, calling, session), question),
    }
}

/// Asks before something is read.
pub(crate) fn ask_to_read(
    asking: &HttpContext,
    state: &Arc<Snapshot>,
    reading: Reading,
    question: Question,
) -> Result<Response, Failure> {
    if asking.is_head {
        // Nobody gets the handle, so nothing waits under one.
        return Ok(StatusCode::ACCEPTED.into_response());
    }
    wait(asking, state, What::Read(Box::new(reading)), question)
}

fn wait(asking: &HttpContext, state: &Arc<Snapshot>, what: What, question: Question) -> Result<Response, Failure> {
    let line = QuestionLine { choices: choices(&question), ..question_line(&question) };
    let until = Instant::now() + WAITS;
    let waiting = Waiting { what, question, state: Arc::clone(state), until };
    let handle = asking.http.activations().keep(waiting)?;
    let (schema, expires_in) = (SchemaVersion::default(), WAITS.as_secs());
    let help = format!(
        "ask the user, and send `{{\"answer\": CHOICE}}` with POST to /v1/activations/{handle}; a yes needs {}",
        proof(asking)
    );
    let waiting = WaitingAnswer { schema, handle, expires_in, question: line, help };
    asking.json(StatusCode::ACCEPTED, state, &waiting)
}

/// Says why nothing was activated, with ids where a name means several skills, and paths only to whoever is here.
fn refused(asking: &HttpContext, state: &Snapshot, refusal: &Refusal) -> Failure {
    let several = (refusal.why == Why::Ambiguous).then(|| id::find(&state.catalog, &refusal.name).err()).flatten();
    let failure = several.unwrap_or_else(|| Failure::from(refusal));
    match asking.peer {
        Peer::Local => failure,
        Peer::Remote => failure.hidden(|line| Redactor::new(state).redact_problem(line)),
    }
}

fn answered(asking: &HttpContext, state: &Snapshot, done: &Done) -> Result<Response, Failure> {
    match done.refused.first() {
        Some(refusal) if done.activated.is_empty() => Err(refused(asking, state, refusal)),
        _ => asking.json(StatusCode::OK, state, &activate_answer(state.view.spec.id(), done)),
    }
}
