//! Stops a running command from another thread.

use std::io::{self, PipeReader, PipeWriter};
use std::sync::{Arc, Mutex, PoisonError};

/// Stops a running command from another thread. Clones stop the same command.
///
/// A stop is final: a command that is started with it later ends at once.
#[derive(Clone, Debug)]
pub struct Stop {
    /// Is at its end, for every reader, as soon as the writer is gone.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "nothing runs on other systems"))]
    reader: Arc<PipeReader>,
    writer: Arc<Mutex<Option<PipeWriter>>>,
}

impl Stop {
    /// Makes a stop that has not been used.
    pub fn new() -> io::Result<Stop> {
        let (reader, writer) = io::pipe()?;
        Ok(Stop { reader: Arc::new(reader), writer: Arc::new(Mutex::new(Some(writer))) })
    }

    /// Stops the command if it runs, or as soon as it starts. This does not wait for its end.
    pub fn stop(&self) {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// Returns whether it has been used.
    pub fn is_stopped(&self) -> bool {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }

    /// Returns a pipe that becomes readable when the stop is used.
    #[cfg(target_os = "linux")]
    pub(crate) fn reader(&self) -> &PipeReader {
        &self.reader
    }
}
