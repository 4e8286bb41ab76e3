//! The server of a model: its addresses, and what is sent there.

use std::time::Duration;

use openoxide_config::{ModelApi, is_loopback_url, keeps_secrets};
use openoxide_http::{http_client, innermost, one_line};
use openoxide_skills::text::TerminalText;
use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};
use reqwest::{Client, RequestBuilder, Response};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;
use url::Url;

use crate::Limits;

const API_KEY: HeaderName = HeaderName::from_static("x-api-key");
const ANTHROPIC_VERSION: (&str, &str) = ("anthropic-version", "2023-06-01");

/// The most bytes of an answer that is an error, or a list of models.
const MAX_ANSWER: usize = 1024 * 1024;
/// The most models that a server is believed to have.
const MAX_MODELS: usize = 1000;
const MAX_NAME: usize = 200;
/// How long a list of models may take.
const LIST_TIME: Duration = Duration::from_secs(5);

/// Why a server cannot be asked at all.
#[derive(Debug)]
pub(crate) enum BadServer {
    /// A key would go over plain HTTP to another machine.
    Insecure,
    Other(String),
}

/// The server of a model.
#[derive(Clone)]
pub(crate) struct Server {
    client: Client,
    /// The address that paths are added to.
    pub(crate) base: Url,
    api: ModelApi,
    /// The header with the key. It is marked as secret, so that nothing prints it.
    key: Option<(HeaderName, HeaderValue)>,
}

impl Server {
    pub(crate) fn new(
        address: &str,
        api: ModelApi,
        key: Option<&SecretString>,
        limits: &Limits,
    ) -> Result<Server, BadServer> {
        let other = |why: &dyn std::fmt::Display| BadServer::Other(why.to_string());
        let base = base_of(address).map_err(|error| other(&error))?;
        if key.is_some() && !keeps_secrets(&base) {
            return Err(BadServer::Insecure);
        }
        let client = http_client(&base, is_loopback_url(&base)).map_err(|why| other(&why))?;
        let client = client.connect_timeout(limits.connect).read_timeout(limits.silence).build();
        let client = client.map_err(|error| other(innermost(&error)))?;
        let key = key.map(|key| key_header(api, key)).transpose()?;
        Ok(Server { client, base, api, key })
    }

    /// Sends the request for a reply.
    pub(crate) async fn post(&self, path: &str, body: &Value) -> Result<Response, reqwest::Error> {
        let request = self.client.post(below(&self.base, path)).header("content-type", "application/json");
        let request = request.header("accept", "text/event-stream").body(body.to_string());
        // An error must not repeat the address, which was checked and is named without it.
        self.with_headers(request).send().await.map_err(reqwest::Error::without_url)
    }

    /// Returns the models that the server says it has. `None` if it does not say.
    pub(crate) async fn models(&self, longest: Option<Duration>) -> Option<Vec<String>> {
        let request = self.with_headers(self.client.get(below(&self.base, "models")));
        let response = request.timeout(longest.unwrap_or(LIST_TIME)).send().await.ok()?;
        if !response.status().is_success() {
            return None;
        }
        let list: Value = serde_json::from_slice(&start_of(response).await).ok()?;
        let ids = list.get("data")?.as_array()?.iter().filter_map(|model| model.get("id")?.as_str());
        let plain = ids.filter(|id| !id.is_empty() && id.len() <= MAX_NAME && TerminalText(id).to_string() == **id);
        Some(plain.take(MAX_MODELS).map(str::to_owned).collect())
    }

    /// Returns what a server says, on one line and without the key.
    pub(crate) fn words(&self, said: &str) -> String {
        let key = self.key.as_ref().and_then(|(_, value)| value.to_str().ok());
        let key = key.map(|value| value.strip_prefix("Bearer ").unwrap_or(value));
        one_line(&key.map_or_else(|| said.to_owned(), |key| said.replace(key, "[key]")))
    }

    fn with_headers(&self, request: RequestBuilder) -> RequestBuilder {
        let request = match self.api {
            ModelApi::OpenAi => request,
            ModelApi::Anthropic => request.header(ANTHROPIC_VERSION.0, ANTHROPIC_VERSION.1),
        };
        match &self.key {
            Some((name, value)) => request.header(name, value),
            None => request,
        }
    }
}

fn key_header(api: ModelApi, key: &SecretString) -> Result<(HeaderName, HeaderValue), BadServer> {
    let (name, value) = match api {
        ModelApi::OpenAi => (AUTHORIZATION, format!("Bearer {}", key.expose_secret())),
        ModelApi::Anthropic => (API_KEY, key.expose_secret().to_owned()),
    };
    let no_key = |_| BadServer::Other("its key is no key: it has letters that no header can hold".to_owned());
    let mut value = HeaderValue::try_from(value).map_err(no_key)?;
    value.set_sensitive(true);
    Ok((name, value))
}

/// Reads the address of an API. One without a path means its first version.
fn base_of(address: &str) -> Result<Url, url::ParseError> {
    let mut url = Url::parse(address)?;
    if url.path().trim_matches('/').is_empty() {
        url.set_path("/v1");
    }
    Ok(url)
}

fn below(base: &Url, path: &str) -> Url {
    let mut url = base.clone();
    if let Ok(mut segments) = url.path_segments_mut() {
        segments.pop_if_empty().extend(path.split('/'));
    }
    url
}

/// Reads the first bytes of an answer.
pub(crate) async fn start_of(mut response: Response) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let Ok(Some(chunk)) = response.chunk().await {
        bytes.extend_from_slice(&chunk[..chunk.len().min(MAX_ANSWER - bytes.len())]);
        if bytes.len() == MAX_ANSWER {
            break;
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_added_to_the_address_of_the_api() {
        for (address, expected) in [
            ("https://a.example", "https://a.example/v1/chat/completions"),
            ("https://a.example/", "https://a.example/v1/chat/completions"),
            ("http://127.0.0.1:1/v1/", "http://127.0.0.1:1/v1/chat/completions"),
            ("https://a.example/api/v2", "https://a.example/api/v2/chat/completions"),
        ] {
            assert_eq!(below(&base_of(address).unwrap(), "chat/completions").as_str(), expected, "{address}");
        }
    }

    #[test]
    fn a_key_is_not_sent_over_plain_http() {
        let key = SecretString::from("hunter2");
        let new = |address, key| Server::new(address, ModelApi::OpenAi, key, &Limits::default()).map(drop);
        assert!(matches!(new("http://a.example", Some(&key)), Err(BadServer::Insecure)));
        for fine in ["https://a.example", "http://127.0.0.1:1", "http://[::1]:1", "http://localhost:1"] {
            assert!(new(fine, Some(&key)).is_ok(), "{fine}");
        }
        assert!(new("http://a.example", None).is_ok());
    }
}
