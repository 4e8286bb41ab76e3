//! Looking: what a text names, what the model sees, and where a host looks.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use openoxide_app::roots::roots as roots_answer;
use openoxide_live::Snapshot;
use openoxide_runtime::{BeginningError, Onlooker, prompt_answer};
use openoxide_skills::render::Model;
use openoxide_skills::select::select;
use openoxide_wire::{MentionsAnswer, PromptAnswer, TurnInput};
use serde::Deserialize;
use serde_json::Value;

use super::{RpcError, answer, params};
use crate::rpc::client::Client;

/// Answers the skills that a turn names, and why not the rest.
pub(super) async fn mentions(client: &Client, given: Value) -> Result<Value, RpcError> {
    #[derive(Deserialize)]
    struct Given {
        #[serde(flatten)]
        turn: TurnInput,
        cwd: Option<PathBuf>,
    }
    let Given { turn, cwd } = params(given)?;
    let work = move |state: &Arc<Snapshot>| {
        let environment = &state.workspace.environment;
        let mut turn = turn.into_turn(environment.cwd.clone(), environment.home.clone());
        turn.connectors.extend(state.workspace.config.connectors());
        let selection = select(&state.catalog, &state.view.host, &turn);
        MentionsAnswer::new(&state.catalog, &turn, &selection)
    };
    answer(&client.work(client.place(cwd.as_deref(), &[]), false, work).await??)
}

#[derive(Deserialize)]
struct PromptParams {
    /// The model's context window, in tokens.
    window: Option<u64>,
    /// Whether the agent can read files.
    #[serde(default = "yes")]
    can_read: bool,
    /// Skills that the agent starts with; those of its settings if empty.
    #[serde(default)]
    preload: Vec<String>,
    cwd: Option<PathBuf>,
}

fn yes() -> bool {
    true
}

/// Answers the skills as the model sees them.
pub(super) async fn prompt(client: &Client, given: Value) -> Result<Value, RpcError> {
    let given: PromptParams = params(given)?;
    let place = client.place(given.cwd.as_deref(), &[]);
    let drawn = client.work(place, false, move |state| draw(state, given)).await??;
    answer(&drawn?)
}

fn draw(state: &Snapshot, given: PromptParams) -> Result<PromptAnswer, RpcError> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let model = Model { window: given.window, now: u64::try_from(now.as_millis()).unwrap_or(0) };
    let onlooker = Onlooker { model, reads: given.can_read, preload: given.preload };
    let beginning = state.runtime()?.beginning(&state.workspace, Arc::clone(&state.catalog), &onlooker);
    let beginning = beginning.map_err(|error| match error {
        BeginningError::Rule(rule) => RpcError::from(&rule),
        BeginningError::Refused(refusal) => RpcError::refused("not-preloaded", refusal.text, refusal.help),
        BeginningError::Render(error) => RpcError::refused("no-template", error.to_string(), None),
    })?;
    Ok(prompt_answer(&beginning))
}

/// Answers where the host looks, in what order, by what settings, what is switched off, and what is wrong.
pub(super) async fn roots(client: &Client, given: Value) -> Result<Value, RpcError> {
    #[derive(Deserialize)]
    struct Given {
        cwd: Option<PathBuf>,
    }
    let Given { cwd } = params(given)?;
    let engine = client.engine.clone();
    let work = move |state: &Arc<Snapshot>| match engine.isolation() {
        Ok(isolation) => Ok(roots_answer(&state.view, &state.catalog, isolation)),
        Err(error) => Err(RpcError::refused("no-isolation", error.to_owned(), None)),
    };
    answer(&client.work(client.place(cwd.as_deref(), &[]), false, work).await???)
}
