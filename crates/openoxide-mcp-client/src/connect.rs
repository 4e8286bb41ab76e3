//! Opens and closes the connection to one server, over standard input and output or over HTTP.

mod fault;
mod http;
mod stdio;

use std::collections::BTreeMap;
use std::io::ErrorKind;

use openoxide_config::{Environment, McpTransport};
use openoxide_http::{innermost, one_line};
use rmcp::model::{ClientCapabilities, ClientConfig, Implementation, ProtocolVersion};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, ClientServiceExt as _, Peer, RoleClient, RunningService,
};
use secrecy::SecretString;

use crate::{FetchError, Limits, error};

pub(crate) use fault::Fault;

/// How servers are reached.
#[derive(Clone, Debug, Default)]
pub struct RemoteOptions {
    /// Where the variables and the home of programs come from.
    pub environment: Environment,
    /// Tokens of logins, by the address of the server. They are sent to loopback or over TLS, and nowhere else.
    pub tokens: BTreeMap<String, SecretString>,
    /// How much is taken, and how long it is waited for.
    pub limits: Limits,
}

/// The name of the extension.
const EXTENSION: &str = "io.modelcontextprotocol/skills";

/// A connection to a server that offers skills.
pub(crate) struct Connection {
    service: RunningService<RoleClient, ClientConfig>,
    child: Option<stdio::Child>,
    pub(crate) fault: Fault,
    /// Whether it can list a folder.
    pub(crate) reads_folders: bool,
}

impl Connection {
    /// Starts or reaches a server, and asks what it can do.
    pub(crate) async fn open(
        server: &str,
        transport: &McpTransport,
        options: &RemoteOptions,
    ) -> Result<Connection, FetchError> {
        let longest = options.limits.connect;
        let timed_out = |_| error::timed_out(server, "server/discover", longest);
        let opened = tokio::time::timeout(longest, begin(server, transport, options)).await;
        let mut connection = opened.map_err(timed_out)??;
        let info = connection.peer().peer_info();
        let extensions = info.as_ref().and_then(|info| info.capabilities.extensions.as_ref());
        let settings = extensions.and_then(|extensions| extensions.get(EXTENSION));
        let Some(settings) = settings else {
            connection.close().await;
            return Err(error::no_skills(server));
        };
        connection.reads_folders = settings.get("directoryRead").and_then(serde_json::Value::as_bool) == Some(true);
        Ok(connection)
    }

    pub(crate) fn peer(&self) -> &Peer<RoleClient> {
        self.service.peer()
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.service.is_closed() || self.peer().is_transport_closed()
    }

    /// Ends it, and what was started for it.
    pub(crate) async fn close(mut self) {
        let _ = self.service.close_with_timeout(stdio::GRACE).await;
        if let Some(child) = self.child.take() {
            child.end().await;
        }
    }
}

/// Begins to speak: with the newest protocol if the server knows it, or else as older servers do.
async fn begin(server: &str, transport: &McpTransport, options: &RemoteOptions) -> Result<Connection, FetchError> {
    let RemoteOptions { environment, tokens, limits } = options;
    let unreachable = |why: &str| error::unreachable(server, why);
    let lifecycle = ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        legacy_version: Some(ProtocolVersion::V_2025_11_25),
    };
    let fault = Fault::default();
    let (service, child) = match transport {
        McpTransport::Stdio { command, args, env } => {
            let (mut child, pipes) =
                stdio::start(command, args, env, environment, limits, &fault).map_err(|error| unreachable(&error))?;
            match myself().serve_with_lifecycle(pipes, lifecycle).await {
                Ok(service) => (service, Some(child)),
                Err(error) => {
                    let (why, complaint) = child.last_words(&fault.or(&plain(&error))).await;
                    child.end().await;
                    let complaint = complaint.map(|line| one_line(&line));
                    return Err(FetchError { complaint, ..unreachable(&why) });
                }
            }
        }
        McpTransport::Http { url, token } => {
            let token = token.as_ref().map(|source| source.read("token", environment)).transpose();
            let token = token.map_err(|why| error::no_token(server, &why))?.or_else(|| tokens.get(url).cloned());
            let http = http::reach(url, token.as_ref(), limits, &fault).map_err(|why| unreachable(&why))?;
            let service = myself().serve_with_lifecycle(http, lifecycle).await.map_err(|error| {
                match error.is_authorization_required() {
                    true => error::login(server, token.is_some()),
                    false => unreachable(&fault.or(&plain(&error))),
                }
            })?;
            (service, None)
        }
    };
    Ok(Connection { service, child, fault, reads_folders: false })
}

/// Says who asks, and that skills are understood.
fn myself() -> ClientConfig {
    let mut capabilities = ClientCapabilities::default();
    capabilities.extensions = Some([(EXTENSION.to_owned(), serde_json::Map::new())].into());
    ClientConfig::new(capabilities, Implementation::new("openoxide", env!("CARGO_PKG_VERSION")))
}

const ENDED: &str = "it ended before it answered";

/// Says why a beginning failed, in words for people.
fn plain(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::ConnectionClosed(_) => ENDED.to_owned(),
        ClientInitializeError::JsonRpcError(error) => error.message.to_string(),
        ClientInitializeError::TransportError { error, .. } => {
            match error.error.downcast_ref::<std::io::Error>().map(std::io::Error::kind) {
                Some(ErrorKind::BrokenPipe) => ENDED.to_owned(),
                _ => innermost(error.error.as_ref()).to_string(),
            }
        }
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => plain(fallback),
        ClientInitializeError::NoCompatibleProtocolVersion { .. } => {
            "it speaks no version of the protocol that is known here".to_owned()
        }
        _ => "its first answer is not of the protocol".to_owned(),
    }
}
