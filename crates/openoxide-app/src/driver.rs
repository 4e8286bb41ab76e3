//! What faces drive operations with: the sandbox for commands, and clients of MCP servers.

use std::cell::OnceCell;
use std::sync::{Mutex, OnceLock, PoisonError};

use openoxide_config::ConfiguredServer;
use openoxide_live::Snapshot;
use openoxide_mcp_client::{BlockingRemote, Remote, RemoteOptions};
use openoxide_runtime::{Fetch, FetchError, FetchReply, Run};
use openoxide_sandbox::{Isolation, Outcome, Probe, SandboxError, Stop};

use crate::error::{Error, ErrorKind};

/// The sandbox. It looks at what the machine has once, when the first command is to be run.
#[derive(Default)]
pub struct CommandRunner {
    isolation: OnceLock<Result<Isolation, String>>,
}

impl CommandRunner {
    /// Returns what commands are isolated with. The first call blocks.
    pub(crate) fn isolation(&self) -> Result<&Isolation, Error> {
        let probe = || Probe::new().map(|probe| Isolation::probe(&probe)).map_err(|error| error.to_string());
        let here = || Isolation::here().cloned().map_or_else(probe, Ok);
        let isolation = self.isolation.get_or_init(here).as_ref();
        isolation.map_err(|error| Error::other(ErrorKind::Unavailable, "no-isolation", error))
    }

    /// Runs a command to its end.
    pub fn run(&self, run: &Run) -> Result<Outcome, SandboxError> {
        openoxide_sandbox::run(self.ready()?, &run.command)
    }

    /// Runs a command to its end, or until it is stopped from another thread.
    pub fn run_until(&self, run: &Run, stop: &Stop) -> Result<Outcome, SandboxError> {
        openoxide_sandbox::run_until(self.ready()?, &run.command, stop)
    }

    /// Returns what commands were isolated with; nothing if none was run.
    pub fn mechanism(&self) -> Option<&'static str> {
        let isolation = self.isolation.get()?.as_ref().ok()?;
        Some(isolation.mechanism.as_str())
    }

    fn ready(&self) -> Result<&Isolation, SandboxError> {
        self.isolation().map_err(|error| std::io::Error::other(error).into())
    }
}

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
        self.client(snapshot).answer(fetch).await
    }

    fn client(&self, snapshot: &Snapshot) -> Remote {
        let servers = snapshot.workspace.config.mcp_servers();
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, client)) = last.as_ref().filter(|(known, _)| *known == servers) {
            return client.clone();
        }
        let client = client_of(snapshot, servers.clone());
        *last = Some((servers, client.clone()));
        client
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
