//! Looking: what a text names, what the model sees, and where a host looks.

use std::path::PathBuf;
use std::sync::Arc;

use openoxide_app::Snapshot;
use openoxide_app::mentions::turn_of_input;
use openoxide_app::prompt::PromptInput;
use openoxide_wire::{PromptAnswer, TurnInput};
use serde::Deserialize;
use serde_json::Value;

use super::params::{answer, params};
use crate::rpc::client::Client;
use crate::rpc::error::RpcError;

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
        let turn = turn_of_input(&state.workspace, turn, &[]);
        openoxide_app::mentions::mentions(state, turn).answer()
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
    let input = PromptInput { window: given.window, can_read: given.can_read, preload: given.preload };
    let drawn = openoxide_app::prompt::prompt(state, &input)?;
    Ok(drawn.answer())
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
        Ok(isolation) => Ok(openoxide_app::roots::roots(state, isolation)),
        Err(error) => Err(RpcError::refused("no-isolation", error.to_owned(), None)),
    };
    answer(&client.work(client.place(cwd.as_deref(), &[]), false, work).await???)
}
