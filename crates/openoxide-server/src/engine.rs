//! The engine that every face of the server uses: live catalogs, pools of threads, and the sandbox.

use std::{ops::Deref, sync::Arc, time::Duration};

use openoxide_app::live::{Change, Live, LiveOptions, Pin, Subscription};
use openoxide_app::{CommandRunner, Environment, Error, McpServers, Pending, Place, Snapshot, to_programs};
use tokio::sync::broadcast;

use crate::observe::audit::{AuditEvent, AuditLog};
use crate::observe::timestamp;
use crate::{Action, Actor, BlockingPool, Decision, Face, Metrics, PendingOperation, Shutdown, Unavailable};

/// How long writing the rest of the audit log may take at the end.
const FLUSH: Duration = Duration::from_secs(2);
/// How many commands of skills run at once, and how many may wait.
const COMMANDS: (usize, usize) = (4, 32);
/// How many changes a subscriber may be behind.
const BEHIND: usize = 64;

/// Options of the engine.
#[derive(Clone)]
pub struct EngineOptions {
    /// How many pieces of work run at once, and how many may wait.
    pub work: (usize, usize),
    /// Is called once, with the reason, if folders have to be polled because they cannot be watched.
    pub tell: Option<Tell>,
}

/// Tells a person something.
pub type Tell = Arc<dyn Fn(&str) + Send + Sync>;

impl Default for EngineOptions {
    fn default() -> EngineOptions {
        EngineOptions { work: (16, 512), tell: None }
    }
}

/// The engine that every face of the server uses. It is a handle to its [`EngineParts`], and cheap to clone.
#[derive(Clone)]
pub struct Engine {
    parts: Arc<EngineParts>,
    /// The client that this clone acts for, as the audit log names it.
    actor: Arc<Actor>,
    /// Whether that client is a program, which sees what the model may see.
    is_for_program: bool,
}

/// The present snapshot of a place, or why there is none.
pub(crate) type Present = Result<Result<Arc<Snapshot>, Error>, Unavailable>;

/// What all clones of an engine share.
pub struct EngineParts {
    /// The place that is served to clients that name no other.
    pub(crate) here: Place,
    pub(crate) live: Live,
    work: BlockingPool,
    /// The same for clients that are programs: the user does not wait for them.
    work_for_programs: BlockingPool,
    /// The threads for commands of skills.
    pub(crate) commands: BlockingPool,
    changes: broadcast::Sender<Arc<Change>>,
    pub(crate) runner: CommandRunner,
    pub(crate) pending: Pending<PendingOperation>,
    pub(crate) audit: AuditLog,
    metrics: Arc<Metrics>,
    stopping: Shutdown,
    /// The clients of MCP servers.
    pub(crate) servers: McpServers,
    _subscription: Subscription,
    _pin: Pin,
}

impl Deref for Engine {
    type Target = EngineParts;

    fn deref(&self) -> &EngineParts {
        &self.parts
    }
}

impl Engine {
    /// Serves `here` to clients that name no other place.
    pub fn new(environment: Environment, here: Place, options: EngineOptions) -> Engine {
        let audit = environment.openoxide_home().map_or_else(AuditLog::off, |home| AuditLog::below(&home));
        let live = Live::new(environment, LiveOptions::default());
        if let Some(tell) = options.tell {
            live.on_polling(move |why| tell(why));
        }
        // Most requests are about this place, and every MCP client listens to it, so it is never given up.
        let pin = live.pin(&here);
        let (changes, _) = broadcast::channel(BEHIND);
        let sender = changes.clone();
        // Nobody may be listening.
        let subscription = live.subscribe(move |change| drop(sender.send(Arc::new(change.clone()))));
        Engine {
            actor: Arc::new(Actor::of(Face::Unknown)),
            is_for_program: false,
            parts: Arc::new(EngineParts {
                here,
                live,
                work: BlockingPool::new(options.work.0, options.work.1),
                work_for_programs: BlockingPool::new(options.work.0, options.work.1),
                commands: BlockingPool::new(COMMANDS.0, COMMANDS.1),
                changes,
                runner: CommandRunner::default(),
                pending: Pending::default(),
                audit,
                metrics: Arc::default(),
                stopping: Shutdown::default(),
                servers: McpServers::default(),
                _subscription: subscription,
                _pin: pin,
            }),
        }
    }

    /// Returns the same engine, which acts for this client in the audit log.
    #[must_use]
    pub(crate) fn asked_by(&self, actor: Actor) -> Engine {
        Engine { actor: Arc::new(actor), ..self.clone() }
    }

    /// Returns the same engine, for programs that are not the user: it knows only what the model may see.
    #[must_use]
    pub fn for_programs(self) -> Engine {
        Engine { is_for_program: true, ..self }
    }

    /// Notes in the audit log what was requested of a skill and what came of it. Operations and commands that the engine
    /// drives note themselves.
    pub(crate) fn note(
        &self,
        action: Action,
        skill: &str,
        digest: Option<&str>,
        part: Option<&str>,
        decision: Decision,
    ) {
        let (actor, skill) = ((*self.actor).clone(), skill.to_owned());
        let (digest, part) = (digest.map(str::to_owned), part.map(str::to_owned));
        self.parts.audit.note(AuditEvent { time: timestamp(), actor, action, skill, digest, part, decision });
    }

    /// Returns the threads for work that is short.
    pub fn work(&self) -> &BlockingPool {
        if self.is_for_program { &self.parts.work_for_programs } else { &self.parts.work }
    }

    /// Returns changes from now on. A receiver that is too far behind gets an error, and should look at everything again.
    pub fn changes(&self) -> broadcast::Receiver<Arc<Change>> {
        self.parts.changes.subscribe()
    }

    /// Returns the present snapshot of a place.
    pub(crate) async fn at(&self, place: &Place) -> Present {
        let current = self.parts.live.current(place);
        let ready =
            if self.is_for_program { current.as_ref().and_then(|it| it.narrowed_already()) } else { current.as_ref() };
        if let Some(snapshot) = ready {
            return Ok(Ok(Arc::clone(snapshot)));
        }
        let (live, place, is_for_program) = (self.parts.live.clone(), place.clone(), self.is_for_program);
        let look = move || {
            let snapshot = live.snapshot(&place).map_err(Error::from);
            match is_for_program {
                true => snapshot.and_then(|snapshot| to_programs(&snapshot)).map_err(Error::for_programs),
                false => snapshot,
            }
        };
        self.work().run(look).await
    }

    /// Returns the counters.
    pub fn metrics(&self) -> &Arc<Metrics> {
        &self.parts.metrics
    }

    /// Returns what tells the server to stop.
    pub fn stopping(&self) -> &Shutdown {
        &self.parts.stopping
    }

    /// Ends everything, and writes the rest of the audit log.
    pub fn close(&self) {
        self.parts.stopping.end();
        self.parts.commands.close();
        self.parts.work.close();
        self.parts.work_for_programs.close();
        self.parts.audit.flush(FLUSH);
    }
}
