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
/// The most activations that wait. Each caller has a quarter of them, and the callers that are not the user have three
/// quarters together.
const ACTIVATIONS_MAX: usize = 256;
/// The most reads that wait, with the same shares. They have a limit of their own, so that a client that only reads cannot
/// keep activations from being asked about.
const READS_MAX: usize = 64;

/// An operation that can go on although files, settings or rules changed while its question was open.
pub trait Rebase: Resumable {
    /// Moves the operation to another snapshot. Everything is decided again there; an answer of the user holds only where
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

impl PendingKind {
    fn max(self) -> usize {
        match self {
            PendingKind::Activation => ACTIVATIONS_MAX,
            PendingKind::Read => READS_MAX,
        }
    }
}

/// An operation that can wait: which request it belongs to, and who made that.
pub trait Waits {
    /// Tells whether both belong to the same request of the same caller.
    fn is_same(&self, other: &Self) -> bool;
    /// Tells whether both have the same caller, and so one share: that may be wider than whose request it is.
    fn has_caller_of(&self, other: &Self) -> bool;
    /// Tells whether the caller is the user, for whom there is always room.
    fn is_of_user(&self) -> bool;
}

/// Why an operation cannot wait, or does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PendingError {
    /// Too many of this caller wait already. After this time one of them waits no more, whatever the user does.
    #[error("too many questions of this caller wait for an answer")]
    ShareFull(Duration),
    /// Too many of all callers together wait already, and this one has as many as the others. After this time one of them
    /// waits no more, whatever the user does.
    #[error("too many questions of all callers wait for an answer")]
    Full(Duration),
    /// It would hold too much while it waits.
    #[error("a request that waits for an answer can have 64 KiB")]
    TooLarge,
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
            PendingError::ShareFull(_) | PendingError::Full(_) => unavailable("busy")
                .with_help("the user answers on the server's page; each question waits for ten minutes"),
            PendingError::TooLarge => Error::other(ErrorKind::TooLarge, "too-large", error.to_string())
                .with_help("send less, or allow the skill with a permission rule"),
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

impl<T: Waits> Pending<T> {
    /// Keeps an operation unless the same waits already, and returns the handle of the one that waits.
    pub fn insert(&self, kind: PendingKind, operation: T) -> Result<String, PendingError> {
        let handle = random_name().ok_or(PendingError::NoRandomness)?;
        let mut waiting = self.lock();
        let now = Instant::now();
        waiting.retain(|_, other| other.until > now);
        if let Some((handle, _)) = waiting.iter().find(|(_, other)| operation.is_same(&other.operation)) {
            return Ok(handle.clone());
        }
        make_room(&mut waiting, kind, &operation, now)?;
        waiting.insert(handle.clone(), Waiting { kind, until: now + ANSWER_TIME, operation });
        Ok(handle)
    }
}

/// Makes sure that there is room for one more operation. Nobody has more than a share; where several callers have taken the
/// whole, the one with the most gives its newest to a caller that has fewer.
fn make_room<T: Waits>(
    waiting: &mut HashMap<String, Waiting<T>>,
    kind: PendingKind,
    operation: &T,
    now: Instant,
) -> Result<(), PendingError> {
    let share = kind.max() / 4;
    let alike = || waiting.iter().filter(|(_, other)| other.kind == kind);
    let of = |caller: &T| alike().filter(|(_, other)| other.operation.has_caller_of(caller)).count();
    let others = || alike().filter(|(_, other)| !other.operation.is_of_user());
    let own = of(operation);
    let time_until = |first: Option<Instant>| first.map_or(ANSWER_TIME, |first| first.saturating_duration_since(now));
    if own >= share {
        let own = alike().filter(|(_, other)| other.operation.has_caller_of(operation));
        return Err(PendingError::ShareFull(time_until(own.map(|(_, other)| other.until).min())));
    }
    if operation.is_of_user() || others().count() < 3 * share {
        return Ok(());
    }
    let most = others().map(|(handle, other)| (of(&other.operation), other.until, handle)).max();
    match most {
        Some((most, _, handle)) if most > own + 1 => {
            let handle = handle.clone();
            waiting.remove(&handle);
            Ok(())
        }
        _ => Err(PendingError::Full(time_until(others().map(|(_, other)| other.until).min()))),
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

    /// A request by its number, and its caller; `user` is the user.
    #[derive(Clone, Debug, PartialEq)]
    struct Request(&'static str, usize);

    impl Waits for Request {
        fn is_same(&self, other: &Request) -> bool {
            self == other
        }

        fn has_caller_of(&self, other: &Request) -> bool {
            self.0 == other.0
        }

        fn is_of_user(&self) -> bool {
            self.0 == "user"
        }
    }

    fn ask(pending: &Pending<Request>, caller: &'static str, number: usize) -> Result<String, PendingError> {
        pending.insert(PendingKind::Activation, Request(caller, number))
    }

    #[test]
    fn an_operation_is_taken_once_and_only_by_a_request_that_fits() {
        let pending = Pending::default();
        let handle = ask(&pending, "a", 1).unwrap();
        assert_eq!(pending.take_if(&handle, |operation| operation.1 == 2), Err(PendingError::Unknown));
        assert_eq!(pending.take(&handle), Ok(Request("a", 1)));
        assert_eq!(pending.take(&handle), Err(PendingError::Unknown));
    }

    #[test]
    fn the_same_operation_waits_once() {
        let pending = Pending::default();
        let [first, again, other] = [1, 1, 2].map(|number| ask(&pending, "a", number).unwrap());
        assert!(first == again && first != other);
        assert_eq!(pending.all(|handle, operation| (handle == other).then_some(operation.1)), [2]);
        pending.update(&first, |operation| operation.1 = 3).unwrap();
        let taken = (pending.take_first(|operation| operation.1 == 1), pending.take_first(|_| true).is_some());
        assert_eq!(taken, (None, true));
        assert_eq!(pending.count(), 1);
    }

    #[test]
    fn reads_do_not_take_the_room_of_activations() {
        let pending = Pending::default();
        let read = |number| pending.insert(PendingKind::Read, Request("a", number));
        (0..READS_MAX / 4).for_each(|number| drop(read(number).unwrap()));
        assert!(matches!(read(READS_MAX), Err(PendingError::ShareFull(_))));
        assert!(ask(&pending, "a", 0).is_ok());
    }

    #[test]
    fn a_caller_has_a_share_and_is_told_when_there_is_room_again() {
        let pending = Pending::default();
        let share = ACTIVATIONS_MAX / 4;
        (0..share).for_each(|number| drop(ask(&pending, "a", number).unwrap()));
        let Err(PendingError::ShareFull(time)) = ask(&pending, "a", share) else { panic!("there is room for more") };
        assert!(time <= ANSWER_TIME && time > ANSWER_TIME / 2, "{time:?}");
        assert!(ask(&pending, "a", 0).is_ok(), "the same one waits already");
        assert!(ask(&pending, "b", 0).is_ok() && ask(&pending, "user", 0).is_ok());
    }

    #[test]
    fn several_callers_cannot_take_all_and_the_user_always_has_room() {
        let pending = Pending::default();
        let share = ACTIVATIONS_MAX / 4;
        for caller in ["a", "b", "c"] {
            (0..share).for_each(|number| drop(ask(&pending, caller, number).unwrap()));
        }
        (0..share).for_each(|number| drop(ask(&pending, "user", number).unwrap()));
        assert!(matches!(ask(&pending, "user", share), Err(PendingError::ShareFull(_))));
        let count = |caller| pending.all(|_, operation| (operation.0 == caller).then_some(())).len();
        (0..share / 2).for_each(|number| drop(ask(&pending, "d", number).unwrap()));
        assert_eq!([count("a"), count("b"), count("c"), count("d")].iter().sum::<usize>(), 3 * share);
        assert_eq!((count("d"), count("user")), (share / 2, share));
        assert!([count("a"), count("b"), count("c")].iter().all(|count| *count > share / 2));
    }

    #[test]
    fn a_caller_that_has_as_many_as_all_others_is_told_that_the_whole_is_full() {
        let pending = Pending::default();
        let callers = (0..3 * ACTIVATIONS_MAX / 4).map(|number| &*number.to_string().leak());
        callers.for_each(|caller| drop(ask(&pending, caller, 0).unwrap()));
        let Err(error @ PendingError::Full(time)) = ask(&pending, "new", 0) else { panic!("there is room for more") };
        assert!(time <= ANSWER_TIME && error.to_string().contains("of all callers"), "{error}");
        assert!(ask(&pending, "user", 0).is_ok());
    }
}
