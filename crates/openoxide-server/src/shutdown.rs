//! Shuts the server down: first it accepts nothing new, then it ends what is under way.

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// How a server is told to end. Clones end the same server.
#[derive(Clone, Debug, Default)]
pub struct Shutdown {
    asked: CancellationToken,
    over: CancellationToken,
}

impl Shutdown {
    /// Returns one that was told nothing yet.
    pub fn new() -> Shutdown {
        Shutdown::default()
    }

    /// Asks the server to end: what has begun may go on for a while.
    pub fn ask(&self) {
        self.asked.cancel();
    }

    /// Ends what still goes on.
    pub fn end(&self) {
        self.asked.cancel();
        self.over.cancel();
    }

    /// Tells whether the server was asked to end.
    pub fn is_asked(&self) -> bool {
        self.asked.is_cancelled()
    }

    /// Waits until the server is asked to end.
    pub async fn asked(&self) {
        self.asked.cancelled().await;
    }

    /// Waits until what still goes on has to end.
    pub async fn over(&self) {
        self.over.cancelled().await;
    }

    /// Returns what is cancelled when the server is asked to end.
    pub fn token(&self) -> CancellationToken {
        self.asked.clone()
    }

    /// Returns what is cancelled when what still goes on has to end.
    pub(crate) fn last_token(&self) -> CancellationToken {
        self.over.clone()
    }

    /// Takes SIGTERM and SIGINT from now on, and obeys them while what it returns is awaited: the first asks, the second
    /// ends.
    pub fn obey_signals(&self) -> std::io::Result<impl Future<Output = ()> + Send + 'static> {
        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        let stopping = self.clone();
        Ok(async move {
            for step in [Shutdown::ask, Shutdown::end] {
                tokio::select! {
                    _ = terminate.recv() => {}
                    _ = interrupt.recv() => {}
                }
                step(&stopping);
            }
        })
    }
}
