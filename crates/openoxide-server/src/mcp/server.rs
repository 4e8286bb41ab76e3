//! The state of the MCP server, its conversations, and what clients see of one snapshot.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use openoxide_app::client_list::ClientList;
use openoxide_app::mcp_skills::{self, ServedCache, ServedSkills};
use openoxide_app::tools::{self, Toolbox};
use openoxide_app::{Session, Snapshot, list};
use tokio::sync::Semaphore;

use super::read_room::ReadRoom;
use super::{Result, failed, unavailable};
use crate::{Conversation, Engine};

/// Most questions that clients are asked at once while they wait.
const ASKED_MAX: usize = 256;

/// How the server shows itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct McpOptions {
    /// Names of tools that the client has already.
    pub taken: Vec<String>,
    /// How names of tools are spelled.
    pub names: ToolNames,
}

/// How names of tools are spelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToolNames {
    /// With letters, digits, `_` and `-` only: many programs that talk to models take nothing else.
    #[default]
    Plain,
    /// As the host writes them, dots included.
    Dotted,
}

impl ToolNames {
    pub(super) fn spell(self, name: &str) -> String {
        match self {
            ToolNames::Dotted => name.to_owned(),
            ToolNames::Plain => {
                let plain = |sign: char| if sign.is_ascii_alphanumeric() || "_-".contains(sign) { sign } else { '_' };
                name.chars().map(plain).collect()
            }
        }
    }
}

/// One conversation with a client.
#[derive(Clone)]
pub(crate) struct McpServer {
    pub(super) state: Arc<McpState>,
    pub(super) session: Conversation,
    /// Whether the client started this process: then it speaks for the user, and all requests are of one conversation.
    pub(super) is_started_by_client: bool,
    /// Whether the client is notified of changes already.
    pub(super) is_notified: Arc<AtomicBool>,
}

impl McpServer {
    pub(super) fn new(state: Arc<McpState>, is_started_by_client: bool) -> McpServer {
        let session = Session::new(openoxide_app::random_name().unwrap_or_default());
        let session = Arc::new(tokio::sync::Mutex::new(session));
        McpServer { state, session, is_started_by_client, is_notified: Arc::default() }
    }
}

/// The state that all conversations of a server share.
pub(super) struct McpState {
    pub(super) engine: Engine,
    pub(super) options: McpOptions,
    pub(super) cache: ServedCache,
    /// Room for questions that clients are asked while they wait.
    pub(super) asked: Semaphore,
    /// What is left of the bytes that are read at once.
    pub(super) reads: ReadRoom,
    last: Mutex<Option<Arc<McpView>>>,
}

/// What a client sees at one moment.
pub(super) struct McpView {
    pub(super) snapshot: Arc<Snapshot>,
    pub(super) toolbox: Toolbox,
    pub(super) skills: ServedSkills,
    /// The list of skills for a client without limits.
    pub(super) list: ClientList,
}

impl McpView {
    /// Tells whether the host reads its skills only when it starts: then no list changes by itself.
    pub(super) fn is_fixed(&self) -> bool {
        list::is_fixed(&self.snapshot.view)
    }
}

impl McpState {
    pub(super) fn new(engine: Engine, options: McpOptions) -> McpState {
        let (asked, reads) = (Semaphore::new(ASKED_MAX), ReadRoom::default());
        McpState { engine, options, cache: ServedCache::default(), asked, reads, last: Mutex::default() }
    }

    /// Returns the view of the present snapshot.
    pub(super) async fn view(self: &Arc<McpState>) -> Result<Arc<McpView>> {
        let snapshot = self.engine.at(&self.engine.here).await.map_err(unavailable)?;
        let snapshot = snapshot.map_err(failed)?;
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(view) = last.filter(|view| Arc::ptr_eq(&view.snapshot, &snapshot)) {
            return Ok(view);
        }
        let state = Arc::clone(self);
        self.engine.work().run(move || state.make_view(&snapshot)).await.map_err(unavailable)?
    }

    /// Does work that blocks on the present view.
    pub(super) async fn work<T: Send + 'static>(
        self: &Arc<McpState>,
        work: impl FnOnce(&McpState, &McpView) -> T + Send + 'static,
    ) -> Result<T> {
        let view = self.view().await?;
        let state = Arc::clone(self);
        self.engine.work().run(move || work(&state, &view)).await.map_err(unavailable)
    }

    fn make_view(&self, snapshot: &Arc<Snapshot>) -> Result<Arc<McpView>> {
        let names = self.options.names;
        let toolbox = tools::tools(snapshot, &self.options.taken, |name| names.spell(name));
        let toolbox = toolbox.map_err(failed)?;
        let skills = mcp_skills::served(snapshot, &self.cache).map_err(failed)?;
        let mut view = McpView { snapshot: Arc::clone(snapshot), toolbox, skills, list: ClientList::default() };
        view.list = view.draw_list(None).map_err(failed)?;
        let view = Arc::new(view);
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&view));
        Ok(view)
    }
}
