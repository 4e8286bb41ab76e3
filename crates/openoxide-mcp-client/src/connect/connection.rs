//! Opens and closes the connection to one server, and asks what the server can do.

use std::io::ErrorKind;

use openoxide_config::{Environment, McpTransport};
use rmcp::model::{ClientCapabilities, ClientConfig, Implementation, ProtocolVersion};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, ClientServiceExt as _, Peer, RoleClient, RunningService,
};
use secrecy::SecretString;

use super::fault::{Fault, innermost};
use super::{http, stdio, token};
use crate::error::RemoteError;
use crate::limits::Limits;
use crate::server_text::said;

/// The name of the extension.
pub(crate) const EXTENSION: &str = "io.modelcontextprotocol/skills";

/// What a connection is made from.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) name: String,
    pub(crate) transport: McpTransport,
    /// The token of a login; what the settings name counts before it.
    pub(crate) token: Option<SecretString>,
}

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
        target: &Target,
        environment: &Environment,
        limits: &Limits,
    ) -> Result<Connection, RemoteError> {
        let timed_out = |_| RemoteError::TimedOut {
            server: target.name.clone(),
            method: "server/discover".to_owned(),
            seconds: limits.connect.as_secs(),
        };
        let opened = tokio::time::timeout(limits.connect, begin(target, environment, limits)).await;
        let mut connection = opened.map_err(timed_out)??;
        let info = connection.peer().peer_info();
        let extensions = info.as_ref().and_then(|info| info.capabilities.extensions.as_ref());
        let settings = extensions.and_then(|extensions| extensions.get(EXTENSION));
        let Some(settings) = settings else {
            connection.close().await;
            return Err(RemoteError::NoSkills { server: target.name.clone() });
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
async fn begin(target: &Target, environment: &Environment, limits: &Limits) -> Result<Connection, RemoteError> {
    let unreachable = |why: &str| RemoteError::unreachable(&target.name, why);
    let lifecycle = ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        legacy_version: Some(ProtocolVersion::V_2025_11_25),
    };
    let fault = Fault::default();
    match &target.transport {
        McpTransport::Stdio { command, args, env } => {
            let program = stdio::Program { command, args, env };
            let (mut child, transport) =
                stdio::start(&program, environment, limits, &fault).map_err(|error| unreachable(&error))?;
            match myself().serve_with_lifecycle(transport, lifecycle).await {
                Ok(service) => Ok(Connection { service, child: Some(child), fault, reads_folders: false }),
                Err(error) => {
                    let (why, complaint) = child.last_words(&fault.or(&plain(&error))).await;
                    child.end().await;
                    let complaint = complaint.map(|line| said(&line));
                    Err(RemoteError::Unreachable { server: target.name.clone(), why: said(&why), complaint })
                }
            }
        }
        McpTransport::Http { url, token } => {
            let token = match token {
                Some(source) => Some(
                    token::read(source, environment)
                        .map_err(|why| RemoteError::NoToken { server: target.name.clone(), why })?,
                ),
                None => target.token.clone(),
            };
            let transport = http::reach(url, token.as_ref(), limits, &fault).map_err(|why| unreachable(&why))?;
            match myself().serve_with_lifecycle(transport, lifecycle).await {
                Ok(service) => Ok(Connection { service, child: None, fault, reads_folders: false }),
                Err(error) if error.is_authorization_required() => {
                    Err(RemoteError::Login { server: target.name.clone(), with_token: token.is_some() })
                }
                Err(error) => Err(unreachable(&fault.or(&plain(&error)))),
            }
        }
    }
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
                _ => innermost(error.error.as_ref()),
            }
        }
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => plain(fallback),
        ClientInitializeError::NoCompatibleProtocolVersion { .. } => {
            "it speaks no version of the protocol that is known here".to_owned()
        }
        _ => "its first answer is not of the protocol".to_owned(),
    }
}
