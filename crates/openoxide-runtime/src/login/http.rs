//! Requests and responses of a login, as values whose bodies are secret.

use secrecy::{ExposeSecret as _, SecretString};
use serde::de::DeserializeOwned;
use url::Url;

use crate::LoginError;

const MAX_BODY: usize = 64 * 1024;

/// A request that a login needs.
#[derive(Clone, Debug)]
pub struct Request {
    /// Where to.
    pub url: String,
    /// What `Accept` says.
    pub accept: &'static str,
    /// What `Content-Type` says, and what is sent. A request without it is a `GET`, one with it a `POST`.
    pub content: Option<(&'static str, SecretString)>,
    /// How many bytes of the answer are read; a longer one is an error, and with 0 it is not read at all.
    pub limit: usize,
}

impl Request {
    pub(super) fn get(url: &Url) -> Request {
        Request { url: url.to_string(), accept: "application/json", content: None, limit: MAX_BODY }
    }

    pub(super) fn post(url: &Url, content_type: &'static str, body: String) -> Request {
        Request { content: Some((content_type, SecretString::from(body))), ..Request::get(url) }
    }

    /// Greets a server without a token. Only the head of the response matters.
    pub(super) fn probe(url: &Url) -> Request {
        let hello = serde_json::json!({
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": {"name": "openoxide", "version": env!("CARGO_PKG_VERSION")},
            },
        });
        let accept = "application/json, text/event-stream";
        Request { accept, limit: 0, ..Request::post(url, "application/json", hello.to_string()) }
    }
}

/// The answer to a request.
#[derive(Clone, Debug, Default)]
pub struct Response {
    /// Its status.
    pub status: u16,
    /// What its `WWW-Authenticate` headers say.
    pub challenges: Vec<String>,
    /// Its body.
    pub body: SecretString,
}

impl Response {
    /// Reads the body as JSON; an error does not quote it.
    pub(super) fn json<T: DeserializeOwned>(&self, what: &str) -> Result<T, LoginError> {
        serde_json::from_str(self.body.expose_secret())
            .map_err(|_| LoginError::answer(format!("{what} is not the JSON that it should be")))
    }
}
