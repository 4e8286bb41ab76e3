//! Browser sessions: a browser that opened a one-time link acts for the user while it stays in use.
//!
//! A cookie is sent to every port of a host, so a program of another user at another port could collect it. Each session
//! therefore has a path of its own that cannot be guessed, and its cookie is for that path only: a browser sends the
//! cookie only with requests for that path, and the path alone opens nothing.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use http::{HeaderMap, HeaderValue, header::COOKIE};
use subtle::ConstantTimeEq as _;

use super::{private_file, token::digest};

/// What the paths of sessions begin with.
const PREFIX: &str = "/session/";
/// How long a session lasts that nothing is asked in.
const IDLE: Duration = Duration::from_hours(12);
/// The most sessions; the one that was quiet longest ends first.
const SESSIONS_MAX: usize = 16;

/// The sessions of one server. Its memory holds digests only.
#[derive(Debug, Default)]
pub struct BrowserSessions {
    /// The one that was quiet longest first.
    open: Mutex<VecDeque<Session>>,
}

#[derive(Debug)]
struct Session {
    path: [u8; 32],
    cookie: [u8; 32],
    /// The host that it was opened at, as a request names it.
    host: String,
    used: Instant,
}

/// A session that was just opened.
pub struct NewSession {
    /// Where its page is.
    pub path: String,
    /// What the browser is to keep, as a `Set-Cookie` header.
    pub cookie: HeaderValue,
}

impl BrowserSessions {
    /// Opens a session at a host, as the request names it; nothing if the system gives no random numbers.
    pub fn open(&self, host: &str, port: u16) -> Option<NewSession> {
        let (key, secret) = (private_file::random::<16>().ok()?, private_file::random::<32>().ok()?);
        let path = format!("{PREFIX}{key}/");
        let cookie = format!("{}={secret}; Path={path}; HttpOnly; SameSite=Strict", name(port));
        let session = Session {
            path: digest(key.as_bytes()),
            cookie: digest(secret.as_bytes()),
            host: host.to_ascii_lowercase(),
            used: Instant::now(),
        };
        let mut open = self.lock();
        open.push_back(session);
        let too_many = open.len().saturating_sub(SESSIONS_MAX);
        open.drain(..too_many);
        Some(NewSession { path, cookie: HeaderValue::try_from(cookie).ok()? })
    }

    /// Tells whether a request with these headers belongs to the session with this key, and was sent to its host.
    pub(crate) fn is_open(&self, key: &str, headers: &HeaderMap, host: &str, port: u16) -> bool {
        let Some(secret) = cookie(headers, &name(port)) else { return false };
        let (path, cookie) = (digest(key.as_bytes()), digest(secret.as_bytes()));
        let mut open = self.lock();
        let now = Instant::now();
        open.retain(|session| now.duration_since(session.used) < IDLE);
        let is_it = |session: &Session| {
            bool::from(session.path.ct_eq(&path) & session.cookie.ct_eq(&cookie))
                && session.host.eq_ignore_ascii_case(host)
        };
        let Some(mut session) = open.iter().position(is_it).and_then(|at| open.remove(at)) else { return false };
        session.used = now;
        open.push_back(session);
        true
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Session>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Splits the path of a request in a session into the session's key and the path that is meant.
pub(crate) fn split(path: &str) -> Option<(&str, &str)> {
    let rest = path.strip_prefix(PREFIX)?;
    let end = rest.find('/')?;
    Some((&rest[..end], &rest[end..]))
}

/// Returns the name of the cookie. Several servers of one host share its cookies.
fn name(port: u16) -> String {
    format!("openoxide-{port}")
}

/// Returns the value of a cookie that is there exactly once.
fn cookie<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let texts = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = texts.flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let mut values = pairs.filter(|(key, _)| *key == name).map(|(_, value)| value);
    let first = values.next()?;
    values.next().is_none().then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asks with a cookie, as a browser would send it.
    fn asks(sessions: &BrowserSessions, session: &NewSession, more: &str, host: &str, port: u16) -> bool {
        let set = session.cookie.to_str().unwrap();
        let pair = set.split(';').next().unwrap();
        let mut headers = HeaderMap::new();
        headers.insert(COOKIE, HeaderValue::try_from(format!("a=b; {pair}{more}")).unwrap());
        let (key, rest) = split(&session.path).unwrap();
        assert_eq!(rest, "/");
        sessions.is_open(key, &headers, host, port)
    }

    #[test]
    fn a_session_is_its_path_its_cookie_and_its_host_together() {
        let sessions = BrowserSessions::default();
        let session = sessions.open("localhost:7171", 7171).unwrap();
        let set = session.cookie.to_str().unwrap();
        let ends = format!("; Path={}; HttpOnly; SameSite=Strict", session.path);
        assert!(set.starts_with("openoxide-7171=") && set.ends_with(&ends), "{set}");
        assert!(asks(&sessions, &session, "", "LOCALHOST:7171", 7171));
        assert!(!asks(&sessions, &session, "", "127.0.0.1:7171", 7171), "another host");
        assert!(!asks(&sessions, &session, "", "localhost:7171", 7172), "another port");
        assert!(!asks(&sessions, &session, "; openoxide-7171=x", "localhost:7171", 7171), "two cookies");
        let other = sessions.open("localhost:7171", 7171).unwrap();
        let mixed = NewSession { path: session.path.clone(), cookie: other.cookie.clone() };
        assert!(!asks(&sessions, &mixed, "", "localhost:7171", 7171), "the cookie of another path");
        assert!(!sessions.is_open("", &HeaderMap::new(), "localhost:7171", 7171));
    }

    #[test]
    fn sessions_are_bounded_and_the_quiet_ones_end_first() {
        let sessions = BrowserSessions::default();
        let (first, second) = (sessions.open("h", 1).unwrap(), sessions.open("h", 1).unwrap());
        for _ in 2..SESSIONS_MAX {
            sessions.open("h", 1).unwrap();
        }
        assert!(asks(&sessions, &first, "", "h", 1));
        sessions.open("h", 1).unwrap();
        assert!(asks(&sessions, &first, "", "h", 1) && !asks(&sessions, &second, "", "h", 1));
    }
}
