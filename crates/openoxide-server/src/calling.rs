//! A call on its way: of a skill in a folder, or of one that an MCP server of the settings offers.

use std::sync::{Arc, Mutex, PoisonError};

use openoxide_config::ConfiguredServer;
use openoxide_live::State;
use openoxide_mcp_client::{
    Remote, RemoteActivation, RemoteError, RemoteListing, RemoteName, RemoteOptions, ServerSkill,
};
use openoxide_runtime::{Activation, Call, Runtime};

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
    last: Mutex<Option<(Vec<ConfiguredServer>, Remote)>>,
}

impl Servers {
    fn of(&self, state: &State) -> Option<Remote> {
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
    pub fn remote(&self, state: &State) -> Option<Remote> {
        self.servers().of(state)
    }

    /// Asks the servers of a place what they offer.
    pub(crate) async fn remote_list(&self, state: &State) -> RemoteListing {
        match self.remote(state) {
            Some(remote) => remote.list().await,
            None => RemoteListing::default(),
        }
    }

    /// Begins a call. A name of the form `mcp:SERVER/NAME` means a server's skill, and no other does.
    pub fn begin(&self, state: &State, runtime: Arc<Runtime>, call: Call) -> Calling {
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

/// Reads a file of a server's skill, as the server listed it.
pub(crate) async fn remote_bytes(remote: &Remote, skill: &ServerSkill, path: &str) -> Result<Vec<u8>, RemoteError> {
    match path {
        OWN_FILE => remote.load(skill).await.map(|verified| verified.text.into_bytes()),
        path => remote.read(skill, path).await,
    }
}

/// Says that a skill is not there, to a model that may not call it.
pub(crate) fn unknown_to_model(name: &RemoteName) -> RemoteError {
    RemoteError::UnknownSkill { server: name.server.clone(), wanted: name.wanted.clone(), near: None }
}
