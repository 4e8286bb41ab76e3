//! One line for each request, on standard error, and for what goes wrong besides.
//!
//! A line holds no query, no header and no body, so no secret can be in it; what in a path looks like a handle is cut.

use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use http::{Method, StatusCode};
use openoxide_skills::text::TerminalText;
use serde::Serialize;

use crate::observe::background_writer::{BackgroundWriter, Sink};
use crate::observe::timestamp;

/// No path in a line is longer, in bytes.
const PATH_MAX: usize = 256;
/// What is this long and all hexadecimal is a handle.
const HANDLE: usize = 32;
/// How much of a handle is shown.
const SHOWN: usize = 4;

/// How lines look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// There are none.
    Off,
    /// For people.
    Text,
    /// For programs.
    #[default]
    Json,
}

/// The log. It is cheap to clone.
#[derive(Clone)]
pub struct Log {
    form: LogFormat,
    lines: Arc<BackgroundWriter<Stderr>>,
}

/// A request that was answered.
pub(crate) struct RequestRecord<'a> {
    pub(crate) id: &'a str,
    pub(crate) peer: &'a str,
    pub(crate) method: &'a Method,
    pub(crate) path: &'a str,
    pub(crate) status: StatusCode,
    pub(crate) took: Duration,
}

#[derive(Serialize)]
struct RequestLine<'a> {
    time: String,
    level: &'static str,
    id: &'a str,
    peer: &'a str,
    method: &'a str,
    path: String,
    status: u16,
    took_us: u64,
}

#[derive(Serialize)]
struct NoteLine<'a> {
    time: String,
    level: &'static str,
    message: &'a str,
}

pub(crate) struct Stderr;

impl Sink for Stderr {
    fn write(&mut self, lines: &[u8]) {
        // Nobody can be told that stderr is closed.
        let _ = std::io::stderr().lock().write_all(lines);
    }
}

impl Log {
    /// Writes lines of a form.
    pub fn new(form: LogFormat) -> Log {
        Log { form, lines: Arc::new(BackgroundWriter::new(Stderr)) }
    }

    /// Says something that a person should know.
    pub fn say(&self, message: &str) {
        self.note("info", "", message);
    }

    /// Says that something is not as it should be.
    pub fn warn(&self, message: &str) {
        self.note("warning", "warning: ", message);
    }

    fn note(&self, level: &'static str, lead: &str, message: &str) {
        match self.form {
            LogFormat::Off => {}
            LogFormat::Text => self.lines.push(format!("{lead}{}", TerminalText(message))),
            LogFormat::Json => self.json(&NoteLine { time: timestamp::now(), level, message }),
        }
    }

    pub(crate) fn answered(&self, request: &RequestRecord<'_>) {
        match self.form {
            LogFormat::Off => {}
            LogFormat::Text => self.lines.push(text(request)),
            LogFormat::Json => self.json(&RequestLine {
                time: timestamp::now(),
                level: if request.status.is_server_error() { "error" } else { "info" },
                id: request.id,
                peer: request.peer,
                method: request.method.as_str(),
                path: shown(request.path),
                status: request.status.as_u16(),
                took_us: u64::try_from(request.took.as_micros()).unwrap_or(u64::MAX),
            }),
        }
    }

    /// Waits until everything is written, but not longer than told.
    pub fn flush(&self, longest: Duration) {
        self.lines.flush(longest);
    }

    fn json(&self, line: &impl Serialize) {
        if let Ok(line) = serde_json::to_string(line) {
            self.lines.push(line);
        }
    }
}

fn text(request: &RequestRecord<'_>) -> String {
    let RequestRecord { id, peer, method, path, status, took } = request;
    let (status, took, path) = (status.as_u16(), took.as_secs_f64() * 1000.0, shown(path));
    format!("{} {status} {method} {} {took:.1} ms {peer} {id}", timestamp::now(), TerminalText(&path))
}

/// Writes a path without what could be a secret in it.
fn shown(path: &str) -> String {
    let is_handle = |part: &str| part.len() >= HANDLE && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let cut = |part: &str| if is_handle(part) { format!("{}…", &part[..SHOWN]) } else { part.to_owned() };
    let mut text = path.split('/').map(cut).collect::<Vec<_>>().join("/");
    if text.len() > PATH_MAX {
        text.truncate(text.floor_char_boundary(PATH_MAX));
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_and_long_paths_are_cut() {
        assert_eq!(shown("/v1/skills/pdf"), "/v1/skills/pdf");
        assert_eq!(shown("/v1/activations/0123456789abcdef0123456789abcdef"), "/v1/activations/0123…");
        assert_eq!(shown(&format!("/{}", "x".repeat(9000))).len(), PATH_MAX + "…".len());
    }
}
