//! Answers that depend on nothing but a state, a call, and the files of one skill, kept for as long as these are the same.
//!
//! Whether the files are is looked at each time, by the stamps of all of them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use axum::body::Bytes;
use openoxide_live::State;
use openoxide_runtime::{Call, Given};
use openoxide_skills::{Caller, FolderStamps};

use crate::answer::Peer;

/// How many answers are kept.
const ANSWERS: usize = 256;
/// How many bytes they have together.
const BYTES: usize = 16 * 1024 * 1024;

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Asked {
    skill: String,
    caller: Caller,
    said: Option<String>,
    peer: Peer,
}

/// An answer that can be sent again.
pub(crate) struct Answer {
    pub(crate) bytes: Bytes,
    /// The skill, for the audit log.
    pub(crate) name: String,
    pub(crate) digest: String,
    state: Weak<State>,
    stamps: FolderStamps,
}

/// Answers that can be sent again.
#[derive(Default)]
pub(crate) struct Still {
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    answers: HashMap<Asked, Arc<Answer>>,
    bytes: usize,
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

impl Still {
    /// Returns an answer that is still right.
    pub(crate) fn get(&self, state: &Arc<State>, asked: &Asked) -> Option<Arc<Answer>> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = Arc::clone(held.answers.get(asked)?);
        drop(held);
        let is_of_state = std::ptr::eq(answer.state.as_ptr(), Arc::as_ptr(state));
        (is_of_state && answer.stamps.still_hold()).then_some(answer)
    }

    /// Keeps an answer, if nothing has changed since the stamps were taken.
    pub(crate) fn keep(
        &self,
        state: &Arc<State>,
        asked: Asked,
        stamps: FolderStamps,
        bytes: Bytes,
        name: String,
        digest: String,
    ) {
        if bytes.len() > BYTES / 8 || !stamps.still_hold() {
            return;
        }
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if held.answers.len() >= ANSWERS || held.bytes + bytes.len() > BYTES {
            *held = Held::default();
        }
        held.bytes += bytes.len();
        let answer = Answer { bytes, name, digest, state: Arc::downgrade(state), stamps };
        if let Some(old) = held.answers.insert(asked, Arc::new(answer)) {
            held.bytes -= old.bytes.len();
        }
    }
}
