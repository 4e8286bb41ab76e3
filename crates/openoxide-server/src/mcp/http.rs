//! Serves MCP over HTTP, as a part of a router.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::{Method, StatusCode};
use rmcp::ErrorData;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, RequestId, ServerJsonRpcMessage};
use rmcp::transport::common::http_header::HEADER_SESSION_ID;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::message::{MESSAGE_MAX, Unreadable, read};
use super::sessions::Sessions;
use super::{McpOptions, McpServer, McpState};
use crate::answer::whole_seconds;
use crate::bounded_read::{BodyError, read_body};
use crate::ingress::{Place, ReadTurn, hold_in_turn};
use crate::{ClientProgram, Engine};

/// How MCP is served over HTTP.
#[derive(Clone, Debug, Default)]
pub struct McpHttp {
    /// How the server shows itself.
    pub options: McpOptions,
    /// Hosts that requests may name, as `host` or `host:port`; nothing else is answered. Empty: loopback only.
    pub hosts: Vec<String>,
    /// Origins of pages that may ask, as `http://host:port`; a request that names another is refused.
    pub origins: Vec<String>,
    /// Whether any host and origin is taken here, because a [`Ingress`](crate::Ingress) before this knows better.
    pub any_host: bool,
    /// Ends every conversation.
    pub stop: CancellationToken,
}

impl McpHttp {
    /// Serves behind a [`Ingress`](crate::Ingress) that listens at an address, and answers to these names too.
    pub fn behind(address: SocketAddr, names: &[String]) -> McpHttp {
        let (ip, port) = (address.ip(), address.port());
        let own = if ip.is_ipv6() { format!("[{ip}]") } else { ip.to_string() };
        let here = ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned);
        let hosts: Vec<String> = here.into_iter().chain([own]).chain(names.iter().cloned()).collect();
        let origins = hosts.iter().flat_map(|host| [format!("http://{host}:{port}"), format!("https://{host}:443")]);
        let origins = origins.collect();
        // Only the ingress sees, at each connection, which of its addresses a machine is called by.
        McpHttp { hosts, origins, any_host: ip.is_unspecified(), ..McpHttp::default() }
    }
}

/// Makes the route `/mcp`.
pub fn http_service(engine: Engine, http: McpHttp) -> axum::Router {
    let McpHttp { options, hosts, origins, any_host, stop } = http;
    let mut config = StreamableHttpServerConfig::default()
        .with_allowed_origins(origins)
        .enforce_origin_validation()
        .with_json_response(true)
        .with_sse_retry(None)
        .with_max_request_body_bytes(MESSAGE_MAX)
        .with_cancellation_token(stop);
    if any_host {
        config = config.disable_allowed_hosts().disable_allowed_origins();
    } else if !hosts.is_empty() {
        // Without a list any host would be taken.
        config = config.with_allowed_hosts(hosts);
    }
    let state = Arc::new(McpState::new(engine.for_programs(), options));
    let factory = move || Ok(McpServer::new(Arc::clone(&state), false));
    let sessions: Arc<Sessions> = Arc::default();
    let service = StreamableHttpService::new(factory, Arc::clone(&sessions), config);
    axum::Router::new().route_service("/mcp", service).route_layer(from_fn_with_state(sessions, readable))
}

/// Lets requests in that can be read; to others, says as the protocol does what is wrong with them.
async fn readable(State(sessions): State<Arc<Sessions>>, request: Request, next: Next) -> Response {
    if request.method() == Method::DELETE {
        return end(&sessions, request, next).await;
    }
    let kind = request.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let is_json = kind.is_some_and(|kind| kind.starts_with("application/json"));
    if request.method() != Method::POST || !is_json {
        return next.run(request).await;
    }
    let (mut head, body) = request.into_parts();
    let bytes = match read_body(body, MESSAGE_MAX).await {
        Ok(bytes) => bytes,
        Err(BodyError::TooLarge) => return unreadable(StatusCode::PAYLOAD_TOO_LARGE, Unreadable::too_long()),
        Err(BodyError::Incomplete) => return unreadable(StatusCode::BAD_REQUEST, Unreadable::broken()),
    };
    let message = match read(&bytes) {
        Ok(message) => message,
        Err(error) => return unreadable(StatusCode::BAD_REQUEST, error),
    };
    let mut begun = None;
    if let ClientJsonRpcMessage::Request(asked) = message
        && matches!(asked.request, ClientRequest::InitializeRequest(_))
        && !head.headers.contains_key(HEADER_SESSION_ID)
    {
        match sessions.make_room(ClientProgram::of(&head.extensions, &head.headers)).await {
            Ok(place) => begun = Some(place),
            Err(time) => return no_room(asked.id, time),
        }
    }
    let turn = ReadTurn::default();
    head.extensions.insert(turn.clone());
    let connection = head.extensions.get::<Arc<Place>>().cloned();
    let answer = next.run(Request::from_parts(head, Body::from(bytes)));
    let response = match begun {
        Some(place) => place.begin(answer).await,
        None => answer.await,
    };
    hold_in_turn(response, connection.as_ref(), turn)
}

/// Ends a conversation. Clients take 200 for done and 404 for a conversation that is over, and other answers for failures.
async fn end(sessions: &Sessions, request: Request, next: Next) -> Response {
    let id = request.headers().get(HEADER_SESSION_ID).and_then(|id| id.to_str().ok());
    let was_open = id.is_some_and(|id| sessions.is_open(id));
    let response = next.run(request).await;
    match (response.status(), was_open) {
        (StatusCode::ACCEPTED, true) => StatusCode::OK.into_response(),
        (StatusCode::ACCEPTED, false) => (StatusCode::NOT_FOUND, "there is no such conversation").into_response(),
        _ => response,
    }
}

/// Says that a caller has as many conversations as it may.
fn no_room(id: RequestId, time: Duration) -> Response {
    let text = "too many conversations are open; end one with DELETE, or wait until one has been quiet for a while";
    let error = ErrorData::internal_error(text, Some(json!({ "problem": "busy" })));
    let headers = [(RETRY_AFTER, whole_seconds(time).to_string())];
    let answer = ServerJsonRpcMessage::error(error, Some(id));
    (StatusCode::SERVICE_UNAVAILABLE, headers, axum::Json(answer)).into_response()
}

fn unreadable(status: StatusCode, error: Unreadable) -> Response {
    (status, axum::Json(error.answer())).into_response()
}
