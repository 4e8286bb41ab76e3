//! Takes the steps of a login for a caller that waits: sends its requests over HTTP, and waits for the browser.

mod loopback;

use std::net::TcpListener;
use std::time::Duration;

use openoxide_http::{http_client, innermost};
use openoxide_runtime::{LoginError, LoginReply, LoginStep, Request, Response, ServerAddress};
use reqwest::header::{ACCEPT, CONTENT_TYPE, WWW_AUTHENTICATE};
use secrecy::{ExposeSecret as _, SecretString};
use url::Url;

use loopback::{listen, wait};

/// How long one request may take.
const REQUEST: Duration = Duration::from_secs(10);
/// How long the user has on the page.
const LOGIN: Duration = Duration::from_mins(3);
/// Most bytes of all the headers of a response.
const MAX_HEADERS: usize = 16 * 1024;

/// Sends the requests of logins, and waits for the browser. It opens no page: its caller shows the address.
///
/// It must not be used inside an async runtime, because it waits on one of its own.
#[derive(Debug)]
pub struct LoginDriver {
    listener: Option<TcpListener>,
    request: Duration,
    login: Duration,
}

impl Default for LoginDriver {
    fn default() -> LoginDriver {
        LoginDriver { listener: None, request: REQUEST, login: LOGIN }
    }
}

impl LoginDriver {
    /// Sets how long one request may take, and how long the user has on the page.
    #[must_use]
    pub fn within(mut self, request: Duration, login: Duration) -> LoginDriver {
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
                // Taken, so that the port closes as soon as the browser came.
                let Some(listener) = self.listener.take() else {
                    return LoginReply::CameBack(Err(LoginError::NoListener("it is closed".to_owned())));
                };
                LoginReply::CameBack(wait(&listener, callback, self.login))
            }
        }
    }
}

fn fetch(request: &Request, time: Duration) -> Result<Response, LoginError> {
    let address = ServerAddress::new(&request.url)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| unreachable(&address.url, error.to_string()))?;
    runtime.block_on(send(request, &address, time))
}

/// Sends one request. Redirects are not followed: what is asked for is where it was said to be.
async fn send(request: &Request, address: &ServerAddress, time: Duration) -> Result<Response, LoginError> {
    let failed = |error: reqwest::Error| match error.is_timeout() {
        true => LoginError::TimedOut(time.as_secs()),
        false => unreachable(&address.url, reason(&error)),
    };
    let client = http_client(&address.url, address.is_loopback).map_err(|why| unreachable(&address.url, why))?;
    let client = client.timeout(time).https_only(!address.is_loopback).build();
    let client = client.map_err(|error| unreachable(&address.url, innermost(&error).to_string()))?;
    let builder = match &request.content {
        None => client.get(address.url.clone()),
        Some((kind, body)) => {
            client.post(address.url.clone()).header(CONTENT_TYPE, *kind).body(body.expose_secret().to_owned())
        }
    };
    let mut response = builder.header(ACCEPT, request.accept).send().await.map_err(failed)?;
    let size: usize = response.headers().iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    if size > MAX_HEADERS {
        return Err(unreachable(&address.url, format!("response header is too big: {size} > {MAX_HEADERS}")));
    }
    let said = response.headers().get_all(WWW_AUTHENTICATE).iter();
    let challenges = said.filter_map(|value| value.to_str().ok().map(str::to_owned)).collect();
    let mut body = Vec::new();
    // A limit of 0 means that only the head matters.
    while request.limit > 0
        && let Some(chunk) = response.chunk().await.map_err(failed)?
    {
        if body.len() + chunk.len() > request.limit {
            return Err(LoginError::TooLong(shown(&address.url)));
        }
        body.extend_from_slice(&chunk);
    }
    let body = String::from_utf8(body)
        .map_err(|_| unreachable(&address.url, "io: stream did not contain valid UTF-8".to_owned()))?;
    Ok(Response { status: response.status().as_u16(), challenges, body: SecretString::from(body) })
}

/// Returns the first cause of an error; one of the system says that it is.
fn reason(error: &reqwest::Error) -> String {
    let cause = innermost(error);
    if cause.is::<std::io::Error>() { format!("io: {cause}") } else { cause.to_string() }
}

fn unreachable(url: &Url, why: String) -> LoginError {
    LoginError::Unreachable { url: shown(url), why }
}

/// Returns an address without its query, which may hold a secret.
fn shown(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.to_string()
}
