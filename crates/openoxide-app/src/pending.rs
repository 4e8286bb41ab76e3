//! Keeps operations that wait for the user's answer, each under a handle that cannot be guessed, for a limited time.
//!
//! When the answer comes, it moves the operation to the present snapshot: an answer must not allow what was denied since.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use openoxide_live::Snapshot;
use openoxide_runtime::{Firing, Resumable};

use crate::error::{Error, ErrorKind};

/// How long the user may take to answer a question.
pub const ANSWER_TIME: Duration = Duration::from_mins(10);
/// The most activations that wait.
const ACTIVATIONS_MAX: usize = 256;
/// The most reads that wait. They have a limit of their own, so that a client that only reads cannot keep activations from
/// being asked about.
const READS_MAX: usize = 64;

/// An operation that can go on although files, settings or rules changed while its question was open.
pub trait Rebase: Resumable {
    /// Moves the operation to another snapshot. Everything is decided again there; an answer of the user counts only where
    /// the question is still the same.
    fn rebase(&mut self, snapshot: &Snapshot) -> Result<(), Error>;

    /// Moves the operation from the snapshot that it began with to the present one. A face calls this before it passes on
    /// the user's answer: an old answer must not allow what was denied or switched off since the question was asked.
    fn rebase_to_present(&mut self, begun: &mut Arc<Snapshot>, present: Arc<Snapshot>) -> Result<(), Error> {
        if !Arc::ptr_eq(begun, &present) {
            self.rebase(&present)?;
            *begun = present;
        }
        Ok(())
    }
}

/// Hooks ask nothing, and what they belong to is activated already.
impl Rebase for Firing {
    fn rebase(&mut self, _: &Snapshot) -> Result<(), Error> {
        Ok(())
    }
}

/// What kind of operation waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PendingKind {
    /// An activation.
    Activation,
    /// The reading of a file.
    Read,
}

/// Why an operation cannot wait, or does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PendingError {
    /// Too many wait already.
    #[error("too many activations wait for an answer")]
    Full,
    /// The system gives no random numbers.
    #[error("the system gives no random numbers")]
    NoRandomness,
    /// Nothing waits under the handle: it was answered, dropped, or waited too long.
    #[error("no activation waits under this handle")]
    Unknown,
}

impl From<PendingError> for Error {
    fn from(error: PendingError) -> Error {
        let unavailable = |word| Error::other(ErrorKind::Unavailable, word, error.to_string());
        match error {
            PendingError::Full => unavailable("busy"),
            PendingError::NoRandomness => unavailable("no-randomness"),
            PendingError::Unknown => Error::other(ErrorKind::NotFound, "no-activation", error.to_string())
                .with_help("it was answered, dropped or waited too long: call the skill again"),
        }
    }
}

/// Operations that wait for the user's answer.
pub struct Pending<T> {
    waiting: Mutex<HashMap<String, Waiting<T>>>,
}

struct Waiting<T> {
    kind: PendingKind,
    until: Instant,
    operation: T,
}

impl<T> Default for Pending<T> {
    fn default() -> Pending<T> {
        Pending { waiting: Mutex::default() }
    }
}

impl<T> Pending<T> {
    /// Keeps an operation, and returns its handle.
    pub fn insert(&self, kind: PendingKind, operation: T) -> Result<String, PendingError> {
        self.insert_once(kind, operation, |_| false)
    }

    /// Keeps an operation unless one that `is_same` waits already, and returns the handle of the one that waits.
    pub fn insert_once(
        &self,
        kind: PendingKind,
        operation: T,
        is_same: impl Fn(&T) -> bool,
    ) -> Result<String, PendingError> {
        let handle = random_name().ok_or(PendingError::NoRandomness)?;
        let mut waiting = self.lock();
        let now = Instant::now();
        waiting.retain(|_, other| other.until > now);
        if let Some((handle, _)) = waiting.iter().find(|(_, other)| is_same(&other.operation)) {
            return Ok(handle.clone());
        }
        let max = match kind {
            PendingKind::Activation => ACTIVATIONS_MAX,
            PendingKind::Read => READS_MAX,
        };
        if waiting.values().filter(|other| other.kind == kind).count() >= max {
            return Err(PendingError::Full);
        }
        waiting.insert(handle.clone(), Waiting { kind, until: now + ANSWER_TIME, operation });
        Ok(handle)
    }

    /// Takes an operation that still waits, if it is one that `fits`; another stays.
    pub fn take_if(&self, handle: &str, fits: impl FnOnce(&T) -> bool) -> Result<T, PendingError> {
        let mut waiting = self.lock();
        let found = waiting.get(handle).is_some_and(|found| found.until > Instant::now() && fits(&found.operation));
        let taken = if found { waiting.remove(handle) } else { None };
        taken.map(|taken| taken.operation).ok_or(PendingError::Unknown)
    }

    /// Takes an operation that still waits.
    pub fn take(&self, handle: &str) -> Result<T, PendingError> {
        self.take_if(handle, |_| true)
    }

    /// Takes an operation that still waits and `fits`, whatever its handle is.
    pub fn take_first(&self, fits: impl Fn(&T) -> bool) -> Option<T> {
        let mut waiting = self.lock();
        let now = Instant::now();
        let found = waiting.iter().find(|(_, found)| found.until > now && fits(&found.operation));
        let handle = found.map(|(handle, _)| handle.clone())?;
        waiting.remove(&handle).map(|taken| taken.operation)
    }

    /// Looks at every operation that still waits, in the order in which they came; returns what `look` makes of them.
    pub fn all<R>(&self, mut look: impl FnMut(&str, &T) -> Option<R>) -> Vec<R> {
        let waiting = self.lock();
        let now = Instant::now();
        let mut all: Vec<_> = waiting.iter().filter(|(_, found)| found.until > now).collect();
        all.sort_by_key(|(handle, found)| (found.until, *handle));
        all.into_iter().filter_map(|(handle, found)| look(handle, &found.operation)).collect()
    }

    /// Changes an operation that still waits.
    pub fn update<R>(&self, handle: &str, change: impl FnOnce(&mut T) -> R) -> Result<R, PendingError> {
        let mut waiting = self.lock();
        let found = waiting.get_mut(handle).filter(|found| found.until > Instant::now());
        found.map(|found| change(&mut found.operation)).ok_or(PendingError::Unknown)
    }

    /// Looks at an operation that still waits, without taking it.
    pub fn with<R>(&self, handle: &str, look: impl FnOnce(&T) -> R) -> Result<R, PendingError> {
        let waiting = self.lock();
        let found = waiting.get(handle).filter(|found| found.until > Instant::now());
        found.map(|found| look(&found.operation)).ok_or(PendingError::Unknown)
    }

    /// Returns how many wait.
    pub fn count(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Waiting<T>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns 128 random bits as hexadecimal digits.
pub fn random_name() -> Option<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).ok()?;
    Some(format!("{:032x}", u128::from_be_bytes(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_is_taken_once_and_only_by_a_request_that_fits() {
        let pending = Pending::default();
        let handle = pending.insert(PendingKind::Activation, "a").unwrap();
        assert_eq!(pending.take_if(&handle, |operation| *operation == "b"), Err(PendingError::Unknown));
        assert_eq!(pending.take(&handle), Ok("a"));
        assert_eq!(pending.take(&handle), Err(PendingError::Unknown));
    }

    #[test]
    fn the_same_operation_waits_once() {
        let pending = Pending::default();
        let first = pending.insert_once(PendingKind::Activation, "a", |other| *other == "a").unwrap();
        let again = pending.insert_once(PendingKind::Activation, "a", |other| *other == "a").unwrap();
        let other = pending.insert_once(PendingKind::Activation, "b", |other| *other == "b").unwrap();
        assert!(first == again && first != other);
        assert_eq!(pending.all(|handle, operation| (handle == other).then_some(*operation)), ["b"]);
        pending.update(&first, |operation| *operation = "c").unwrap();
        assert_eq!(
            (pending.take_first(|operation| *operation == "a"), pending.take_first(|_| true).is_some()),
            (None, true)
        );
        assert_eq!(pending.count(), 1);
    }

    #[test]
    fn reads_do_not_take_the_room_of_activations() {
        let pending = Pending::default();
        for _ in 0..READS_MAX {
            pending.insert(PendingKind::Read, ()).unwrap();
        }
        assert_eq!(pending.insert(PendingKind::Read, ()), Err(PendingError::Full));
        assert!(pending.insert(PendingKind::Activation, ()).is_ok());
    }
}
