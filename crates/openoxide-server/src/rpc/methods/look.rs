//! Looking: what a text names, what the model sees, and where a host looks.

use std::{path::PathBuf, sync::Arc};

use openoxide_app::{Error, Snapshot, mentions::turn_of_input, prompt::PromptInput};
use openoxide_wire::TurnInput;
use serde::Deserialize;
use serde_json::Value;

use crate::rpc::{Client, Result, params, result};

pub(super) async fn mentions(client: &Client, given: Value) -> Result<Value> {
    #[derive(Deserialize)]
    struct Given {
        #[serde(flatten)]
        turn: TurnInput,
        cwd: Option<PathBuf>,
    }
    let Given { turn, cwd } = params(given)?;
    let work = move |snapshot: &Arc<Snapshot>| {
        let turn = turn_of_input(&snapshot.workspace, turn, &[]);
        openoxide_app::mentions::mentions(snapshot, &turn).answer
    };
    result(&client.work(client.place(cwd.as_deref(), &[]), false, work).await??)
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

pub(super) async fn prompt(client: &Client, given: Value) -> Result<Value> {
    let given: PromptParams = params(given)?;
    let place = client.place(given.cwd.as_deref(), &[]);
    let input = PromptInput { window: given.window, can_read: given.can_read, preload: given.preload, served: true };
    let work = move |snapshot: &Arc<Snapshot>| Ok::<_, Error>(openoxide_app::prompt::prompt(snapshot, &input)?.answer);
    result(&client.work(place, false, work).await???)
}

/// Answers where the host looks, in what order, by what settings, what is switched off, and what is wrong.
pub(super) async fn roots(client: &Client, given: Value) -> Result<Value> {
    #[derive(Deserialize)]
    struct Given {
        cwd: Option<PathBuf>,
    }
    let Given { cwd } = params(given)?;
    let engine = client.engine.clone();
    let work = move |snapshot: &Arc<Snapshot>| openoxide_app::roots::roots(snapshot, &engine.runner);
    result(&client.work(client.place(cwd.as_deref(), &[]), false, work).await???)
}
