//! Requests that wait for an answer of the user, where the client asks for them again with it.
//!
//! They are held here. What the client carries is a random name that cannot be guessed, good for one answer to the same
//! request.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use openoxide_runtime::Question;
use rmcp::ErrorData;
use rmcp::model::{ElicitRequest, ElicitRequestParams, InputRequest, InputRequests, InputRequiredResult};
use serde_json::Value;

use super::error::{internal, invalid};
use super::talk::Talk;

/// Most requests that wait; the oldest goes first.
const HELD_MAX: usize = 256;
/// How long they wait.
const PATIENCE: Duration = Duration::from_mins(10);
/// What the question is called in a result.
pub(super) const QUESTION: &str = "answer";

/// The request that something was held for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct MadeFor {
    method: &'static str,
    name: String,
    arguments: Value,
}

impl MadeFor {
    pub(super) fn new(method: &'static str, name: &str, arguments: Value) -> MadeFor {
        MadeFor { method, name: name.to_owned(), arguments }
    }
}

/// What waits for an answer.
pub(super) enum Waiting {
    /// An activation.
    Talk {
        /// The question that was put.
        question: Question,
        /// How it goes on.
        talk: Box<Talk>,
    },
    /// The reading of a file.
    Read {
        /// The question that was put.
        question: Question,
        /// Questions that were answered with yes.
        agreed: Vec<String>,
    },
}

struct Item {
    since: Instant,
    made_for: MadeFor,
    waiting: Waiting,
}

/// Requests that wait for an answer.
#[derive(Default)]
pub(super) struct Held {
    items: Mutex<HashMap<String, Item>>,
}

impl Held {
    /// Holds something, and writes the result that asks.
    pub(super) fn put(
        &self,
        made_for: MadeFor,
        waiting: Waiting,
        form: ElicitRequestParams,
    ) -> Result<InputRequiredResult, ErrorData> {
        let name = random_name().ok_or_else(|| internal("the system gives no random numbers"))?;
        let mut items = self.items.lock().unwrap_or_else(PoisonError::into_inner);
        items.retain(|_, item| item.since.elapsed() < PATIENCE);
        if items.len() >= HELD_MAX
            && let Some(oldest) = items.iter().min_by_key(|(_, item)| item.since).map(|(name, _)| name.clone())
        {
            items.remove(&oldest);
        }
        items.insert(name.clone(), Item { since: Instant::now(), made_for, waiting });
        let asked = InputRequests::from([(QUESTION.to_owned(), InputRequest::Elicitation(ElicitRequest::new(form)))]);
        Ok(InputRequiredResult::new(Some(asked), Some(name)))
    }

    /// Takes what was held under a name, for the same request.
    pub(super) fn take(&self, name: &str, made_for: &MadeFor) -> Result<Waiting, ErrorData> {
        let mut items = self.items.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |item: &Item| item.made_for == *made_for && item.since.elapsed() < PATIENCE;
        if !items.get(name).is_some_and(is_it) {
            return Err(invalid("the request state is not one that waits for this request; call it again without"));
        }
        items.remove(name).map(|item| item.waiting).ok_or_else(|| invalid("the request state is gone"))
    }
}

/// Returns a name that nobody can guess.
pub(super) fn random_name() -> Option<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).ok()?;
    Some(URL_SAFE_NO_PAD.encode(bytes))
}
