//! Reaches a server over HTTP, with bounded responses and without following redirects.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use http::header::{ACCEPT, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderName, HeaderValue, StatusCode};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use openoxide_config::is_loopback_url;
use openoxide_http::{http_client, innermost};
use reqwest::{Body, Client, Response};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ErrorData, ServerJsonRpcMessage};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::common::client_side_sse::{BoxedSseResponse, SseRetryPolicy};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, StreamableHttpClient, StreamableHttpClientTransportConfig, StreamableHttpError,
    StreamableHttpPostResponse,
};
use secrecy::{ExposeSecret as _, SecretString};
use sse_stream::SseStream;
use url::Url;

use super::fault::Fault;
use crate::limits::Limits;

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

/// Prepares to speak with the server at an address; nothing is sent yet.
pub(super) fn reach(
    address: &str,
    token: Option<&SecretString>,
    limits: &Limits,
    fault: &Fault,
) -> Result<StreamableHttpClientTransport<Bounded>, String> {
    let url = Url::parse(address).map_err(|error| format!("its address cannot be read: {error}"))?;
    let is_loopback = is_loopback_url(&url);
    let client = http_client(&url, is_loopback)?.connect_timeout(limits.connect);
    let client = client.build().map_err(|error| innermost(&error).to_string())?;
    let mut config = StreamableHttpClientTransportConfig::with_uri(address);
    config.retry_config = Arc::new(Never);
    // A token is for the server alone, not for everyone on the way there.
    if let Some(token) = token {
        if !is_loopback && url.scheme() != "https" {
            return Err("its token is sent to `https://` or to this machine only".to_owned());
        }
        config = config.auth_header(token.expose_secret());
    }
    let bounded = Bounded { client, most: limits.message, fault: fault.clone() };
    Ok(StreamableHttpClientTransport::with_client(bounded, config))
}

/// Never retries: the caller of a request that broke off decides whether to repeat it.
#[derive(Debug)]
struct Never;

impl SseRetryPolicy for Never {
    fn retry(&self, _: usize) -> Option<std::time::Duration> {
        None
    }
}

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Unread(String);

type Failed = StreamableHttpError<Unread>;

/// A client that reads so much of an answer and no more.
#[derive(Clone)]
pub(super) struct Bounded {
    client: Client,
    most: usize,
    fault: Fault,
}

impl Bounded {
    /// Says why an answer cannot be read, in the log and to the request that waits for it.
    fn unread(&self, error: &(dyn std::error::Error + 'static)) -> Unread {
        let why = match error.is::<LengthLimitError>() {
            true => format!("a message is longer than {} bytes", self.most),
            false => innermost(error).to_string(),
        };
        self.fault.set(&why);
        Unread(why)
    }

    async fn whole(&self, response: Response) -> Result<Vec<u8>, Failed> {
        let read = Limited::new(Body::from(response), self.most).collect().await;
        read.map(|read| read.to_bytes().to_vec())
            .map_err(|error| StreamableHttpError::Client(self.unread(error.as_ref())))
    }

    /// Reads an answer as events, one after the other.
    fn events(&self, response: Response) -> BoxedSseResponse {
        let this = self.clone();
        let body = Limited::new(Body::from(response), self.most);
        Box::pin(SseStream::new(body.map_err(move |error| this.unread(error.as_ref()))))
    }

    async fn send(
        &self,
        uri: &str,
        message: &ClientJsonRpcMessage,
        session: Option<&str>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<Response, Failed> {
        let request = self.client.post(uri).header(ACCEPT, format!("{JSON}, {EVENTS}")).header(CONTENT_TYPE, JSON);
        let mut request = request.headers(headers.into_iter().collect());
        if let Some(session) = session {
            request = request.header(SESSION, session);
        }
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        let sent = request.body(serde_json::to_vec(message)?).send().await;
        // An address may carry a secret in its query.
        sent.map_err(|error| StreamableHttpError::Client(self.unread(&error.without_url())))
    }

    /// Reads the answer to a message that was not taken.
    async fn refused(
        &self,
        message: &ClientJsonRpcMessage,
        response: Response,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        let status = response.status();
        if status == StatusCode::UNAUTHORIZED || status == StatusCode::FORBIDDEN {
            let challenge = response.headers().get(WWW_AUTHENTICATE).and_then(|value| value.to_str().ok());
            let challenge = challenge.unwrap_or_default().to_owned();
            return Err(StreamableHttpError::AuthRequired(AuthRequiredError::new(challenge)));
        }
        let body = self.whole(response).await?;
        let error = match serde_json::from_slice(&body) {
            Ok(ServerJsonRpcMessage::Error(error)) => error.error,
            _ => ErrorData::invalid_request(format!("it answered with the status {status}"), None),
        };
        match message {
            // An older server refuses `discover`; the client needs the error to fall back.
            ClientJsonRpcMessage::Request(request)
                if status.is_client_error() || !matches!(request.request, ClientRequest::DiscoverRequest(_)) =>
            {
                let answer = ServerJsonRpcMessage::error(error, Some(request.id.clone()));
                Ok(StreamableHttpPostResponse::Json(answer, None))
            }
            _ => {
                self.fault.set(&error.message);
                Err(StreamableHttpError::UnexpectedServerResponse(error.message))
            }
        }
    }
}

impl StreamableHttpClient for Bounded {
    type Error = Unread;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        let response = self.send(&uri, &message, session_id.as_deref(), auth_header, custom_headers).await?;
        let status = response.status();
        if status == StatusCode::ACCEPTED || status == StatusCode::NO_CONTENT {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if status == StatusCode::NOT_FOUND && session_id.is_some() {
            return Err(StreamableHttpError::SessionExpired);
        }
        if !status.is_success() {
            return self.refused(&message, response).await;
        }
        let text =
            |name: &HeaderName| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let (session, kind) = (text(&SESSION), text(&CONTENT_TYPE).unwrap_or_default());
        if kind.starts_with(EVENTS) {
            return Ok(StreamableHttpPostResponse::Sse(self.events(response), session));
        }
        let body = self.whole(response).await?;
        match serde_json::from_slice(&body) {
            Ok(answer) if kind.starts_with(JSON) => Ok(StreamableHttpPostResponse::Json(answer, session)),
            // Nothing is waited for but the answer to a request.
            _ if !matches!(message, ClientJsonRpcMessage::Request(_)) => Ok(StreamableHttpPostResponse::Accepted),
            _ => {
                let why = "it answered with something that is no message of the protocol";
                self.fault.set(why);
                Err(StreamableHttpError::UnexpectedServerResponse(Cow::Borrowed(why)))
            }
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Failed> {
        let request = self.client.delete(uri.as_ref()).header(SESSION, session_id.as_ref());
        let mut request = request.headers(custom_headers.into_iter().collect());
        if let Some(token) = auth_header {
            request = request.bearer_auth(token);
        }
        // Whether it listens is its own matter.
        drop(request.send().await);
        Ok(())
    }

    async fn get_stream(
        &self,
        _: Arc<str>,
        _: Option<Arc<str>>,
        _: Option<String>,
        _: Option<String>,
        _: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxedSseResponse, Failed> {
        Err(StreamableHttpError::ServerDoesNotSupportSse)
    }
}
