//! Ends a running command from another thread.

use std::io::{self, PipeReader, PipeWriter};
use std::sync::{Arc, Mutex, PoisonError};

/// Ends a running command from another thread. Clones end the same command.
///
/// It stays as it is once it was used: a command that is started with it later ends at once.
#[derive(Clone, Debug)]
pub struct Stop {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    /// Is at its end as soon as the writer is gone, for everybody who looks.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "nothing runs there that could look"))]
    reader: PipeReader,
    writer: Mutex<Option<PipeWriter>>,
}

impl Stop {
    /// Makes one that was not used yet.
    pub fn new() -> io::Result<Stop> {
        let (reader, writer) = io::pipe()?;
        Ok(Stop { inner: Arc::new(Inner { reader, writer: Mutex::new(Some(writer)) }) })
    }

    /// Ends the command, if it runs or as soon as it is started. This does not wait for the end.
    pub fn stop(&self) {
        self.inner.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// Tells whether it was used.
    pub fn is_stopped(&self) -> bool {
        self.inner.writer.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }

    /// What becomes readable when it is used.
    #[cfg(target_os = "linux")]
    pub(crate) fn reader(&self) -> &PipeReader {
        &self.inner.reader
    }
}
