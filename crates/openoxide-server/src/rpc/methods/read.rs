//! Reading files of skills.

use std::path::PathBuf;
use std::sync::Arc;

use openoxide_live::Snapshot;
use openoxide_mcp_client::{Remote, RemoteName};
use openoxide_runtime::{Answer, Question, Runtime, Session};
use openoxide_skills::catalog::Entry;
use openoxide_skills::host::{Caller, ReadProblem};
use openoxide_skills::resource::{ResourcePart, ResourceRefusal, ResourceRequest, SkillUrl, read_resource};
use openoxide_wire::{CallerInput, ReadAnswer};
use serde::Deserialize;
use serde_json::Value;

use super::{RpcError, answer, params};
use crate::activate::{Asker as _, Conversation};
use crate::calling::{NotRead, OWN_FILE, RemoteRead, RemoteReading};
use crate::observe::audit::{Action, Decision};
use crate::rpc::ask::ClientAsker;
use crate::rpc::client::Client;

#[derive(Clone, Deserialize)]
struct ReadParams {
    /// The skill, by name or path, or an address: `skill://NAME/PATH`.
    skill: String,
    /// A file or folder in the skill's folder; the skill's own text if absent.
    path: Option<String>,
    /// Whether what is in the skill's folder is listed.
    #[serde(default)]
    list: bool,
    /// Whether any file's bytes are answered.
    #[serde(default)]
    base64: bool,
    #[serde(default)]
    caller: CallerInput,
    #[serde(default)]
    session: String,
    cwd: Option<PathBuf>,
}

/// Reads a file of a skill.
pub(super) async fn read(client: &Client, given: Value) -> Result<Value, RpcError> {
    let given: ReadParams = params(given)?;
    let state = client.state(given.cwd.as_deref()).await?;
    if let (Some(name), Some(remote)) = (RemoteName::parse(&given.skill), client.engine.remote(&state)) {
        return read_remote(client, &state, &remote, &name, &given).await;
    }
    let runtime = Arc::clone(state.runtime()?);
    let session = client.session(&given.session);
    // The conversation is free for others while the user thinks.
    let questions = before(&state, &runtime, &*session.lock().await, &given)?;
    let mut asker = ClientAsker::new(client);
    for question in questions {
        let answered = asker.ask(&question).await;
        if !answered.is_yes() {
            let why = if asker.unasked.is_empty() { "rejected" } else { "not-asked" };
            let (part, decision) = (given.path.as_deref(), Decision::Deny(why.to_owned()));
            client.engine.note(Action::Read, &given.skill, None, part, decision);
            let asked = asked(&state, &runtime, &*session.lock().await, &given)?.map(|(asked, _)| asked);
            let refused = match asked {
                Ok(asked) => ResourceRefusal::new(&state.view.host, runtime.catalog(), &asked, ReadProblem::Forbidden),
                Err(problem) => ResourceRefusal::unnamed(&state.view.host, problem),
            };
            let mut told = serde_json::to_value(ReadAnswer::new(host(&state), given.skill, Err(&refused)))?;
            told["notices"] = serde_json::to_value(&asker.unasked)?;
            return Ok(told);
        }
        keep(client, &runtime, &session, question, answered).await?;
    }
    let (skill, path) = (given.skill.clone(), given.path.clone());
    let held = session.lock_owned().await;
    let told = client.engine.work().run(move || answered(&state, &runtime, &held, &given)).await??;
    let decision = told.refused.as_ref().map_or(Decision::Allow, |line| Decision::Deny(line.problem.clone()));
    client.engine.note(Action::Read, &skill, None, path.as_deref(), decision);
    answer(&told)
}

/// Reads a file of a skill that a server offers.
async fn read_remote(
    client: &Client,
    state: &Snapshot,
    remote: &Remote,
    name: &RemoteName,
    given: &ReadParams,
) -> Result<Value, RpcError> {
    let mut asker = ClientAsker::new(client);
    let told = remote_answer(client, state, remote, name, given, &mut asker).await?;
    let told =
        told.unwrap_or_else(|(problem, text)| ReadAnswer::refused(host(state), given.skill.clone(), &problem, text));
    let decision = told.refused.as_ref().map_or(Decision::Allow, |line| Decision::Deny(line.problem.clone()));
    client.engine.note(Action::Read, &given.skill, None, given.path.as_deref(), decision);
    let mut told = serde_json::to_value(told)?;
    if !asker.unasked.is_empty() {
        told["notices"] = serde_json::to_value(&asker.unasked)?;
    }
    Ok(told)
}

/// What is answered, or what is wrong and the words for it.
type Told = Result<ReadAnswer, (String, String)>;

async fn remote_answer(
    client: &Client,
    state: &Snapshot,
    remote: &Remote,
    name: &RemoteName,
    given: &ReadParams,
    asker: &mut ClientAsker<'_>,
) -> Result<Told, RpcError> {
    let runtime = Arc::clone(state.runtime()?);
    let path = (!given.list).then(|| given.path.as_deref().unwrap_or(OWN_FILE));
    let wanted = RemoteReading { remote, runtime: &runtime, name, caller: given.caller.into(), path };
    let session = client.session(&given.session);
    let mut agreed: Vec<Question> = Vec::new();
    loop {
        let open = |questions: Vec<Question>| questions.into_iter().find(|question| !agreed.contains(question));
        let question = match wanted.read(&session, open).await {
            Ok(RemoteRead::Asks(question)) => question,
            Ok(RemoteRead::Files(id, files)) => return Ok(Ok(ReadAnswer::of_paths(host(state), id, &files))),
            Ok(RemoteRead::Bytes(id, bytes)) => {
                let path = path.unwrap_or(OWN_FILE);
                return Ok(Ok(ReadAnswer::of_bytes(host(state), id, path, &bytes, given.base64)));
            }
            Err(NotRead::Error(error)) => return Ok(Err((error.word().to_owned(), error.to_string()))),
            Err(NotRead::Refused(refusal)) => return Ok(Err((refusal.why.as_str().to_owned(), refusal.text))),
        };
        let answered = asker.ask(&question).await;
        if !answered.is_yes() {
            let why = if asker.unasked.is_empty() { "rejected" } else { "not-asked" };
            return Ok(Err((why.to_owned(), format!("`{name}` was not allowed"))));
        }
        keep(client, &runtime, &session, question.clone(), answered).await?;
        agreed.push(question);
    }
}

/// Keeps an answer, away from the threads that others wait for. What cannot be remembered counts this time.
async fn keep(
    client: &Client,
    runtime: &Arc<Runtime>,
    session: &Conversation,
    question: Question,
    answer: Answer,
) -> Result<(), RpcError> {
    let runtime = Arc::clone(runtime);
    let mut held = Arc::clone(session).lock_owned().await;
    client.engine.work().run(move || drop(runtime.keep_answer(&mut held, &question, &answer))).await?;
    Ok(())
}

fn host(state: &Snapshot) -> String {
    state.catalog.host.clone()
}

/// Returns what must be asked before; nothing if the answer is no already.
fn before(
    state: &Snapshot,
    runtime: &Runtime,
    session: &Session,
    given: &ReadParams,
) -> Result<Vec<Question>, RpcError> {
    Ok(match asked(state, runtime, session, given)? {
        Ok((asked, Ok(entry))) => runtime.before_reading(session, entry, &asked).unwrap_or_default(),
        _ => Vec::new(),
    })
}

fn answered(
    state: &Snapshot,
    runtime: &Runtime,
    session: &Session,
    given: &ReadParams,
) -> Result<ReadAnswer, RpcError> {
    let (rules, catalog) = (&state.view.host, runtime.catalog());
    let (asked, entry) = match asked(state, runtime, session, given)? {
        Ok(found) => found,
        Err(problem) => {
            let refused = ResourceRefusal::unnamed(rules, problem);
            return Ok(ReadAnswer::new(host(state), given.skill.clone(), Err(&refused)));
        }
    };
    let outcome = entry
        // What rules deny is not read, whatever was answered to other questions.
        .and_then(|entry| runtime.before_reading(session, entry, &asked).map(|_| entry))
        .map_err(|problem| ResourceRefusal::new(rules, catalog, &asked, problem))
        .and_then(|entry| read_resource(rules, catalog, entry, &asked, given.base64));
    Ok(ReadAnswer::new(host(state), asked.name, outcome.as_ref()))
}

/// What was asked for, and the skill that is meant; an address may name none at all.
type Wanted<'r> = Result<(ResourceRequest, Result<&'r Entry, ReadProblem>), ReadProblem>;

fn asked<'r>(
    state: &Snapshot,
    runtime: &'r Runtime,
    session: &Session,
    given: &ReadParams,
) -> Result<Wanted<'r>, RpcError> {
    let rules = &state.view.host.resource;
    let caller = Caller::from(given.caller);
    if SkillUrl::is_url(&given.skill) {
        if !rules.addresses || given.path.is_some() || given.list {
            let message = if rules.addresses { "an address names the file itself" } else { "addresses are not known" };
            return Err(RpcError::params(message));
        }
        return Ok(ResourceRequest::by_url(&given.skill, caller, rules).map(|asked| {
            let entry = runtime.readable(session, &asked.name, caller);
            (asked, entry)
        }));
    }
    let meant = state.workspace.resolve_skill_reference(runtime.catalog(), &given.skill);
    let entry = runtime.readable(session, &meant, caller);
    let name = entry.as_ref().map_or(given.skill.as_str(), |entry| &entry.skill.name);
    let asked = match &given.path {
        Some(path) => ResourceRequest::by_path(name, path, caller, rules),
        None if given.list => ResourceRequest::for_skill(name, ResourcePart::Top, caller),
        None => ResourceRequest::for_skill(name, ResourcePart::Manifest, caller),
    };
    Ok(Ok((asked, entry)))
}
