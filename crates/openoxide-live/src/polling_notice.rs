//! Reports once that places are polled because they cannot be watched.

use std::panic::AssertUnwindSafe;
use std::sync::{Mutex, PoisonError};

type Callback = Box<dyn Fn(&str) + Send + Sync>;

/// A callback that runs at most once.
#[derive(Default)]
pub(crate) struct PollingNotice {
    callback: Mutex<Option<Callback>>,
}

impl PollingNotice {
    /// Replaces the callback.
    pub(crate) fn set(&self, callback: impl Fn(&str) + Send + Sync + 'static) {
        *self.callback.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(callback));
    }

    /// Runs the callback, unless it has run before.
    pub(crate) fn send(&self, reason: &str) {
        let callback = self.callback.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(callback) = callback {
            // A callback that panics has run, too.
            drop(std::panic::catch_unwind(AssertUnwindSafe(|| callback(reason))));
        }
    }
}
