//! Why a model has no reply, and what to do about it. The words of servers in it are cut and escaped, and hold no key.

use std::time::Duration;

use openoxide_config::TokenSource;

/// Why a model has no reply.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    /// The stable word: the same on every face.
    pub word: &'static str,
    /// What happened.
    pub message: String,
    /// The next step.
    pub help: Option<String>,
    pub(crate) retry: Retry,
}

/// Whether the same request may succeed soon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Retry {
    Never,
    /// After this time, if the server said one.
    Soon(Option<Duration>),
}

/// The errors of one model.
#[derive(Clone, Debug)]
pub(crate) struct Errors {
    /// What the settings call it.
    pub(crate) name: String,
    /// The address of its server.
    pub(crate) url: String,
}

impl Errors {
    fn error(&self, word: &'static str, what: &str) -> ModelError {
        ModelError { word, message: format!("the model `{}` {what}", self.name), help: None, retry: Retry::Never }
    }

    fn key(&self) -> String {
        format!("models.{}", self.name)
    }

    pub(crate) fn bad_settings(&self, why: &str) -> ModelError {
        self.error("bad-model", &format!("cannot be used: {why}")).help(format!("correct `{}`", self.key()))
    }

    pub(crate) fn no_key(&self, why: &str) -> ModelError {
        let step = format!("`{}` in your config.toml says where the key is", self.key());
        self.error("no-key", &format!("is not asked: {why}")).help(step)
    }

    pub(crate) fn insecure(&self) -> ModelError {
        let step = format!("use `https://` in `{}.url`", self.key());
        self.error("insecure", "is not asked: its key is sent to `https://` or to this machine only").help(step)
    }

    pub(crate) fn nothing_listens(&self) -> ModelError {
        let step = format!("start the server, or correct `{}.url`", self.key());
        let error = self.error("unreachable", &format!("cannot be reached: nothing listens at {}", self.url));
        ModelError { retry: Retry::Soon(None), ..error.help(step) }
    }

    pub(crate) fn unreachable(&self, why: &str) -> ModelError {
        let step = format!("check the network and `{}.url`", self.key());
        self.error("unreachable", &format!("cannot be reached at {}: {why}", self.url)).help(step)
    }

    pub(crate) fn timed_out(&self, what: &str) -> ModelError {
        self.error("timed-out", what).help("try a shorter request, or a faster model")
    }

    pub(crate) fn refused_key(&self, source: Option<&TokenSource>, said: &str) -> ModelError {
        let key = self.key();
        let (what, step) = match source {
            Some(source) => ("does not take the key", format!("check {source}, where `{key}` says the key is")),
            None => (
                "wants a key",
                format!("name the variable that holds it as `{key}.key_env`, or its file as `{key}.key_file`"),
            ),
        };
        self.error("key-refused", &with_words(what, said)).help(step)
    }

    pub(crate) fn unknown_model(&self, model: &str, offered: &[String], near: Option<&str>) -> ModelError {
        let set = format!("set `{}.model`", self.key());
        let step = match near {
            Some(near) => format!("did you mean `{near}`? {set}"),
            None => format!("{set} to one that the server offers: {}", some_of(offered)),
        };
        self.error("unknown-model", &format!("is not there: the server has no `{model}`")).help(step)
    }

    pub(crate) fn not_found(&self, said: &str) -> ModelError {
        let step = format!("check `{0}.url`, `{0}.api` and `{0}.model`", self.key());
        self.error("not-found", &with_words(&format!("is not found at {} (404)", self.url), said)).help(step)
    }

    pub(crate) fn redirected(&self, to: &str) -> ModelError {
        let step = format!("if that is the right server, set `{}.url` to its address", self.key());
        self.error("redirected", &format!("is not asked at another address: its server leads to {to}")).help(step)
    }

    pub(crate) fn busy(&self, status: u16, said: &str, after: Option<Duration>) -> ModelError {
        let error = self.error("busy", &with_words(&format!("cannot answer now ({status})"), said));
        let step = after.map_or_else(
            || "try again later".to_owned(),
            |after| format!("the server asks to wait {} s; try again then", after.as_secs()),
        );
        ModelError { retry: Retry::Soon(after), ..error.help(step) }
    }

    pub(crate) fn refused(&self, status: Option<u16>, said: &str) -> ModelError {
        let status = status.map(|status| format!(" ({status})")).unwrap_or_default();
        self.error("refused", &with_words(&format!("refuses the request{status}"), said))
    }

    /// The server reports an error in the middle of a reply.
    pub(crate) fn failed(&self, said: &str, is_transient: bool) -> ModelError {
        let retry = if is_transient { Retry::Soon(None) } else { Retry::Never };
        ModelError { retry, ..self.error("failed", &with_words("fails in the middle of its reply", said)) }
    }

    pub(crate) fn cut(&self, why: &str) -> ModelError {
        let error = self.error("cut", &with_words("broke off before its reply was whole", why));
        ModelError { retry: Retry::Soon(None), ..error.help("ask again") }
    }

    pub(crate) fn too_long(&self, why: &str) -> ModelError {
        self.error("too-long", &format!("says too much: {why}"))
    }

    pub(crate) fn bad_reply(&self, why: &str) -> ModelError {
        let step = format!("check `{0}.api` and `{0}.url`", self.key());
        self.error("bad-reply", &format!("does not answer in its format: {why}")).help(step)
    }
}

impl ModelError {
    fn help(self, step: impl Into<String>) -> ModelError {
        ModelError { help: Some(step.into()), ..self }
    }

    /// Says that what was reported of the reply is not all of it. Such a request is not repeated.
    pub(crate) fn after_a_part(self) -> ModelError {
        let message = format!("{}; what was shown of it is incomplete", self.message);
        ModelError { message, retry: Retry::Never, ..self }
    }
}

fn with_words(what: &str, said: &str) -> String {
    if said.is_empty() { what.to_owned() } else { format!("{what}: {said}") }
}

/// The most names of models in an error.
const MOST_NAMED: usize = 10;

fn some_of(names: &[String]) -> String {
    let named: Vec<String> = names.iter().take(MOST_NAMED).map(|name| format!("`{name}`")).collect();
    match names.len().checked_sub(MOST_NAMED).filter(|more| *more > 0) {
        Some(more) => format!("{}, and {more} more", named.join(", ")),
        None => named.join(", "),
    }
}
