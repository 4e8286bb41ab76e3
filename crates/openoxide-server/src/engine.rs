//! What every face of the server stands on: live catalogs, pools of threads, and the sandbox.

use std::sync::{Arc, OnceLock};

use openoxide_config::Environment;
use openoxide_live::{Change, Live, LiveError, LiveOptions, Place, State, Subscription};
use openoxide_sandbox::{Isolation, Probe};
use tokio::sync::broadcast;

use crate::pool::{Pool, Unavailable};

/// How much is done at once.
#[derive(Clone, Debug)]
pub struct EngineOptions {
    /// How catalogs are watched.
    pub live: LiveOptions,
    /// Pieces of work at once, and how many may wait.
    pub work: (usize, usize),
    /// Commands of skills at once, and how many may wait.
    pub commands: (usize, usize),
    /// How many changes a subscriber may be behind.
    pub behind: usize,
}

impl Default for EngineOptions {
    fn default() -> EngineOptions {
        EngineOptions { live: LiveOptions::default(), work: (16, 512), commands: (4, 32), behind: 64 }
    }
}

/// What every face of the server stands on. It is cheap to clone.
#[derive(Clone)]
pub struct Engine {
    inner: Arc<Inner>,
}

struct Inner {
    here: Place,
    live: Live,
    work: Pool,
    commands: Pool,
    changes: broadcast::Sender<Arc<Change>>,
    isolation: OnceLock<Result<Isolation, String>>,
    _subscription: Subscription,
}

impl Engine {
    /// Serves `here` to whoever names no other place.
    pub fn new(environment: Environment, here: Place, options: EngineOptions) -> Engine {
        let live = Live::new(environment, options.live);
        let (changes, _) = broadcast::channel(options.behind.max(1));
        let teller = changes.clone();
        // Nobody may be listening.
        let subscription = live.subscribe(move |change| drop(teller.send(Arc::new(change.clone()))));
        Engine {
            inner: Arc::new(Inner {
                here,
                live,
                work: Pool::new(options.work.0, options.work.1),
                commands: Pool::new(options.commands.0, options.commands.1),
                changes,
                isolation: OnceLock::new(),
                _subscription: subscription,
            }),
        }
    }

    /// Returns the place that is served to whoever names no other.
    pub fn here(&self) -> &Place {
        &self.inner.here
    }

    /// Returns the live catalogs.
    pub fn live(&self) -> &Live {
        &self.inner.live
    }

    /// Returns the threads for work that is short.
    pub fn work(&self) -> &Pool {
        &self.inner.work
    }

    /// Returns the threads for commands of skills.
    pub fn commands(&self) -> &Pool {
        &self.inner.commands
    }

    /// Returns changes from now on. Who is too far behind is told so, and should look at everything again.
    pub fn changes(&self) -> broadcast::Receiver<Arc<Change>> {
        self.inner.changes.subscribe()
    }

    /// Returns what a place is like now.
    pub async fn at(&self, place: &Place) -> Result<Result<Arc<State>, LiveError>, Unavailable> {
        let (live, place) = (self.inner.live.clone(), place.clone());
        self.inner.work.run(move || live.at(&place)).await
    }

    /// Returns what commands are isolated with; the machine is looked at once. This blocks.
    pub(crate) fn isolation(&self) -> Result<&Isolation, &str> {
        let probe = || Probe::new().map(|probe| Isolation::probe(&probe)).map_err(|error| error.to_string());
        self.inner.isolation.get_or_init(probe).as_ref().map_err(String::as_str)
    }
}
