//! Shuts the server down: first it accepts nothing new, then it ends what is under way.

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Tells a server to stop. Clones stop the same server.
#[derive(Clone, Debug, Default)]
pub struct Shutdown {
    /// Cancelled when the server is asked to stop.
    pub(crate) asked: CancellationToken,
    /// Cancelled when requests that are under way must end too.
    pub(crate) over: CancellationToken,
}

impl Shutdown {
    /// Asks the server to stop; requests that are under way may go on for a while.
    pub fn ask(&self) {
        self.asked.cancel();
    }

    /// Ends the requests that are under way too.
    pub fn end(&self) {
        self.asked.cancel();
        self.over.cancel();
    }

    /// Takes SIGTERM and SIGINT from now on, and obeys them while the future that it returns is polled: the first asks, the
    /// second ends.
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
