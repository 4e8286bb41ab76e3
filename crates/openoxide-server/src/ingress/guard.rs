//! Decides who may ask, by the host, origin, site, token and content type of a request.
//!
//! A page of another site can make a browser send requests here, and DNS can make its name mean this machine. So the host
//! that a request names must be ours, and a page that asks must come from this server. No layer of `tower-http` checks all
//! of these together, with an error that says which one failed.

use std::net::IpAddr;

use http::header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, HOST, ORIGIN, TRANSFER_ENCODING};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, request, uri::Authority};

use super::token::Token;
use crate::{ApprovalProof, Failure, observe::metrics::Reason};

/// A refused request: the reason that is counted, and the error that the client gets.
pub(super) type Rejection = (Reason, Failure);

fn reject(reason: Reason, status: StatusCode, code: &str, text: impl Into<String>, help: &str) -> Rejection {
    (reason, Failure::new(status, code, text).help(help))
}

/// What a browser says about the page that asks.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

const OTHER_SITES: &str = "pages of other sites may not ask this server";

pub(super) struct Guard {
    names: Vec<String>,
    token: Option<Token>,
    proof: Option<Token>,
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
    pub(super) fn new(names: &[String], token: Option<Token>, proof: Option<Token>) -> Guard {
        Guard { names: names.iter().map(|name| plain(name).to_ascii_lowercase()).collect(), token, proof }
    }

    /// Lets a request in that reached the address `local`, or says why not.
    pub(super) fn admit(&self, head: &request::Parts, local: IpAddr) -> Result<(HostKind, ApprovalProof), Rejection> {
        let host = self.host(&head.uri, &head.headers)?;
        let called = self.called(&host, local).ok_or_else(|| wrong_host(&host))?;
        check_origin(&head.headers, &host)?;
        check_site(&head.headers)?;
        let proven = self.check_token(&head.headers)?;
        check_content(&head.method, &head.headers)?;
        Ok((called, proven))
    }

    /// Returns what the server was called. An address in the request line counts as much as the header, and both must
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

    /// Checks the token. Where none is required, a request without one is admitted; one with a wrong token never is.
    fn check_token(&self, headers: &HeaderMap) -> Result<ApprovalProof, Rejection> {
        let Some(token) = self.token.as_ref().or(self.proof.as_ref()) else { return Ok(ApprovalProof(false)) };
        if self.token.is_none() && !headers.contains_key(AUTHORIZATION) {
            return Ok(ApprovalProof(false));
        }
        let shown = only(headers, &AUTHORIZATION).map(HeaderValue::as_bytes).and_then(bearer);
        if shown.is_some_and(|shown| token.is(shown)) {
            return Ok(ApprovalProof(true));
        }
        let help = "send it once, as `Authorization: Bearer TOKEN`; nowhere else does it count";
        Err(reject(Reason::Token, StatusCode::UNAUTHORIZED, "no-token", "the token is missing or wrong", help))
    }
}

/// Tells whether a host is a name and maybe a port, and nothing else.
fn is_whole(host: &Authority) -> bool {
    let port = host.as_str().strip_prefix(host.host());
    port.is_some_and(|port| port.is_empty() || port == ":" || host.port_u16().is_some())
}

fn wrong_host(host: &Authority) -> Rejection {
    let text = format!("this server is not known as `{}`", host.host());
    let help = "ask for `localhost`, or start the server with `--allow-host` and the name";
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
fn check_content(method: &Method, headers: &HeaderMap) -> Result<(), Rejection> {
    if headers.contains_key(TRANSFER_ENCODING) {
        let (text, help) = ("a body must say how long it is", "send it with `Content-Length`, not in chunks");
        return Err(reject(Reason::Content, StatusCode::LENGTH_REQUIRED, "no-length", text, help));
    }
    let has_body = headers.get(CONTENT_LENGTH).is_some_and(|length| length != "0");
    let changes = [Method::POST, Method::PUT, Method::PATCH].contains(method);
    let is_of_page = headers.contains_key(FETCH_SITE) || headers.contains_key(ORIGIN);
    let needs_kind = has_body || changes && (is_of_page || headers.contains_key(CONTENT_TYPE));
    if !needs_kind || only(headers, &CONTENT_TYPE).is_some_and(is_json) {
        return Ok(());
    }
    let (text, help) = ("a body must be JSON, and say so", "send it with `Content-Type: application/json`");
    Err(reject(Reason::Content, StatusCode::UNSUPPORTED_MEDIA_TYPE, "no-json", text, help))
}

fn is_json(value: &HeaderValue) -> bool {
    let kind = value.to_str().unwrap_or_default().split(';').next().unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("application/json")
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
mod tests {
    use super::*;

    /// Sends a request with these headers to a guard that knows `skills.example` and maybe a token.
    fn check(headers: &str, token: bool) -> String {
        let token = token.then(|| Token::new(&"0123456789abcdef".to_owned().into()).unwrap());
        shown(headers, token, None)
    }

    /// Posts where only those have to show the token who say yes.
    fn post(headers: &str) -> String {
        shown(&format!("host: localhost|{headers}"), None, Token::new(&"0123456789abcdef".to_owned().into()).ok())
    }

    fn shown(headers: &str, token: Option<Token>, proof: Option<Token>) -> String {
        let method = if proof.is_some() { Method::POST } else { Method::GET };
        let guard = Guard::new(&["Skills.Example".to_owned()], token, proof);
        let mut request = http::Request::builder().method(method).uri("/x");
        for line in headers.split('|').filter(|line| !line.is_empty()) {
            let (name, value) = line.split_once(": ").unwrap_or((line.trim_end_matches(':'), ""));
            request = request.header(name, value);
        }
        let (head, ()) = request.body(()).unwrap().into_parts();
        match guard.admit(&head, "192.0.2.7".parse().unwrap()) {
            Ok((called, ApprovalProof(false))) => format!("{called:?}"),
            Ok((called, ApprovalProof(true))) => format!("{called:?}, proven"),
            Err((reason, failure)) => format!("{} {reason:?}", failure.status.as_u16()),
        }
    }

    #[test]
    fn only_our_names_are_answered() {
        for (host, expected) in [
            ("localhost", "Loopback"),
            ("LOCALHOST:7171", "Loopback"),
            ("localhost.:7171", "Loopback"),
            ("127.0.0.1:7171", "Loopback"),
            ("127.8.9.1", "Loopback"),
            ("[::1]:7171", "Loopback"),
            ("192.0.2.7:7171", "Otherwise"),
            ("skills.example", "Otherwise"),
            ("SKILLS.example:80", "Otherwise"),
            ("192.0.2.8", "403 Host"),
            ("evil.example:7171", "403 Host"),
            ("localhost.evil.example", "403 Host"),
            ("127.0.0.1.evil.example", "403 Host"),
            ("evil.example@localhost", "400 Host"),
            ("localhost:", "Loopback"),
            ("localhost:abc", "400 Host"),
            ("localhost:99999", "400 Host"),
            ("localhost|host: evil.example", "400 Host"),
            ("", "400 Host"),
        ] {
            assert_eq!(check(&format!("host: {host}"), false), expected, "{host}");
        }
        assert_eq!(check("", false), "400 Host");
    }

    #[test]
    fn only_our_own_pages_may_ask() {
        for (origin, expected) in [
            ("http://localhost:7171", "Loopback"),
            ("https://localhost:7171", "Loopback"),
            ("http://localhost:3000", "403 Origin"),
            ("http://127.0.0.1:7171", "403 Origin"),
            ("http://evil.example", "403 Origin"),
            ("http://localhost:7171.evil.example", "403 Origin"),
            ("null", "403 Origin"),
            ("", "403 Origin"),
            ("http://localhost:7171|origin: http://evil.example", "403 Origin"),
        ] {
            assert_eq!(check(&format!("host: localhost:7171|origin: {origin}"), false), expected, "{origin}");
        }
        assert_eq!(check("host: evil.example|origin: http://evil.example", false), "403 Host");
    }

    #[test]
    fn only_the_token_opens() {
        for (shown, expected) in [
            ("authorization: Bearer 0123456789abcdef", "Loopback, proven"),
            ("authorization: bearer  0123456789abcdef", "Loopback, proven"),
            ("authorization: Bearer 0123456789abcdeF", "401 Token"),
            ("authorization: Bearer ", "401 Token"),
            ("authorization: Bearer", "401 Token"),
            ("authorization:", "401 Token"),
            ("authorization: Basic 0123456789abcdef", "401 Token"),
            ("authorization: 0123456789abcdef", "401 Token"),
            ("authorization: Bearer 0123456789abcdef|authorization: Bearer 0123456789abcdef", "401 Token"),
            ("x-token: 0123456789abcdef", "401 Token"),
        ] {
            assert_eq!(check(&format!("host: localhost|{shown}"), true), expected, "{shown}");
        }
        let long = format!("host: localhost|authorization: Bearer {}", "x".repeat(10_000));
        assert_eq!(check(&long, true), "401 Token");
    }

    #[test]
    fn where_nothing_has_to_be_shown_only_the_token_proves() {
        for (shown, expected) in [
            ("", "Loopback"),
            ("authorization: Bearer 0123456789abcdef", "Loopback, proven"),
            ("authorization: Bearer 0123456789abcdeF", "401 Token"),
            ("authorization:", "401 Token"),
            ("authorization: Bearer 0123456789abcdef|authorization: Bearer 0123456789abcdef", "401 Token"),
        ] {
            assert_eq!(post(shown), expected, "{shown}");
        }
    }

    #[test]
    fn what_a_browser_sends_for_another_site_is_refused() {
        for (site, expected) in [
            ("same-origin", "Loopback"),
            ("none", "Loopback"),
            ("same-site", "403 Origin"),
            ("cross-site", "403 Origin"),
            ("", "403 Origin"),
            ("none|sec-fetch-site: cross-site", "403 Origin"),
        ] {
            assert_eq!(check(&format!("host: localhost|sec-fetch-site: {site}"), false), expected, "{site}");
        }
    }

    #[test]
    fn what_changes_something_says_that_it_is_json() {
        for (headers, expected) in [
            ("", "Loopback"),
            ("content-length: 0", "Loopback"),
            ("content-length: 0|content-type: text/plain", "415 Content"),
            ("content-length: 0|origin: http://localhost", "415 Content"),
            ("content-length: 0|sec-fetch-site: same-origin", "415 Content"),
            ("content-length: 0|sec-fetch-site: none|content-type: application/json", "Loopback"),
        ] {
            assert_eq!(post(headers), expected, "{headers}");
        }
    }

    #[test]
    fn a_body_is_json_and_says_so() {
        for (content, expected) in [
            ("content-length: 5|content-type: application/json", "Loopback"),
            ("content-length: 5|content-type: Application/JSON; charset=utf-8", "Loopback"),
            ("content-length: 0", "Loopback"),
            ("content-length: 5|content-type: text/plain", "415 Content"),
            ("content-length: 5", "415 Content"),
            ("transfer-encoding: chunked|content-type: application/json", "411 Content"),
            ("content-length: 5|content-type: text/plain|content-type: application/json", "415 Content"),
        ] {
            assert_eq!(check(&format!("host: localhost|{content}"), false), expected, "{content}");
        }
    }
}
