//! What a client sees at one moment: the tools and addresses of a state of the catalog, made once for each.

use std::sync::{Arc, Mutex, PoisonError};

use openoxide_live::Snapshot;
use openoxide_runtime::{Runtime, ToolRegistry, Toolbox};
use openoxide_skills::catalog::{Catalog, Entry};
use openoxide_skills::render::Model;
use rmcp::ErrorData;
use tokio::sync::Semaphore;

use super::McpOptions;
use super::address::Addresses;
use super::elicit::ASKED_MAX;
use super::error::{internal, unavailable};
use super::served::Memory;
use crate::engine::Engine;

/// What all conversations of a server share.
pub(super) struct Shared {
    pub(super) engine: Engine,
    pub(super) options: McpOptions,
    pub(super) memory: Memory,
    /// Room for questions that clients are asked while they wait.
    pub(super) asked: Arc<Semaphore>,
    last: Mutex<Option<Arc<Seen>>>,
}

/// What a client sees at one moment.
pub(super) struct Seen {
    pub(super) state: Arc<Snapshot>,
    pub(super) toolbox: Toolbox,
    pub(super) addresses: Addresses,
}

impl Seen {
    pub(super) fn runtime(&self) -> &Arc<Runtime> {
        self.toolbox.runtime()
    }

    pub(super) fn catalog(&self) -> &Catalog {
        self.runtime().catalog()
    }

    /// Returns a skill by its place in the catalog.
    pub(super) fn entry(&self, at: usize) -> Option<&Entry> {
        self.catalog().skills.get(at)
    }
}

impl Shared {
    pub(super) fn new(engine: Engine, options: McpOptions) -> Shared {
        let asked = Arc::new(Semaphore::new(ASKED_MAX));
        Shared { engine, options, memory: Memory::default(), asked, last: Mutex::default() }
    }

    /// Returns what is seen now.
    pub(super) async fn seen(self: &Arc<Shared>) -> Result<Arc<Seen>, ErrorData> {
        let state = self.engine.at(self.engine.here()).await.map_err(unavailable)?;
        let state = state.map_err(|error| internal(error.to_string()))?;
        if let Some(seen) = self.last().as_ref().filter(|seen| Arc::ptr_eq(&seen.state, &state)) {
            return Ok(Arc::clone(seen));
        }
        let shared = Arc::clone(self);
        self.engine.work().run(move || shared.look(&state)).await.map_err(unavailable)?
    }

    /// Does work on what is seen now, on a thread for work.
    pub(super) async fn work<T: Send + 'static>(
        self: &Arc<Shared>,
        work: impl FnOnce(&Shared, &Seen) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        let seen = self.seen().await?;
        let shared = Arc::clone(self);
        self.engine.work().run(move || work(&shared, &seen)).await.map_err(unavailable)
    }

    fn look(&self, state: &Arc<Snapshot>) -> Result<Arc<Seen>, ErrorData> {
        // Nothing is decided by guessing what a rule was meant to say.
        let runtime = state.runtime().map_err(|error| internal(error.to_string()))?;
        let mut registry = ToolRegistry::default();
        let names = self.options.names;
        for taken in &self.options.taken {
            // Somebody may say the same twice.
            drop(registry.take(&names.spell(taken), "the client"));
        }
        let toolbox = Toolbox::spelled(Arc::clone(runtime), &mut registry, Model::default(), |name| names.spell(name))
            .map_err(|error| internal(error.to_string()))?;
        let addresses = Addresses::new(runtime.catalog());
        self.memory.keep(runtime.catalog());
        let seen = Arc::new(Seen { state: Arc::clone(state), toolbox, addresses });
        *self.last() = Some(Arc::clone(&seen));
        Ok(seen)
    }

    fn last(&self) -> std::sync::MutexGuard<'_, Option<Arc<Seen>>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
