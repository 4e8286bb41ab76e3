//! Asks MCP servers what operations need of them.

use std::cell::OnceCell;
use std::sync::{Mutex, PoisonError};

use openoxide_config::ConfiguredServer;
use openoxide_live::Snapshot;
use openoxide_mcp_client::{BlockingRemote, Remote, RemoteOptions};
use openoxide_runtime::{Fetch, FetchError, FetchReply};

/// Clients of the servers that settings name. Connections and lists outlive a change of anything but these settings.
#[derive(Default)]
pub struct McpServers {
    last: Mutex<Option<(Vec<ConfiguredServer>, Remote)>>,
}

impl McpServers {
    /// Tells whether the settings name a server that is switched on.
    pub fn has_some(snapshot: &Snapshot) -> bool {
        snapshot.workspace.config.mcp_servers().iter().any(|one| one.server.enabled)
    }

    /// Asks a server of the snapshot's settings.
    pub async fn answer(&self, snapshot: &Snapshot, fetch: &Fetch) -> FetchReply {
        match self.client(snapshot) {
            Some(client) => client.answer(fetch).await,
            None => Err(FetchError::no_servers(fetch.server())),
        }
    }

    fn client(&self, snapshot: &Snapshot) -> Option<Remote> {
        let servers = snapshot.workspace.config.mcp_servers();
        if !servers.iter().any(|one| one.server.enabled) {
            return None;
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, client)) = last.as_ref().filter(|(known, _)| *known == servers) {
            return Some(client.clone());
        }
        let client = client_of(snapshot, servers.clone());
        *last = Some((servers, client.clone()));
        Some(client)
    }
}

/// The same for one command, which waits for the answer. It must not be used inside an async runtime.
#[derive(Default)]
pub struct BlockingMcpServers {
    client: OnceCell<std::io::Result<BlockingRemote>>,
}

impl BlockingMcpServers {
    /// Asks a server of the snapshot's settings. All answers of one value are about the same settings.
    pub fn answer(&self, snapshot: &Snapshot, fetch: &Fetch) -> FetchReply {
        let servers = || snapshot.workspace.config.mcp_servers();
        match self.client.get_or_init(|| BlockingRemote::new(client_of(snapshot, servers()))) {
            Ok(client) => client.wait(async |remote| remote.answer(fetch).await),
            Err(error) => Err(FetchError::unreachable(fetch.server(), &error.to_string())),
        }
    }
}

fn client_of(snapshot: &Snapshot, servers: Vec<ConfiguredServer>) -> Remote {
    let environment = snapshot.workspace.environment.clone();
    Remote::new(servers, RemoteOptions { environment, ..RemoteOptions::default() })
}
