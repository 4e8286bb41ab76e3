//! The reason why a connection failed, as far as this side knows it.

use std::sync::{Arc, Mutex, PoisonError};

#[derive(Clone, Debug, Default)]
pub(crate) struct Fault(Arc<Mutex<String>>);

impl Fault {
    pub(super) fn set(&self, why: &str) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if held.is_empty() {
            why.clone_into(&mut held);
        }
    }

    /// Returns the known reason, or else `other`. It is returned once: a later failure has a reason of its own.
    pub(crate) fn or(&self, other: &str) -> String {
        let held = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        if held.is_empty() { other.to_owned() } else { held }
    }
}
