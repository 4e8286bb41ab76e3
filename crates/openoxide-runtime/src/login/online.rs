//! A driver for logins that sends requests and waits, for a terminal.

use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use secrecy::{ExposeSecret as _, SecretString};
use ureq::config::Config;
use ureq::http;
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use url::Url;

use super::callback::{listen, wait};
use super::metadata::Place;
use super::{LoginError, LoginReply, LoginStep, Method, Request, Response};

/// How long one request may take.
const REQUEST: Duration = Duration::from_secs(10);
/// How long the user has on the page.
const LOGIN: Duration = Duration::from_mins(3);
const MAX_HEADERS: usize = 16 * 1024;

/// Sends the requests of logins, and waits for the browser. It opens no page: whoever has it shows that.
#[derive(Debug)]
pub struct Online {
    listener: Option<TcpListener>,
    request: Duration,
    login: Duration,
}

impl Default for Online {
    fn default() -> Online {
        Online { listener: None, request: REQUEST, login: LOGIN }
    }
}

impl Online {
    /// Sets how long one request may take, and how long the user has on the page.
    #[must_use]
    pub fn within(mut self, request: Duration, login: Duration) -> Online {
        (self.request, self.login) = (request, login);
        self
    }

    /// Takes a step, and waits for what comes of it.
    pub fn take(&mut self, step: &LoginStep) -> LoginReply {
        match step {
            LoginStep::Fetch(request) => LoginReply::Fetched(fetch(request, self.request)),
            LoginStep::Listen => LoginReply::Listening(listen().map(|(listener, address)| {
                self.listener = Some(listener);
                address
            })),
            LoginStep::Wait(callback) => {
                // Taken, so that the port closes as soon as somebody came.
                let Some(listener) = self.listener.take() else {
                    return LoginReply::CameBack(Err(LoginError::NoListener { why: "it is closed".to_owned() }));
                };
                LoginReply::CameBack(wait(&listener, callback, self.login))
            }
        }
    }
}

/// Sends one request. Redirects are not followed: what is asked for is where it was said to be.
fn fetch(request: &Request, time: Duration) -> Result<Response, LoginError> {
    let place = Place::new(&request.url)?;
    let failed = |error: ureq::Error| match error {
        ureq::Error::Timeout(_) => LoginError::TimedOut { seconds: time.as_secs() },
        ureq::Error::BodyExceedsLimit(_) => LoginError::TooLong { url: shown(&place.url) },
        other => LoginError::Unreachable { url: shown(&place.url), why: other.to_string() },
    };
    let mut builder = http::Request::builder().uri(&request.url).header("Accept", request.accept);
    if let Some(content_type) = request.content_type {
        builder = builder.header("Content-Type", content_type);
    }
    let agent = config(&place, time).new_agent();
    let sent = match request.method {
        Method::Get => builder.method("GET").body(()).map_err(ureq::Error::from).and_then(|sent| agent.run(sent)),
        Method::Post => {
            let body = request.body.expose_secret().to_owned();
            builder.method("POST").body(body).map_err(ureq::Error::from).and_then(|sent| agent.run(sent))
        }
    };
    let mut response = sent.map_err(failed)?;
    let text = |value: &http::HeaderValue| value.to_str().ok().map(str::to_owned);
    let challenges = response.headers().get_all("www-authenticate").iter().filter_map(text).collect();
    let body = match request.limit {
        0 => String::new(),
        limit => response.body_mut().with_config().limit(limit as u64).read_to_string().map_err(failed)?,
    };
    Ok(Response { status: response.status().as_u16(), challenges, body: SecretString::from(body) })
}

fn config(place: &Place, time: Duration) -> Config {
    let builder = Config::builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .timeout_global(Some(time))
        .max_response_header_size(MAX_HEADERS)
        .https_only(!place.is_loopback)
        .user_agent(concat!("openoxide/", env!("CARGO_PKG_VERSION")));
    // No proxy stands between this machine and itself.
    let builder = if place.is_loopback { builder.proxy(None) } else { builder };
    match place.url.scheme() {
        "https" => builder.tls_config(tls()).build(),
        _ => builder.build(),
    }
}

/// Trusts whom this machine trusts.
fn tls() -> TlsConfig {
    let found = rustls_native_certs::load_native_certs();
    let roots: Vec<Certificate<'static>> =
        found.certs.iter().map(|certificate| Certificate::from_der(certificate).to_owned()).collect();
    TlsConfig::builder()
        .root_certs(RootCerts::from(roots))
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .build()
}

/// Returns an address without what may be secret in it.
fn shown(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.to_string()
}
