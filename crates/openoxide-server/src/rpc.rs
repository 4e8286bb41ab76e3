//! JSON-RPC on a pair of streams, such as those of a child process: one JSON object per line.
//!
//! `message` reads requests and writes responses, with `error` where something is wrong. `client` holds the state of the
//! client, `ask` sends it questions for the user, `changed` notifies it, and `outgoing` writes. `methods` has the methods.

mod ask;
mod changed;
mod client;
mod error;
mod message;
mod methods;
mod outgoing;

use std::{sync::Arc, time::Duration};

use ask::ClientAsker;
use client::Client;
use error::{Result, RpcError};
use message::{Id, Incoming, params, response, result};
use outgoing::Output;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::{sync::Semaphore, task::JoinSet};

pub use client::RpcOptions;

use crate::bounded_read::{BoundedLines, Line};
use crate::{Actor, Engine, Face, Unavailable};

/// The longest line that is read, in bytes.
const LINE: usize = 8 * 1024 * 1024;

/// How many requests are worked on at once.
const AT_ONCE: usize = 32;

/// How long requests may still take after the input has ended.
const GRACE: Duration = Duration::from_secs(1);

/// Answers requests until the input ends or nobody reads the output any more.
///
/// Requests that still run then get a moment, and are dropped after it: a client that is gone needs no answer.
pub async fn serve(
    engine: Engine,
    input: impl AsyncRead + Unpin + Send,
    output: impl AsyncWrite + Unpin + Send + 'static,
    options: RpcOptions,
) -> std::io::Result<()> {
    let (sender, waiting) = Output::new();
    let mut writer = tokio::spawn(outgoing::write(waiting, output));
    let engine = engine.asked_by(Actor::of(Face::Rpc));
    let client = Arc::new(Client::new(engine, sender, options));
    let notifier = tokio::spawn(changed::notify(client.engine.changes(), Arc::clone(&client)));
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
    notifier.abort();
    requests.finish().await;
    // Answers that wait are written, if the client still reads.
    if !writer.is_finished() {
        let _ = tokio::time::timeout(GRACE, writer).await;
    }
    outcome
}

struct Requests {
    client: Arc<Client>,
    room: Arc<Semaphore>,
    running: JoinSet<()>,
}

impl Requests {
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
            Incoming::Reply { id, result } => self.client.asks.answer(&id, result),
            Incoming::Notice => {}
            Incoming::Bad { id, error } => self.refuse(id.as_ref(), error, false).await,
        }
    }

    async fn request(&mut self, id: Id, method: String, params: serde_json::Value, versioned: bool) {
        // A request that later ones depend on is answered before they are read.
        if let Some(outcome) = methods::at_once(&self.client, &method, &params).await {
            return self.client.output.send(&response(Some(&id), outcome, versioned)).await;
        }
        let Ok(room) = Arc::clone(&self.room).try_acquire_owned() else {
            return self.refuse(Some(&id), Unavailable::Busy.into(), versioned).await;
        };
        let client = Arc::clone(&self.client);
        self.running.spawn(async move {
            let outcome = methods::call(&client, &method, params).await;
            client.output.send(&response(Some(&id), outcome, versioned)).await;
            drop(room);
        });
    }

    async fn refuse(&self, id: Option<&Id>, error: RpcError, versioned: bool) {
        self.client.output.send(&response(id, Err(error), versioned)).await;
    }

    /// Gives running requests a moment, and drops those that need longer.
    async fn finish(mut self) {
        self.client.asks.close();
        let all = async { while self.running.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(GRACE, all).await;
        self.running.shutdown().await;
    }
}
