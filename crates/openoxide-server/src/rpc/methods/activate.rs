//! Calling skills.

use std::path::PathBuf;
use std::sync::Arc;

use openoxide_live::Snapshot;
use openoxide_runtime::{Activation, Call, Given, Runtime, activate_answer};
use openoxide_skills::host::Caller;
use openoxide_skills::select::select;
use openoxide_wire::{ActivateAnswer, CallerInput, IgnoredLine, MentionsAnswer, TurnInput};
use serde::Deserialize;
use serde_json::Value;

use super::{RpcError, answer, params};
use crate::rpc::ask::ClientAsker;
use crate::rpc::client::Client;

#[derive(Deserialize)]
struct ActivateParams {
    /// The skill, by name or path.
    skill: Option<String>,
    /// What is said with the call.
    #[serde(default)]
    arguments: Option<Words>,
    /// A turn of the user; the skills that it names are called.
    turn: Option<TurnInput>,
    #[serde(default)]
    caller: CallerInput,
    /// The conversation; one without a name if absent.
    #[serde(default)]
    session: String,
    cwd: Option<PathBuf>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Words {
    /// As a person typed it.
    Raw(String),
    /// Word by word.
    Each(Vec<String>),
}

/// Calls a skill, or those that a turn names.
pub(super) async fn activate(client: &Client, given: Value) -> Result<Value, RpcError> {
    let given: ActivateParams = params(given)?;
    let state = client.state(given.cwd.as_deref()).await?;
    let runtime = Arc::clone(state.runtime()?);
    let session = client.session(&given.session);
    let called = Arc::clone(&state);
    let (calls, ignored) = client.engine.work().run(move || calls(&called, given)).await??;
    let mut asker = ClientAsker::new(client);
    let calling = match <[Call; 1]>::try_from(calls) {
        Ok([call]) => client.engine.begin(&state, Arc::clone(&runtime), call),
        Err(calls) => Activation::new(Arc::clone(&runtime), calls).into(),
    };
    let done = client.engine.activate(calling, &session, &mut asker).await?;
    let mut told = activate_answer(runtime.view().spec.id(), &done);
    told.notices.append(&mut asker.unasked);
    answer(&ActivateAnswer { ignored, ..told })
}

/// Returns the calls that are meant, and what looks like one and is none.
fn calls(state: &Snapshot, given: ActivateParams) -> Result<(Vec<Call>, Vec<IgnoredLine>), RpcError> {
    let runtime: &Runtime = state.runtime()?;
    let catalog = runtime.catalog();
    match (given.skill, given.turn) {
        (Some(skill), None) => {
            let arguments = match given.arguments {
                None => Given::Nothing,
                Some(Words::Raw(text)) => Given::Raw(text),
                Some(Words::Each(words)) => Given::Words(words),
            };
            let skill = state.workspace.resolve_skill_reference(catalog, &skill);
            Ok((vec![Call { skill, caller: given.caller.into(), arguments }], Vec::new()))
        }
        (None, Some(turn)) if given.arguments.is_none() => {
            let environment = &state.workspace.environment;
            let mut turn = turn.into_turn(environment.cwd.clone(), environment.home.clone());
            turn.connectors.extend(state.workspace.config.connectors());
            let selection = select(catalog, &state.view.host, &turn);
            let calls = selection.selected.iter().map(|selected| Call {
                skill: catalog.call_of(selected.entry),
                caller: Caller::User,
                arguments: selected.arguments.clone().map_or(Given::Nothing, Given::Raw),
            });
            Ok((calls.collect(), MentionsAnswer::new(catalog, &turn, &selection).ignored))
        }
        _ => Err(RpcError::params("skills/activate takes a skill with its arguments, or a turn")),
    }
}
