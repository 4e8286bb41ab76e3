//! Decides who may ask, by the host, origin, site, secrets and content type of a request.
//!
//! A page of another site can make a browser send requests here, and DNS can make its name mean this machine. So the host
//! that a request names must be ours, and a page that asks must come from this server. No layer of `tower-http` checks all
//! of these together, with an error that says which one failed.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use http::header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, HOST, ORIGIN, TRANSFER_ENCODING};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, request, uri::Authority};

use crate::access::{AccessToken, BrowserSessions, Identity, split_session};
use crate::{Failure, observe::metrics::Reason};

/// A refused request: the reason that is counted, and the error that the client gets.
pub(super) type Rejection = (Reason, Failure);

fn reject(reason: Reason, status: StatusCode, code: &str, text: impl Into<String>, help: &str) -> Rejection {
    (reason, Failure::new(status, code, text).help(help))
}

/// What a browser says about the page that asks.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The other header that programs show the token in.
const API_KEY: HeaderName = HeaderName::from_static("x-api-key");

const OTHER_SITES: &str = "pages of other sites may not ask this server";

/// What a request has to show.
#[derive(Clone)]
pub enum Access {
    /// Nothing, on this machine alone. No request can approve anything.
    Open,
    /// The access token; or it belongs to a browser session.
    Secret {
        /// The token.
        token: AccessToken,
        /// The sessions.
        sessions: Arc<BrowserSessions>,
        /// Whether what is published can be fetched without.
        publishes: bool,
    },
}

pub(super) struct Guard {
    names: Vec<String>,
    access: Access,
}

/// A request that was let in.
#[derive(Debug)]
pub(super) struct Admitted {
    pub(super) called: HostKind,
    pub(super) identity: Identity,
    /// The address that is meant, where the request names it below the path of a session.
    pub(super) meant: Option<Uri>,
}

/// What the server was called, once that is settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HostKind {
    /// By a name that means the asker's own machine.
    Loopback,
    /// By another name or address of ours.
    Otherwise,
}

impl Guard {
    pub(super) fn new(names: &[String], access: Access) -> Guard {
        Guard { names: names.iter().map(|name| plain(name).to_ascii_lowercase()).collect(), access }
    }

    /// Lets a request in that reached the address `local`, or says why not.
    pub(super) fn admit(&self, head: &request::Parts, local: SocketAddr) -> Result<Admitted, Rejection> {
        let host = self.host(&head.uri, &head.headers)?;
        let called = self.called(&host, local.ip()).ok_or_else(|| wrong_host(&host))?;
        check_origin(&head.headers, &host)?;
        check_site(&head.headers)?;
        let (identity, meant) = self.identify(head, &host, local.port())?;
        let path = meant.as_ref().unwrap_or(&head.uri).path();
        // A page without scripts can answer only by a form, so the user's page may send forms. Programs send JSON.
        let takes_form = identity == Identity::Person && path.starts_with(FORMS);
        check_content(&head.method, &head.headers, takes_form)?;
        Ok(Admitted { called, identity, meant })
    }

    /// Finds out who asks. A secret that is shown must be right, even where none is needed.
    fn identify(
        &self,
        head: &request::Parts,
        host: &Authority,
        port: u16,
    ) -> Result<(Identity, Option<Uri>), Rejection> {
        let Access::Secret { token, sessions, publishes } = &self.access else { return Ok((Identity::Program, None)) };
        let shows_token = shows(&head.headers, token)?;
        if let Some((key, path)) = split_session(head.uri.path()) {
            let is_persons = is_of_own_page(&head.method, &head.headers);
            if is_persons && sessions.is_open(key, &head.headers, host.as_str(), port) {
                let meant = meant(&head.uri, path).ok_or_else(no_session)?;
                return Ok((Identity::Person, Some(meant)));
            }
            return Err(no_session());
        }
        if shows_token {
            return Ok((Identity::Program, None));
        }
        if is_for_everybody(&head.method, head.uri.path(), *publishes) {
            return Ok((Identity::Anonymous, None));
        }
        Err(no_token())
    }

    /// Returns what the server was called. An address in the request line matters as much as the header, and both must
    /// agree.
    fn host(&self, uri: &Uri, headers: &HeaderMap) -> Result<Authority, Rejection> {
        let header = only(headers, &HOST).and_then(|host| host.to_str().ok()?.parse::<Authority>().ok());
        let bad = || {
            let text = "the request does not say once which host it means";
            reject(Reason::Host, StatusCode::BAD_REQUEST, "bad-host", text, "send one `Host` header")
        };
        let host = header.filter(is_whole).ok_or_else(bad)?;
        match uri.authority() {
            Some(named) if named != host.as_str() => Err(bad()),
            _ => Ok(host),
        }
    }

    fn called(&self, host: &Authority, local: IpAddr) -> Option<HostKind> {
        let name = plain(host.host());
        let address = name.parse::<IpAddr>().ok();
        let is_here = name.eq_ignore_ascii_case("localhost") || address.is_some_and(|address| address.is_loopback());
        if is_here {
            return Some(HostKind::Loopback);
        }
        // No name can be made to mean another address than the one that it is.
        let is_ours = address.is_some_and(|address| address.to_canonical() == local.to_canonical())
            || self.names.iter().any(|known| known.eq_ignore_ascii_case(name));
        is_ours.then_some(HostKind::Otherwise)
    }
}

/// Where the page of a session sends its forms.
const FORMS: &str = "/questions/";

/// Tells whether a request is answered without a secret: whether the server is well, what is published, and what leads to
/// a session.
pub(crate) fn is_for_everybody(method: &Method, path: &str, publishes: bool) -> bool {
    let looks = method == Method::GET || method == Method::HEAD;
    let is_one = path == "/" || path == "/healthz" || path.starts_with("/open/");
    looks && (is_one || publishes && path.starts_with("/.well-known/"))
}

/// Tells whether a request shows the token. Both headers may hold it, each once; one that is wrong is refused.
fn shows(headers: &HeaderMap, token: &AccessToken) -> Result<bool, Rejection> {
    let authorization = headers.contains_key(AUTHORIZATION).then(|| only(headers, &AUTHORIZATION));
    let authorization = authorization.map(|shown| shown.map(HeaderValue::as_bytes).and_then(bearer));
    let key = headers.contains_key(&API_KEY).then(|| only(headers, &API_KEY).map(HeaderValue::as_bytes));
    let mut shown = [authorization, key].into_iter().flatten().peekable();
    let shows_some = shown.peek().is_some();
    if shown.all(|shown| shown.is_some_and(|shown| token.is(shown))) {
        return Ok(shows_some);
    }
    Err(no_token())
}

/// A request that changes something comes from our own page, and the browser says so. Another origin was refused before.
fn is_of_own_page(method: &Method, headers: &HeaderMap) -> bool {
    let looks = method == Method::GET || method == Method::HEAD;
    looks || headers.contains_key(ORIGIN) || only(headers, &FETCH_SITE).is_some_and(|site| site == "same-origin")
}

fn no_token() -> Rejection {
    let help = "set the variable OPENOXIDE_TOKEN to what `openoxide token` prints, and start the program again; \
                it sends the token once, as `Authorization: Bearer TOKEN` or as `x-api-key`; in a browser, open the link \
                that `openoxide serve --link` prints";
    reject(Reason::Token, StatusCode::UNAUTHORIZED, "no-token", "the access token is missing or wrong", help)
}

fn no_session() -> Rejection {
    let text = "no browser session is open at this address";
    let help = "open the link that `openoxide serve` printed; `openoxide serve --link` prints another. A session is open at \
                the address of its link alone: one at `127.0.0.1` is none at `localhost`";
    reject(Reason::Token, StatusCode::UNAUTHORIZED, "no-session", text, help)
}

/// Returns the address without the path of the session.
fn meant(uri: &Uri, path: &str) -> Option<Uri> {
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    format!("{path}{query}").parse().ok()
}

/// Tells whether a host is a name and maybe a port, and nothing else.
fn is_whole(host: &Authority) -> bool {
    let port = host.as_str().strip_prefix(host.host());
    port.is_some_and(|port| port.is_empty() || port == ":" || host.port_u16().is_some())
}

fn wrong_host(host: &Authority) -> Rejection {
    let text = format!("this server is not known as `{}`", host.host());
    let help = "ask for `127.0.0.1`, or start the server with `--allow-host` and the name";
    reject(Reason::Host, StatusCode::FORBIDDEN, "wrong-host", text, help)
}

/// Admits programs, which send no origin, and pages that this server sent itself.
fn check_origin(headers: &HeaderMap, host: &Authority) -> Result<(), Rejection> {
    if !headers.contains_key(ORIGIN) {
        return Ok(());
    }
    let origin = only(headers, &ORIGIN).and_then(|origin| origin.to_str().ok());
    let named = origin.and_then(|origin| origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://")));
    if named.is_some_and(|named| named.eq_ignore_ascii_case(host.as_str())) {
        return Ok(());
    }
    let help = "ask from a program, or from a page that this server sends";
    Err(reject(Reason::Origin, StatusCode::FORBIDDEN, "wrong-origin", OTHER_SITES, help))
}

/// A page of another site can make a browser ask without naming the page; browsers say at least that.
fn check_site(headers: &HeaderMap) -> Result<(), Rejection> {
    let is_fine = |site: &HeaderValue| site == "same-origin" || site == "none";
    if !headers.contains_key(FETCH_SITE) || only(headers, &FETCH_SITE).is_some_and(is_fine) {
        return Ok(());
    }
    let help = "ask from a program, or type the address into the browser";
    Err(reject(Reason::Origin, StatusCode::FORBIDDEN, "wrong-site", OTHER_SITES, help))
}

/// A body says how long it is: what comes in chunks may say so twice, and then two readers can differ on where it ends.
/// It is JSON, and says so: a page of another site can send a text without asking first, JSON it cannot. A request that
/// changes something says so even without a body, unless it comes from no page at all.
fn check_content(method: &Method, headers: &HeaderMap, takes_form: bool) -> Result<(), Rejection> {
    if headers.contains_key(TRANSFER_ENCODING) {
        let (text, help) = ("a body must say how long it is", "send it with `Content-Length`, not in chunks");
        return Err(reject(Reason::Content, StatusCode::LENGTH_REQUIRED, "no-length", text, help));
    }
    let has_body = headers.get(CONTENT_LENGTH).is_some_and(|length| length != "0");
    let changes = [Method::POST, Method::PUT, Method::PATCH].contains(method);
    let is_of_page = headers.contains_key(FETCH_SITE) || headers.contains_key(ORIGIN);
    let needs_kind = has_body || changes && (is_of_page || headers.contains_key(CONTENT_TYPE));
    let is_fine = |kind: &HeaderValue| match takes_form {
        true => is_kind(kind, "application/x-www-form-urlencoded"),
        false => is_kind(kind, "application/json"),
    };
    if !needs_kind || only(headers, &CONTENT_TYPE).is_some_and(is_fine) {
        return Ok(());
    }
    let (text, help) = ("a body must be JSON, and say so", "send it with `Content-Type: application/json`");
    Err(reject(Reason::Content, StatusCode::UNSUPPORTED_MEDIA_TYPE, "no-json", text, help))
}

fn is_kind(value: &HeaderValue, wanted: &str) -> bool {
    let kind = value.to_str().unwrap_or_default().split(';').next().unwrap_or_default().trim();
    kind.eq_ignore_ascii_case(wanted)
}

/// Returns a header that is there exactly once.
fn only<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h HeaderValue> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    values.next().is_none().then_some(first)
}

fn bearer(value: &[u8]) -> Option<&[u8]> {
    let (scheme, rest) = value.split_at_checked(7)?;
    scheme.eq_ignore_ascii_case(b"bearer ").then(|| rest.trim_ascii())
}

/// Returns a host without the brackets of an address and the dot that ends a whole name.
fn plain(host: &str) -> &str {
    let inner = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    inner.strip_suffix('.').filter(|name| !name.is_empty()).unwrap_or(inner)
}

#[cfg(test)]
mod tests;
