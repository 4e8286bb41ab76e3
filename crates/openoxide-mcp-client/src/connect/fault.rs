//! The reason why a connection failed, as far as this side knows it.

use std::sync::{Arc, Mutex, PoisonError};

/// Why a connection ended, as far as this side knows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fault(Arc<Mutex<String>>);

impl Fault {
    pub(super) fn set(&self, why: &str) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if held.is_empty() {
            why.clone_into(&mut held);
        }
    }

    /// Returns what is known, or else this. It is told once: what fails later has a reason of its own.
    pub(crate) fn or(&self, other: &str) -> String {
        let held = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        if held.is_empty() { other.to_owned() } else { held }
    }
}

/// Returns what the first cause of an error says; the others repeat it.
pub(crate) fn innermost(error: &(dyn std::error::Error + 'static)) -> String {
    let mut inner = error;
    while let Some(cause) = inner.source() {
        inner = cause;
    }
    inner.to_string()
}
