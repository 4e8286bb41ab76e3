//! JSON-RPC on a pair of streams, such as those of a child process: one JSON object per line.
//!
//! `message` tells requests from the rest, and `error` is what is answered when something is wrong. `client` is what is
//! known about whoever asks, `ask` puts questions to it, `changed` tells it what is new, and `output` writes. `methods` has
//! what can be asked for.

mod ask;
mod changed;
mod client;
mod error;
mod message;
mod methods;
mod open_requests;
mod options;
mod output;

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use client::Client;
use error::RpcError;
use message::{Id, Incoming, answer};
use output::Output;

pub use options::RpcOptions;

use crate::bounded_lines::{BoundedLines, Line};
use crate::engine::Engine;
use crate::observe::audit::{Actor, Face};

/// The longest line that is read, in bytes.
const LINE: usize = 8 * 1024 * 1024;

/// How many requests are worked on at once.
const AT_ONCE: usize = 32;

/// How long what was asked for may still take after the client's last word.
const GRACE: Duration = Duration::from_secs(1);

/// Answers requests until the input ends or nobody reads the output any more.
///
/// What still runs then is given a moment, and is dropped after that: a client that is gone needs no answer.
pub async fn serve(
    engine: Engine,
    input: impl AsyncRead + Unpin + Send,
    output: impl AsyncWrite + Unpin + Send + 'static,
    options: RpcOptions,
) -> std::io::Result<()> {
    let (sender, waiting) = Output::new();
    let mut writer = tokio::spawn(output::write(waiting, output));
    let engine = engine.asked_by(Actor::of(Face::Rpc));
    let client = Arc::new(Client::new(engine, sender, options));
    let teller = tokio::spawn(changed::tell(client.engine.changes(), Arc::clone(&client)));
    let mut requests = Requests { client, room: Arc::new(Semaphore::new(AT_ONCE)), running: JoinSet::new() };
    let mut lines = BoundedLines::new(input, LINE);
    let outcome = loop {
        tokio::select! {
            line = lines.next() => match line {
                Ok(Line::End) => break Ok(()),
                Ok(line) => requests.take(line).await,
                Err(error) => break Err(error),
            },
            _ = &mut writer => break Ok(()),
            Some(_) = requests.running.join_next() => {}
        }
    };
    teller.abort();
    requests.finish().await;
    // What was answered is written, if anybody still reads it.
    if !writer.is_finished() {
        let _ = tokio::time::timeout(GRACE, writer).await;
    }
    outcome
}

/// The requests that are worked on.
struct Requests {
    client: Arc<Client>,
    room: Arc<Semaphore>,
    running: JoinSet<()>,
}

impl Requests {
    /// Acts on a line.
    async fn take(&mut self, line: Line) {
        let line = match line {
            Line::Whole(line) if line.iter().all(u8::is_ascii_whitespace) => return,
            Line::Whole(line) => line,
            Line::TooLong => return self.refuse(None, RpcError::too_long(LINE), false).await,
            Line::End => return,
        };
        match Incoming::read(&line) {
            Incoming::Request { id, method, params, versioned } => {
                drop(line);
                self.request(id, method, params, versioned).await;
            }
            Incoming::Reply { id, result } => drop(self.client.asks.answer(&id, result)),
            Incoming::Notice => {}
            Incoming::Bad { id, error } => self.refuse(id.as_ref(), error, false).await,
        }
    }

    async fn request(&mut self, id: Id, method: String, params: serde_json::Value, versioned: bool) {
        // What later requests stand on is done before they are read.
        if let Some(outcome) = methods::at_once(&self.client, &method, &params).await {
            return self.client.output.send(&answer(Some(&id), outcome, versioned)).await;
        }
        let Ok(room) = Arc::clone(&self.room).try_acquire_owned() else {
            return self.refuse(Some(&id), RpcError::busy(), versioned).await;
        };
        let client = Arc::clone(&self.client);
        self.running.spawn(async move {
            let outcome = methods::call(&client, &method, params).await;
            client.output.send(&answer(Some(&id), outcome, versioned)).await;
            drop(room);
        });
    }

    async fn refuse(&self, id: Option<&Id>, error: RpcError, versioned: bool) {
        self.client.output.send(&answer(id, Err(error), versioned)).await;
    }

    /// Gives what runs a moment, and drops what needs longer.
    async fn finish(mut self) {
        self.client.asks.close();
        let all = async { while self.running.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(GRACE, all).await;
        self.running.shutdown().await;
    }
}
