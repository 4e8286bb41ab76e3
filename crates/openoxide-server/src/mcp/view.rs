//! What MCP clients see of one snapshot: tools and addresses, made once for each snapshot.

use std::sync::{Arc, Mutex, PoisonError};

use openoxide_app::mcp_skills::{self, ServedCache, ServedSkills};
use openoxide_app::tools::{self, Toolbox};
use openoxide_app::{Error, Snapshot};
use rmcp::ErrorData;
use tokio::sync::Semaphore;

use super::error::{internal, unavailable};
use super::options::McpOptions;
use crate::engine::Engine;

/// Most questions that clients are asked at once while they wait.
const ASKED_MAX: usize = 256;

/// What all conversations of a server share.
pub(super) struct Shared {
    pub(super) engine: Engine,
    pub(super) options: McpOptions,
    pub(super) cache: ServedCache,
    /// Room for questions that clients are asked while they wait.
    pub(super) asked: Arc<Semaphore>,
    last: Mutex<Option<Arc<McpView>>>,
}

/// What a client sees at one moment.
pub(super) struct McpView {
    pub(super) state: Arc<Snapshot>,
    pub(super) toolbox: Toolbox,
    pub(super) skills: ServedSkills,
}

impl Shared {
    pub(super) fn new(engine: Engine, options: McpOptions) -> Shared {
        let asked = Arc::new(Semaphore::new(ASKED_MAX));
        Shared { engine, options, cache: ServedCache::default(), asked, last: Mutex::default() }
    }

    /// Returns the view of the present snapshot.
    pub(super) async fn view(self: &Arc<Shared>) -> Result<Arc<McpView>, ErrorData> {
        let state = self.engine.at(self.engine.here()).await.map_err(unavailable)?;
        let state = state.map_err(|error| internal(error.to_string()))?;
        if let Some(view) = self.last().as_ref().filter(|view| Arc::ptr_eq(&view.state, &state)) {
            return Ok(Arc::clone(view));
        }
        let shared = Arc::clone(self);
        self.engine.work().run(move || shared.make_view(&state)).await.map_err(unavailable)?
    }

    /// Does work on the present view, on a thread for work.
    pub(super) async fn work<T: Send + 'static>(
        self: &Arc<Shared>,
        work: impl FnOnce(&Shared, &McpView) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        let view = self.view().await?;
        let shared = Arc::clone(self);
        self.engine.work().run(move || work(&shared, &view)).await.map_err(unavailable)
    }

    fn make_view(&self, snapshot: &Arc<Snapshot>) -> Result<Arc<McpView>, ErrorData> {
        let names = self.options.names;
        let failed = |error: Error| internal(error.to_string());
        let toolbox = tools::tools(snapshot, &self.options.taken, |name| names.spell(name)).map_err(failed)?;
        let skills = mcp_skills::served(snapshot, &self.cache).map_err(failed)?;
        let view = Arc::new(McpView { state: Arc::clone(snapshot), toolbox, skills });
        *self.last() = Some(Arc::clone(&view));
        Ok(view)
    }

    fn last(&self) -> std::sync::MutexGuard<'_, Option<Arc<McpView>>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
