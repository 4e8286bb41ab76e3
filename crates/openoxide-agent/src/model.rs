//! A model: asks its server for a reply, and again where that helps.

use std::io::ErrorKind;
use std::time::SystemTime;

use openoxide_config::{ConfiguredModel, Environment, ModelApi, TokenSource};
use openoxide_http::{innermost, one_line};
use openoxide_skills::text::near;
use reqwest::Response;
use reqwest::header::{CONTENT_TYPE, LOCATION, RETRY_AFTER};
use secrecy::SecretString;
use serde_json::Value;

use crate::bounded::{EventError, Events};
use crate::error::{Errors, Retry};
use crate::http::{BadServer, Server, start_of};
use crate::message::{Reply, ReplyEvent, Request};
use crate::retry::{Waits, is_transient, retry_after};
use crate::wire::{self, Decoder, ServerError, StreamError, TokenLimit, error_of};
use crate::{Limits, ModelError};

/// The key of a model's server.
#[derive(Clone, Debug)]
pub struct ModelKey {
    /// The key.
    pub secret: SecretString,
    /// Where it came from.
    pub source: TokenSource,
}

/// Which model is asked, and where.
#[derive(Clone, Debug)]
pub struct ModelSpec {
    /// What the user calls it.
    pub name: String,
    /// The address of the server. Without a path, `/v1` is meant.
    pub url: String,
    /// The format of the server.
    pub api: ModelApi,
    /// What the server calls the model.
    pub model: String,
    /// The key, if the server wants one.
    pub key: Option<ModelKey>,
    /// The tokens of its context window, if known.
    pub context: Option<u64>,
}

impl ModelSpec {
    /// Takes a model from the settings, and reads its key.
    pub fn read(model: &ConfiguredModel, environment: &Environment) -> Result<ModelSpec, ModelError> {
        let settings = model.settings.clone();
        let errors = Errors { name: model.name.clone(), url: settings.url.clone() };
        let read = |source: TokenSource| {
            let secret = source.read("key", environment).map_err(|why| errors.no_key(&why))?;
            Ok::<ModelKey, ModelError>(ModelKey { secret, source })
        };
        let key = settings.key.map(read).transpose()?;
        Ok(ModelSpec {
            name: model.name.clone(),
            url: settings.url,
            api: settings.api,
            model: settings.model,
            key,
            context: settings.context,
        })
    }
}

/// A model that can be asked.
#[derive(Clone)]
pub struct Model {
    spec: ModelSpec,
    limits: Limits,
    server: Server,
    errors: Errors,
}

impl std::fmt::Debug for Model {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Model").field("spec", &self.spec).field("limits", &self.limits).finish_non_exhaustive()
    }
}

impl Model {
    /// Prepares to ask a model. Nothing is sent yet.
    pub fn new(spec: ModelSpec, limits: Limits) -> Result<Model, ModelError> {
        let errors = Errors { name: spec.name.clone(), url: spec.url.clone() };
        let key = spec.key.as_ref().map(|key| &key.secret);
        let server = Server::new(&spec.url, spec.api, key, &limits).map_err(|bad| match bad {
            BadServer::Insecure => errors.insecure(),
            BadServer::Other(why) => errors.bad_settings(&why),
        })?;
        Ok(Model { spec, limits, server, errors })
    }

    /// Returns what was asked for.
    pub fn spec(&self) -> &ModelSpec {
        &self.spec
    }

    /// Asks for a reply, and reports its pieces as they arrive. Dropping the future cancels it.
    ///
    /// A request that fails before anything was reported is repeated where that may help. Afterwards it is not, so that
    /// nothing is reported twice.
    pub async fn reply(&self, request: &Request, mut on_event: impl FnMut(&ReplyEvent)) -> Result<Reply, ModelError> {
        let mut is_shown = false;
        let attempts = self.repeat(request, &mut is_shown, &mut on_event);
        let result = tokio::time::timeout(self.limits.total, attempts).await;
        let result = result.unwrap_or_else(|_| {
            Err(self.errors.timed_out(&format!("did not finish within {} s", self.limits.total.as_secs())))
        });
        result.map_err(|error| if is_shown { error.after_a_part() } else { error })
    }

    async fn repeat(
        &self,
        request: &Request,
        is_shown: &mut bool,
        on_event: &mut impl FnMut(&ReplyEvent),
    ) -> Result<Reply, ModelError> {
        let mut waits = Waits::new(&self.limits);
        loop {
            let result = self.attempt(request, is_shown, on_event).await;
            let wait = match &result {
                Err(ModelError { retry: Retry::Soon(after), .. }) if !*is_shown => waits.next(*after),
                _ => None,
            };
            let Some(wait) = wait else { return result };
            tokio::time::sleep(wait).await;
        }
    }

    async fn attempt(
        &self,
        request: &Request,
        is_shown: &mut bool,
        on_event: &mut impl FnMut(&ReplyEvent),
    ) -> Result<Reply, ModelError> {
        let ModelSpec { api, model, .. } = &self.spec;
        let body = wire::encode(*api, model, request, self.token_limit());
        let sent = self.server.post(wire::path(*api), &body).await;
        let response = sent.map_err(|error| self.unsent(&error))?;
        if !response.status().is_success() {
            return Err(self.refused(response).await);
        }
        let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if !kind.starts_with("text/event-stream") {
            return Err(self.no_stream(&start_of(response).await));
        }
        self.read(response, is_shown, on_event).await
    }

    /// `OpenAI`'s newer models refuse the word that other servers know alone.
    fn token_limit(&self) -> TokenLimit {
        match self.server.base.host_str() {
            Some("api.openai.com") => TokenLimit::CompletionTokens,
            _ => TokenLimit::Tokens,
        }
    }

    /// Reads a reply event by event.
    async fn read(
        &self,
        response: Response,
        is_shown: &mut bool,
        on_event: &mut impl FnMut(&ReplyEvent),
    ) -> Result<Reply, ModelError> {
        let mut events = Events::new(response, self.limits.event);
        let mut decoder = wire::decoder(self.spec.api);
        let (mut reply, mut length, mut pieces) = (Reply::collect([]), 0, Vec::new());
        loop {
            let is_over = self.read_event(&mut events, &mut *decoder, &mut pieces).await?;
            for piece in pieces.drain(..) {
                if let ReplyEvent::Text(text) = &piece {
                    length += text.len();
                }
                *is_shown = true;
                on_event(&piece);
                reply.add(piece);
            }
            if length + decoder.gathered() > self.limits.reply {
                return Err(self.errors.too_long(&format!("more than {} bytes", self.limits.reply)));
            }
            if is_over {
                return Ok(reply);
            }
        }
    }

    /// Reads one event. Tells whether it was the last.
    async fn read_event(
        &self,
        events: &mut Events,
        decoder: &mut dyn Decoder,
        pieces: &mut Vec<ReplyEvent>,
    ) -> Result<bool, ModelError> {
        let is_last = match events.next().await {
            Some(Ok(data)) => {
                decoder.read(&data, pieces).map_err(|error| self.bad_stream(error))?;
                decoder.is_done()
            }
            Some(Err(error)) => return Err(self.bad_event(&error)),
            None => true,
        };
        if is_last && !decoder.end(pieces).map_err(|error| self.bad_stream(error))? {
            return Err(self.errors.cut(""));
        }
        Ok(is_last)
    }

    fn bad_event(&self, error: &EventError) -> ModelError {
        match error {
            EventError::TooLong(_) => self.errors.too_long(&error.to_string()),
            EventError::Silence => self.silent(),
            EventError::Cut(why) => self.errors.cut(&one_line(why)),
            EventError::NoEvents => self.errors.bad_reply(&error.to_string()),
        }
    }

    fn bad_stream(&self, error: StreamError) -> ModelError {
        match error {
            StreamError::Malformed(why) => self.errors.bad_reply(&self.server.words(&why)),
            StreamError::Server(error) => {
                self.errors.failed(&self.server.words(&error.message), is_transient_kind(&error.kind))
            }
        }
    }

    /// A server that does not stream has sent an error, or is none.
    fn no_stream(&self, body: &[u8]) -> ModelError {
        let error = serde_json::from_slice::<Value>(body).ok().and_then(|body| error_of(&body));
        match error {
            Some(ServerError { kind, message }) => {
                self.errors.failed(&self.server.words(&message), is_transient_kind(&kind))
            }
            None => self.errors.bad_reply("it is no stream of events"),
        }
    }

    fn silent(&self) -> ModelError {
        self.errors.timed_out(&format!("said nothing for {} s", self.limits.silence.as_secs()))
    }

    /// Explains why a request was not sent or not answered.
    fn unsent(&self, error: &reqwest::Error) -> ModelError {
        let cause = innermost(error);
        let kind = cause.downcast_ref::<std::io::Error>().map(std::io::Error::kind);
        match (error.is_connect(), error.is_timeout()) {
            (true, _) if kind == Some(ErrorKind::ConnectionRefused) => self.errors.nothing_listens(),
            (true, true) => {
                self.errors.unreachable(&format!("no connection within {} s", self.limits.connect.as_secs()))
            }
            (true, false) => self.errors.unreachable(&one_line(&cause.to_string())),
            (false, true) => self.silent(),
            (false, false) => self.errors.cut(&one_line(&cause.to_string())),
        }
    }

    /// Explains a status that is no success.
    async fn refused(&self, response: Response) -> ModelError {
        let status = response.status().as_u16();
        let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
        let after = header(RETRY_AFTER).and_then(|value| retry_after(value, SystemTime::now()));
        let location = header(LOCATION).map(|to| self.shown_location(to));
        let body = start_of(response).await;
        let error = serde_json::from_slice::<Value>(&body).ok().and_then(|body| error_of(&body));
        let said = self.server.words(&error.map(|error| error.message).unwrap_or_default());
        match status {
            300..=399 => self.errors.redirected(&location.unwrap_or_else(|| "nowhere".to_owned())),
            401 | 403 => self.errors.refused_key(self.spec.key.as_ref().map(|key| &key.source), &said),
            400 | 404 => self.unknown_model(status, &said).await,
            _ if is_transient(status) => self.errors.busy(status, &said, after),
            _ => self.errors.refused(Some(status), &said),
        }
    }

    /// Returns where a redirect leads, without a query, which may be a secret.
    fn shown_location(&self, to: &str) -> String {
        let Ok(mut url) = self.server.base.join(to) else { return "no address".to_owned() };
        url.set_query(None);
        url.set_fragment(None);
        self.server.words(url.as_str())
    }

    /// Finds out whether the server has no such model, and which ones it has.
    async fn unknown_model(&self, status: u16, said: &str) -> ModelError {
        let model = &self.spec.model;
        let offered = self.server.models(None).await.unwrap_or_default();
        if !offered.is_empty() && !offered.contains(model) {
            let near = near(model, offered.iter().map(String::as_str)).first().map(ToString::to_string);
            return self.errors.unknown_model(&one_line(model), &offered, near.as_deref());
        }
        match status {
            404 => self.errors.not_found(said),
            _ => self.errors.refused(Some(status), said),
        }
    }
}

/// Tells whether an error that a server reports in words may be over soon.
fn is_transient_kind(kind: &str) -> bool {
    let words =
        ["overloaded_error", "rate_limit_error", "rate_limit_exceeded", "api_error", "server_error", "timeout_error"];
    words.contains(&kind) || kind.parse().is_ok_and(is_transient)
}
