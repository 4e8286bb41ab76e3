//! What every face of the server stands on: live catalogs, pools of threads, and the sandbox.

use std::sync::Arc;
use std::time::Duration;

use openoxide_app::live::{Change, Live, LiveOptions, Pin, Subscription};
use openoxide_app::{CommandRunner, Environment, Error, Isolation, McpServers, Pending, Place, Snapshot};
use tokio::sync::broadcast;

use crate::blocking_pool::{BlockingPool, Unavailable};
use crate::observe::audit::{Action, Actor, AuditEvent, AuditLog, Decision, Face};
use crate::observe::metrics::Metrics;
use crate::pending_operation::PendingOperation;
use crate::shutdown::Shutdown;

/// How long writing what is still to be written may take.
const FLUSH: Duration = Duration::from_secs(2);

/// How much is done at once.
#[derive(Clone)]
pub struct EngineOptions {
    /// How catalogs are watched.
    pub live: LiveOptions,
    /// Pieces of work at once, and how many may wait.
    pub work: (usize, usize),
    /// Commands of skills at once, and how many may wait.
    pub commands: (usize, usize),
    /// How many changes a subscriber may be behind.
    pub behind: usize,
    /// Is told, once, why folders are looked at again and again instead of being watched.
    pub tell: Option<Tell>,
}

/// Tells a person something.
pub type Tell = Arc<dyn Fn(&str) + Send + Sync>;

impl Default for EngineOptions {
    fn default() -> EngineOptions {
        EngineOptions { live: LiveOptions::default(), work: (16, 512), commands: (4, 32), behind: 64, tell: None }
    }
}

/// What every face of the server stands on. It is cheap to clone.
#[derive(Clone)]
pub struct Engine {
    inner: Arc<Inner>,
    /// Who asks, for the audit log.
    actor: Option<Arc<Actor>>,
}

struct Inner {
    here: Place,
    live: Live,
    work: BlockingPool,
    commands: BlockingPool,
    changes: broadcast::Sender<Arc<Change>>,
    runner: CommandRunner,
    pending: Pending<PendingOperation>,
    audit: AuditLog,
    metrics: Arc<Metrics>,
    stopping: Shutdown,
    servers: McpServers,
    _subscription: Subscription,
    _pin: Pin,
}

impl Engine {
    /// Serves `here` to whoever names no other place.
    pub fn new(environment: Environment, here: Place, options: EngineOptions) -> Engine {
        let audit = environment.openoxide_home().map_or_else(AuditLog::off, |home| AuditLog::below(&home));
        let live = Live::new(environment, options.live);
        if let Some(tell) = options.tell {
            live.on_polling(move |why| tell(why));
        }
        // Whoever names no place is never without one, and every client of MCP listens to it.
        let pin = live.pin(&here);
        let (changes, _) = broadcast::channel(options.behind.max(1));
        let teller = changes.clone();
        // Nobody may be listening.
        let subscription = live.subscribe(move |change| drop(teller.send(Arc::new(change.clone()))));
        Engine {
            actor: None,
            inner: Arc::new(Inner {
                here,
                live,
                work: BlockingPool::new(options.work.0, options.work.1),
                commands: BlockingPool::new(options.commands.0, options.commands.1),
                changes,
                runner: CommandRunner::default(),
                pending: Pending::default(),
                audit,
                metrics: Arc::default(),
                stopping: Shutdown::new(),
                servers: McpServers::default(),
                _subscription: subscription,
                _pin: pin,
            }),
        }
    }

    /// Returns the same engine, which notes what is done with it under somebody's name.
    #[must_use]
    pub(crate) fn asked_by(&self, actor: Actor) -> Engine {
        Engine { inner: Arc::clone(&self.inner), actor: Some(Arc::new(actor)) }
    }

    /// Notes in the audit log what was wanted of a skill and what came of it. Activations and commands are noted by
    /// themselves.
    pub fn note(&self, action: Action, skill: &str, digest: Option<&str>, part: Option<&str>, decision: Decision) {
        let actor = self.actor();
        let (skill, digest, part) = (Some(skill.to_owned()), digest.map(str::to_owned), part.map(str::to_owned));
        self.inner.audit.note(AuditEvent { actor, action, skill, digest, part, decision });
    }

    pub(crate) fn actor(&self) -> Actor {
        self.actor.as_deref().cloned().unwrap_or_else(|| Actor::of(Face::Unknown))
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
    pub fn work(&self) -> &BlockingPool {
        &self.inner.work
    }

    /// Returns the threads for commands of skills.
    pub fn commands(&self) -> &BlockingPool {
        &self.inner.commands
    }

    /// Returns changes from now on. Who is too far behind is told so, and should look at everything again.
    pub fn changes(&self) -> broadcast::Receiver<Arc<Change>> {
        self.inner.changes.subscribe()
    }

    /// Returns what a place is like now.
    pub async fn at(&self, place: &Place) -> Result<Result<Arc<Snapshot>, Error>, Unavailable> {
        if let Some(state) = self.inner.live.cached(place) {
            return Ok(Ok(state));
        }
        let (live, place) = (self.inner.live.clone(), place.clone());
        self.inner.work.run(move || Ok(live.snapshot(&place)?)).await
    }

    /// Returns the log of what is done with skills.
    pub fn audit(&self) -> &AuditLog {
        &self.inner.audit
    }

    /// Returns the counters.
    pub fn metrics(&self) -> &Arc<Metrics> {
        &self.inner.metrics
    }

    /// Returns the clients of MCP servers.
    pub(crate) fn servers(&self) -> &McpServers {
        &self.inner.servers
    }

    /// Returns what tells the server to end.
    pub fn stopping(&self) -> &Shutdown {
        &self.inner.stopping
    }

    /// Ends all commands of skills, and starts no more.
    pub(crate) fn stop_commands(&self) {
        self.inner.stopping.ask();
        self.inner.commands.close();
    }

    /// Does nothing more, and writes what is still to be written.
    pub fn close(&self) {
        self.inner.stopping.end();
        self.inner.commands.close();
        self.inner.work.close();
        self.inner.audit.flush(FLUSH);
    }

    /// Returns the sandbox.
    pub(crate) fn runner(&self) -> &CommandRunner {
        &self.inner.runner
    }

    /// Returns the operations that wait for the user's answer.
    pub(crate) fn pending(&self) -> &Pending<PendingOperation> {
        &self.inner.pending
    }

    /// Returns what commands are isolated with. The first call blocks.
    pub(crate) fn isolation(&self) -> Result<&Isolation, &str> {
        self.inner.runner.isolation()
    }
}
