//! Activates skills. An activation that needs an answer of the user waits for it under a handle that cannot be guessed.

use std::sync::Arc;

use axum::response::IntoResponse;
use http::StatusCode;
use openoxide_app::activate::{self, ActivateInput};
use openoxide_app::mentions::turn_of_input;
use openoxide_app::{ActivationStamps, Answer, Call, CallArguments, Choice, PendingError, Question, SkillRef};
use openoxide_wire::{ActivateAnswer, ArgumentsInput, CallerInput, ReadAnswer, TurnInput};
use schemars::JsonSchema;
use secrecy::SecretString;
use serde::Deserialize;
use serde_json::json;

use super::outcome::{activated, go_on, resume};
use super::waiting::{choices, not_pending};
use super::{
    Body, CacheKey, CachedResponse, Dependencies, EncodedResponse, HttpContext, Location, Path, Query, Result,
};
use crate::{Action, Earlier, Failure, Identity, PendingOperation, Progress};

/// The longest arguments that a cached response is kept for, in bytes.
const CACHED_ARGUMENTS_MAX: usize = 256;

/// How a skill is called.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ActivateInput")]
pub(crate) struct ActivateBody {
    /// What is said with the call, as a person typed it, or word by word.
    #[serde(default)]
    arguments: Option<ArgumentsInput>,
    /// Who calls: the model, or the user, as whom only the user calls. Absent: the user if it is them, or else the model.
    #[serde(default, rename = "as")]
    who: Option<CallerInput>,
    /// The conversation, by any name. What was sent in it is remembered while it is among the last 64 of its program; with
    /// more than three programs, each may have less room. Absent: one of its own.
    #[serde(default)]
    session: Option<String>,
}

/// What is called: a skill, or what a turn names.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [{ "required": ["skill"] }, { "required": ["turn"] }]))]
pub(crate) struct ActivateAnyInput {
    /// The skill, by its id.
    #[serde(default)]
    skill: Option<String>,
    /// A turn of the user; the skills that it names are called.
    #[serde(default)]
    turn: Option<TurnInput>,
    /// What is said with the call, as a person typed it, or word by word; not with a turn.
    #[serde(default)]
    arguments: Option<ArgumentsInput>,
    /// Who calls: the model, or the user, as whom only the user calls. Absent: the user if it is them, or else the model.
    #[serde(default, rename = "as")]
    who: Option<CallerInput>,
    /// The conversation, by any name. What was sent in it is remembered while it is among the last 64 of its program; with
    /// more than three programs, each may have less room. Absent: one of its own.
    #[serde(default)]
    session: Option<String>,
}

/// What comes of an answer, by what waited for it.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "it is here to be described")]
pub(crate) enum AnsweredAnswer {
    /// A call: what the model is sent.
    Activated(Box<ActivateAnswer>),
    /// Reading: the file, if the client accepts JSON, or the names in the folder.
    Read(Box<ReadAnswer>),
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
#[derive(Clone, Copy, Deserialize, JsonSchema)]
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

impl AnswerInput {
    /// Returns the answer, if it is one to this question.
    pub(crate) fn answer(self, question: &Question) -> Result<Answer> {
        let choice = match self.answer {
            Decision::Once => Choice::Once,
            Decision::Always => Choice::Always,
            Decision::Value => Choice::Value,
            Decision::No => Choice::No,
        };
        if choice != Choice::Value && self.value.is_some() {
            return Err(unfit("a value goes with the answer `value` only"));
        }
        let answer = choice.answer(self.value.map(SecretString::from)).ok_or_else(|| unfit("the value is missing"))?;
        if question.choices().contains(&choice) {
            return Ok(answer);
        }
        Err(unfit("that is no answer to the question").help(format!("answers: {}", choices(question).join(", "))))
    }
}

fn unfit(text: &str) -> Failure {
    Failure::new(StatusCode::UNPROCESSABLE_ENTITY, "unfit-answer", text)
}

pub(crate) async fn activate(
    context: HttpContext,
    Path(id): Path<String>,
    Query(at): Query<Location>,
    Body(input): Body<ActivateBody>,
) -> Result {
    activate_skill(context, id, at, input).await
}

/// Calls the skill, or the skills that the turn names.
pub(crate) async fn activate_any(
    context: HttpContext,
    Query(at): Query<Location>,
    Body(input): Body<ActivateAnyInput>,
) -> Result {
    let ActivateAnyInput { skill, turn, arguments, who, session } = input;
    match (skill, turn) {
        (Some(id), None) => activate_skill(context, id, at, ActivateBody { arguments, who, session }).await,
        (None, Some(turn)) if arguments.is_none() => activate_turn(context, at, turn, who, session).await,
        _ => Err(bad_body("it takes a `skill` with its `arguments`, or a `turn`")),
    }
}

fn bad_body(text: &str) -> Failure {
    Failure::new(StatusCode::UNPROCESSABLE_ENTITY, "bad-body", text)
}

async fn activate_turn(
    context: HttpContext,
    at: Location,
    turn: TurnInput,
    who: Option<CallerInput>,
    session: Option<String>,
) -> Result {
    let snapshot = context.snapshot(&at).await?;
    let caller = context.caller(who)?;
    let conversation = context.conversation(session.as_deref())?;
    let details = json!([caller.as_str(), turn, context.conversation_key(session.as_deref())]);
    let asked = context.asked("activate-turn", "", &snapshot.place, &details);
    if let Some(earlier) = Earlier::find(&context.engine.pending, &asked) {
        return go_on(&context, &snapshot, earlier).await;
    }
    let turn = turn_of_input(&snapshot.workspace, turn, &[]);
    let operation = activate::activate(&snapshot, ActivateInput::Turn(turn, caller))?;
    let progress = context.engine.begin(&snapshot, operation, &conversation).await?;
    activated(&context, &snapshot, (conversation, asked), progress)
}

async fn activate_skill(context: HttpContext, id: String, at: Location, input: ActivateBody) -> Result {
    let snapshot = context.snapshot(&at).await?;
    let arguments = activate::arguments(input.arguments);
    let caller = context.caller(input.who)?;
    let detail = match &arguments {
        CallArguments::Nothing => Some(None),
        CallArguments::Raw(text) if text.len() <= CACHED_ARGUMENTS_MAX => Some(Some(text.clone())),
        CallArguments::Raw(_) | CallArguments::Words(_) => None,
    };
    let key = CacheKey::new(&snapshot, "activate", id.clone(), context.peer);
    // What is sent in a conversation depends on what was sent in it before.
    let key = detail.filter(|_| input.session.is_none()).map(|detail| key.used_by(caller, detail));
    if let Some(hit) = key.as_ref().and_then(|key| context.http.cache.get(key)) {
        let CachedResponse { response, skill, digest } = &hit.cached;
        context.engine.note(Action::Activate, skill, digest.as_deref(), None, crate::Decision::Allow);
        return Ok(response.send(&context.headers));
    }
    let conversation = context.conversation_key(input.session.as_deref());
    let details = json!([caller.as_str(), format!("{arguments:?}"), conversation]);
    let asked = context.asked("activate", &id, &snapshot.place, &details);
    if let Some(earlier) = Earlier::find(&context.engine.pending, &asked) {
        return go_on(&context, &snapshot, earlier).await;
    }
    let skill = SkillRef::Id(id.clone()).resolve_call(&snapshot)?;
    // The stamps of everything that the activation depends on are taken before it begins.
    let stamps = match &key {
        Some(_) => {
            let snapshot = Arc::clone(&snapshot);
            context.work(move || Ok(ActivationStamps::take(&snapshot, &id))).await?
        }
        None => None,
    };
    let session = context.conversation(input.session.as_deref())?;
    let operation = activate::activate(&snapshot, ActivateInput::Skill(Call { skill, caller, arguments }))?;
    let progress = context.engine.begin(&snapshot, operation, &session).await?;
    if let (Progress::Done(operation, done), Some(key), Some(stamps)) = (&progress, key, stamps)
        && let Some((activated, stamps)) = stamps.cover(done)
    {
        let response = EncodedResponse::json_once(&operation.answer(done), context.peer, &snapshot)?;
        let (skill, digest) = (activated.name.clone(), Some(activated.digest.clone()));
        let cached = CachedResponse { response: response.clone(), skill, digest };
        context.http.cache.insert(key, Dependencies::Folder(stamps), cached);
        return Ok(response.send(&context.headers));
    }
    activated(&context, &snapshot, (session, asked), progress)
}

pub(crate) async fn answer(context: HttpContext, Path(handle): Path<String>, Body(input): Body<AnswerInput>) -> Result {
    // Without room for its work, the operation goes on waiting. Once it is taken, it waits for a thread.
    drop(context.engine.work().slot().await?);
    let pending = &context.engine.pending;
    let answer = pending.with(&handle, |waiting| {
        let is_known = may_answer(&context, waiting);
        is_known.then(|| input.answer(&waiting.question))
    });
    let answer = answer.and_then(|answer| answer.ok_or(PendingError::Unknown)).map_err(not_pending)??;
    if !matches!(answer, Answer::No) {
        context.needs_person("only the user can approve")?;
    }
    let waiting = pending.take(&handle).map_err(not_pending)?;
    resume(&context, waiting, answer).await
}

pub(crate) async fn drop_it(context: HttpContext, Path(handle): Path<String>) -> Result {
    context.engine.pending.take_if(&handle, |waiting| may_answer(&context, waiting)).map_err(not_pending)?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Tells whether a question is one that the client may answer: its own, and for the user, every one.
fn may_answer(context: &HttpContext, waiting: &PendingOperation) -> bool {
    context.identity == Identity::Person || waiting.asked.owner == context.owner()
}
