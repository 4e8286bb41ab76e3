//! Answers that depend on nothing but a state, a call, and the files of one skill, kept for as long as these are the same.
//!
//! Whether the files are is looked at each time, by the stamps of all of them. A program that changes a file in memory is
//! told of late, or never, so no answer is sent again for longer than a second.

use std::collections::HashMap;
use std::hash::Hash;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use openoxide_live::Snapshot;
use openoxide_runtime::{Call, Given};
use openoxide_skills::{Caller, FolderStamps};

use crate::answer::Peer;

/// How many answers are kept.
const ANSWERS: usize = 256;
/// How many bytes they have together.
const BYTES: usize = 16 * 1024 * 1024;
/// How long an answer is sent again: a change in memory that a program shares with a file is told late, or never.
const LONGEST: Duration = Duration::from_secs(1);

/// An activation that is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Asked {
    skill: String,
    caller: Caller,
    said: Option<String>,
    peer: Peer,
}

/// An activation that can be sent again.
pub(crate) struct Activation {
    pub(crate) bytes: Bytes,
    /// The skill, for the audit log.
    pub(crate) name: String,
    pub(crate) digest: String,
}

/// Answers of one kind that can be sent again, by what is asked for.
pub(crate) struct Still<K, A> {
    held: Mutex<Held<K, A>>,
}

struct Held<K, A> {
    answers: HashMap<K, Kept<A>>,
    bytes: usize,
}

struct Kept<A> {
    answer: Arc<A>,
    bytes: usize,
    state: Weak<Snapshot>,
    stamps: Arc<FolderStamps>,
    since: Instant,
}

impl<K, A> Default for Held<K, A> {
    fn default() -> Held<K, A> {
        Held { answers: HashMap::new(), bytes: 0 }
    }
}

impl<K, A> Default for Still<K, A> {
    fn default() -> Still<K, A> {
        Still { held: Mutex::default() }
    }
}

impl Asked {
    /// Returns what is asked for, if an answer to it may be kept at all.
    pub(crate) fn of(call: &Call, peer: Peer) -> Option<Asked> {
        let said = match &call.arguments {
            Given::Nothing => None,
            Given::Raw(said) if said.len() <= 256 => Some(said.clone()),
            Given::Raw(_) | Given::Words(_) => return None,
        };
        Some(Asked { skill: call.skill.clone(), caller: call.caller, said, peer })
    }
}

impl<K: Eq + Hash, A> Still<K, A> {
    /// Returns an answer that is still right.
    pub(crate) fn get(&self, state: &Arc<Snapshot>, asked: &K) -> Option<Arc<A>> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = held.answers.get(asked)?;
        let is_of_state = std::ptr::eq(kept.state.as_ptr(), Arc::as_ptr(state));
        if !is_of_state || kept.since.elapsed() > LONGEST {
            return None;
        }
        let (answer, stamps) = (Arc::clone(&kept.answer), Arc::clone(&kept.stamps));
        drop(held);
        stamps.still_hold().then_some(answer)
    }

    /// Keeps an answer of so many bytes, if nothing has changed since the stamps were taken.
    pub(crate) fn keep(&self, state: &Arc<Snapshot>, asked: K, stamps: FolderStamps, bytes: usize, answer: A) {
        let since = Instant::now();
        if bytes > BYTES / 8 || !stamps.still_hold() {
            return;
        }
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if held.answers.len() >= ANSWERS || held.bytes + bytes > BYTES {
            *held = Held::default();
        }
        held.bytes += bytes;
        let (answer, stamps) = (Arc::new(answer), Arc::new(stamps));
        let kept = Kept { answer, bytes, state: Arc::downgrade(state), stamps, since };
        if let Some(old) = held.answers.insert(asked, kept) {
            held.bytes -= old.bytes;
        }
    }
}

/// Returns the file with what the user trusts, which every answer depends on.
pub(crate) fn trust_file(state: &Snapshot) -> Option<PathBuf> {
    state.workspace.environment.openoxide_home().map(|home| home.join("state").join("trust.toml"))
}
