//! Activates skills. An activation that needs an answer of the user waits for it under a handle that cannot be guessed.

use std::sync::Arc;

use axum::response::IntoResponse;
use http::StatusCode;
use openoxide_app::activate::{self, Activate, ActivateInput};
use openoxide_app::{ActivationStamps, Answer, Call, CallArguments, Choice, Question, Refusal, SkillRef, Snapshot};
use openoxide_wire::{ActivateAnswer, CallerInput, ReadAnswer};
use schemars::JsonSchema;
use secrecy::SecretString;
use serde::Deserialize;

use super::waiting::{ask, choices, not_pending, proof};
use super::{
    Body, CacheKey, CachedResponse, Dependencies, EncodedResponse, HttpContext, Location, Path, Query, Redactor,
    Result, files,
};
use crate::{Action, ApprovalProof, Conversation, Failure, Peer, PendingOperation, PendingWork, Progress};

/// The longest arguments that a cached response is kept for, in bytes.
const CACHED_ARGUMENTS_MAX: usize = 256;

/// How a skill is called.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ActivateInput", extend("not" = { "required": ["arguments", "words"] }))]
pub(crate) struct ActivateBody {
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
    fn answer(self, question: &Question) -> Result<Answer> {
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
    let snapshot = context.snapshot(&at).await?;
    let arguments = match (input.arguments, input.words) {
        (Some(_), Some(_)) => {
            let text = "`arguments` and `words` are two ways to say the same";
            return Err(Failure::new(StatusCode::UNPROCESSABLE_ENTITY, "bad-body", text).help("send one of them"));
        }
        (Some(raw), None) => CallArguments::Raw(raw),
        (None, Some(words)) => CallArguments::Words(words),
        (None, None) => CallArguments::Nothing,
    };
    let caller = input.who.into();
    let detail = match &arguments {
        CallArguments::Nothing => Some(None),
        CallArguments::Raw(text) if text.len() <= CACHED_ARGUMENTS_MAX => Some(Some(text.clone())),
        CallArguments::Raw(_) | CallArguments::Words(_) => None,
    };
    let key = CacheKey::new(&snapshot, "activate", id.clone(), context.peer);
    let key = detail.map(|detail| key.used_by(caller, detail));
    if let Some(hit) = key.as_ref().and_then(|key| context.http.cache.get(key)) {
        let CachedResponse { response, skill, digest } = &hit.cached;
        context.engine.note(Action::Activate, skill, digest.as_deref(), None, crate::Decision::Allow);
        return Ok(response.send(&context.headers));
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
    let session = Conversation::default();
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
    activated(&context, &snapshot, session, progress)
}

pub(crate) async fn answer(context: HttpContext, Path(handle): Path<String>, Body(input): Body<AnswerInput>) -> Result {
    // Without room for its work, the operation goes on waiting. Once it is taken, it waits for a thread.
    drop(context.engine.work().slot().await?);
    let pending = &context.engine.pending;
    let answer = pending.with(&handle, |waiting| input.answer(&waiting.question)).map_err(not_pending)??;
    if !matches!(answer, Answer::No) && context.proven != ApprovalProof(true) {
        let text = "only whoever shows the server's token can say yes for its user";
        let failure = Failure::new(StatusCode::FORBIDDEN, "needs-proof", text);
        return Err(failure.help(format!("send {}", proof(&context))));
    }
    let PendingOperation { work, mut snapshot, session, .. } = pending.take(&handle).map_err(not_pending)?;
    match work {
        PendingWork::Activate(operation) => {
            let progress = context.engine.answer(&mut snapshot, operation, &session, answer).await??;
            activated(&context, &snapshot, session, progress)
        }
        PendingWork::Read(reading) => {
            let progress = context.engine.answer(&mut snapshot, reading, &session, answer).await??;
            files::answered(&context, &snapshot, session, progress)
        }
    }
}

pub(crate) async fn drop_it(context: HttpContext, Path(handle): Path<String>) -> Result {
    context.engine.pending.take(&handle).map_err(not_pending)?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Answers with the outcome of an activation, or with what the user must decide first.
fn activated(
    context: &HttpContext,
    snapshot: &Arc<Snapshot>,
    session: Conversation,
    progress: Progress<Activate>,
) -> Result {
    match progress {
        Progress::Asks(operation, question) => {
            ask(context, snapshot, PendingWork::Activate(operation), session, question)
        }
        Progress::Done(operation, done) => match done.refused.first() {
            Some(refusal) if done.activated.is_empty() => Err(refused(context, snapshot, refusal)),
            _ => context.json(StatusCode::OK, snapshot, &operation.answer(&done)),
        },
    }
}

/// Says why nothing was activated.
fn refused(context: &HttpContext, snapshot: &Snapshot, refusal: &Refusal) -> Failure {
    let mut failure = Failure::from(activate::refused(snapshot, refusal));
    if context.peer == Peer::Remote {
        Redactor::new(snapshot).redact_problem(&mut failure.line);
    }
    failure
}
