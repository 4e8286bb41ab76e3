//! The reason why a connection failed, as far as this side knows it.

use std::error::Error;
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

/// Returns the first cause of an error; the others repeat it.
pub(crate) fn innermost<'e>(error: &'e (dyn Error + 'static)) -> &'e (dyn Error + 'static) {
    std::iter::successors(Some(error), |&error| error.source()).last().unwrap_or(error)
}
