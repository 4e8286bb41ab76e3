//! MCP over HTTP, as a part of a router.

use std::sync::Arc;

use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use super::seen::Shared;
use super::sessions::Sessions;
use super::{MESSAGE_MAX, McpOptions, McpServer};
use crate::engine::Engine;

/// How MCP is served over HTTP.
#[derive(Clone, Debug, Default)]
pub struct McpHttp {
    /// How the server shows itself.
    pub options: McpOptions,
    /// Hosts that requests may name, as `host` or `host:port`; nothing else is answered. Empty: loopback only.
    pub hosts: Vec<String>,
    /// Origins of pages that may ask, as `http://host:port`; a request that names another is refused.
    pub origins: Vec<String>,
    /// Ends every conversation.
    pub stop: CancellationToken,
}

/// Makes the route `/mcp`.
pub fn http_service(engine: Engine, http: McpHttp) -> axum::Router {
    let McpHttp { options, hosts, origins, stop } = http;
    let mut config = StreamableHttpServerConfig::default()
        .with_allowed_origins(origins)
        .enforce_origin_validation()
        .with_json_response(true)
        .with_max_request_body_bytes(MESSAGE_MAX)
        .with_cancellation_token(stop);
    // Without a list any host would be taken.
    if !hosts.is_empty() {
        config = config.with_allowed_hosts(hosts);
    }
    let shared = Arc::new(Shared::new(engine, options));
    let factory = move || Ok(McpServer::new(Arc::clone(&shared), false));
    let service = StreamableHttpService::new(factory, Arc::new(Sessions::default()), config);
    axum::Router::new().route_service("/mcp", service)
}
