//! A call on its way: of a skill in a folder, or of one that an MCP server of the settings offers.

use std::sync::{Arc, PoisonError};

use openoxide_config::ConfiguredServer;
use openoxide_live::Snapshot;
use openoxide_mcp_client::{Remote, RemoteActivation, RemoteError, RemoteListing, RemoteName, RemoteOptions};
use openoxide_runtime::{Activation, Call, Question, Refusal, Runtime, Session};
use openoxide_skills::host::Caller;
use tokio::sync::Mutex;

use crate::engine::Engine;

/// A call on its way.
pub enum Calling {
    /// Of skills in folders.
    Local(Box<Activation>),
    /// Of a skill that a server offers.
    Remote(Box<RemoteActivation>),
}

impl From<Activation> for Calling {
    fn from(activation: Activation) -> Calling {
        Calling::Local(Box::new(activation))
    }
}

/// The servers of the settings that were looked at last, so that connections and lists outlive a change of anything else.
#[derive(Default)]
pub(crate) struct Servers {
    last: std::sync::Mutex<Option<(Vec<ConfiguredServer>, Remote)>>,
}

impl Servers {
    fn of(&self, state: &Snapshot) -> Option<Remote> {
        let wanted = state.workspace.config.mcp_servers();
        if !wanted.iter().any(|one| one.server.enabled) {
            return None;
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, remote)) = last.as_ref().filter(|(servers, _)| *servers == wanted) {
            return Some(remote.clone());
        }
        let environment = state.workspace.environment.clone();
        let remote = Remote::new(wanted.clone(), RemoteOptions { environment, ..RemoteOptions::default() });
        *last = Some((wanted, remote.clone()));
        Some(remote)
    }
}

impl Engine {
    /// Returns the servers that a place's settings name; nothing is started or reached yet.
    pub fn remote(&self, state: &Snapshot) -> Option<Remote> {
        self.servers().of(state)
    }

    /// Asks the servers of a place what they offer.
    pub(crate) async fn remote_list(&self, state: &Snapshot) -> RemoteListing {
        match self.remote(state) {
            Some(remote) => remote.list().await,
            None => RemoteListing::default(),
        }
    }

    /// Begins a call. A name of the form `mcp:SERVER/NAME` means a server's skill, and no other does.
    pub fn begin(&self, state: &Snapshot, runtime: Arc<Runtime>, call: Call) -> Calling {
        let remote =
            self.remote(state).and_then(|remote| RemoteActivation::new(Arc::clone(&runtime), remote, call.clone()));
        match remote {
            Some(activation) => Calling::Remote(Box::new(activation)),
            None => Activation::new(runtime, vec![call]).into(),
        }
    }
}

/// The file that a skill itself is.
pub(crate) const OWN_FILE: &str = "SKILL.md";

/// What is read of a skill that a server offers, and by whom.
pub(crate) struct RemoteReading<'r> {
    pub(crate) remote: &'r Remote,
    pub(crate) runtime: &'r Runtime,
    pub(crate) name: &'r RemoteName,
    pub(crate) caller: Caller,
    /// A file; absent: which files there are.
    pub(crate) path: Option<&'r str>,
}

/// What comes of it.
pub(crate) enum RemoteRead {
    /// The user must decide this first.
    Asks(Question),
    /// A file of the skill that is called this.
    Bytes(String, Vec<u8>),
    /// The files of the skill that is called this.
    Files(String, Vec<String>),
}

/// Why nothing is read.
pub(crate) enum NotRead {
    /// The server or what it has cannot be used, or is not there for whoever asks.
    Error(RemoteError),
    /// The user may not.
    Refused(Refusal),
}

impl From<RemoteError> for NotRead {
    fn from(error: RemoteError) -> NotRead {
        NotRead::Error(error)
    }
}

impl RemoteReading<'_> {
    /// Reads, once no question is open; they are those that are asked before the skill is called.
    pub(crate) async fn read(
        &self,
        session: &Mutex<Session>,
        open: impl FnOnce(Vec<Question>) -> Option<Question>,
    ) -> Result<RemoteRead, NotRead> {
        let skill = self.remote.find_for(self.name, self.runtime, self.caller).await?;
        let before = self.runtime.before_remote(&*session.lock().await, &skill.offer(self.caller), self.caller);
        let questions = before.map_err(|refusal| match self.caller {
            Caller::Model => NotRead::Error(RemoteError::unknown(self.name)),
            Caller::User => NotRead::Refused(refusal),
        })?;
        if let Some(question) = open(questions) {
            return Ok(RemoteRead::Asks(question));
        }
        let id = skill.id.to_string();
        Ok(match self.path {
            None => RemoteRead::Files(id, self.remote.files(&skill).await?),
            Some(OWN_FILE) => RemoteRead::Bytes(id, self.remote.load(&skill).await?.text.into_bytes()),
            Some(path) => RemoteRead::Bytes(id, self.remote.read(&skill, path).await?),
        })
    }
}
