//! Writes `tracing` events to standard error: one line for each request, and for what goes wrong besides.
//!
//! A request's line holds no query, no header and no body, so no secret can be in it; parts of a path that look like
//! handles are cut. The layer is our own because the form of the lines is documented, and because a slow reader of
//! standard error must not slow the server down: one background thread writes them.

use std::fmt::{self, Write as _};
use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use openoxide_app::TerminalText;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};
use tracing_subscriber::registry::LookupSpan;

use super::background_writer::{BackgroundWriter, Sink};
use super::timestamp;

/// The target of the event that stands for one request.
pub(crate) const REQUEST: &str = "openoxide::request";
/// What our own targets begin with.
const OWN: &str = "openoxide";

/// The longest path in a line, in bytes.
const PATH_MAX: usize = 256;
/// A part of a path with this many hexadecimal digits, and nothing else, is a handle.
const HANDLE: usize = 32;
/// How many characters of a handle are shown.
const SHOWN: usize = 4;

/// The form of log lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// No lines at all.
    Off,
    /// Text for people.
    Text,
    /// JSON for programs.
    #[default]
    Json,
}

/// What the log writes.
#[derive(Clone, Debug, Default)]
pub struct LogOptions {
    /// The form of its lines.
    pub format: LogFormat,
    /// The value of `OPENOXIDE_LOG`: a level, or targets with levels.
    pub filter: Option<String>,
    /// Whether events of level `debug` are written where no filter says otherwise.
    pub verbose: bool,
}

/// A filter that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("`{filter}` is no filter for the log")]
pub struct LogError {
    filter: String,
}

/// The log of this process. It is cheap to clone.
#[derive(Clone)]
pub struct Log {
    writer: Option<Arc<BackgroundWriter<Stderr>>>,
}

impl Log {
    /// Makes the log the subscriber of this process. The first one stays.
    pub fn install(options: &LogOptions) -> Result<Log, LogError> {
        let filter = filter(options)?;
        if options.format == LogFormat::Off {
            return Ok(Log { writer: None });
        }
        let writer = Arc::new(BackgroundWriter::new(Stderr));
        let lines = Arc::clone(&writer);
        let layer = LogLayer { format: options.format, write: move |line| lines.push(line) };
        let subscriber = tracing_subscriber::registry().with(layer.with_filter(filter));
        // Only a second log in one process fails; the first one goes on then.
        let _ = tracing::subscriber::set_global_default(subscriber);
        Ok(Log { writer: Some(writer) })
    }

    /// Waits until everything is written, but at most `limit`.
    pub fn flush(&self, limit: Duration) {
        if let Some(writer) = &self.writer {
            writer.flush(limit);
        }
    }
}

/// Reads the filter. A bare level is about our own events: others may hold whole messages, so they must be named.
fn filter(options: &LogOptions) -> Result<Targets, LogError> {
    let level = if options.verbose { LevelFilter::DEBUG } else { LevelFilter::INFO };
    let Some(text) = options.filter.as_deref() else { return Ok(Targets::new().with_target(OWN, level)) };
    let parsed: Targets = text.parse().map_err(|_| LogError { filter: text.to_owned() })?;
    let own = parsed.default_level().unwrap_or(level);
    Ok(Targets::new()
        .with_target(OWN, own)
        .with_targets(parsed.iter().map(|(target, level)| (target.to_owned(), level))))
}

pub(crate) struct Stderr;

impl Sink for Stderr {
    fn write(&mut self, lines: &[u8]) {
        // There is nowhere left to say that standard error is closed.
        let _ = std::io::stderr().lock().write_all(lines);
    }
}

/// Draws a line for each event, and hands it to `write`.
struct LogLayer<W> {
    format: LogFormat,
    write: W,
}

/// The id of the request that a span stands for.
struct SpanId(String);

impl<S: Subscriber + for<'a> LookupSpan<'a>, W: Fn(String) + 'static> Layer<S> for LogLayer<W> {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        if let (Some(span), Some(id)) = (context.span(id), fields.take("id")) {
            span.extensions_mut().insert(SpanId(id));
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let (metadata, time) = (event.metadata(), timestamp::now());
        let is_request = metadata.target() == REQUEST;
        let id = || {
            let mut spans = context.event_scope(event).into_iter().flatten();
            spans.find_map(|span| span.extensions().get::<SpanId>().map(|id| id.0.clone()))
        };
        (self.write)(match self.format {
            LogFormat::Json => {
                let mut line = JsonLine::new(&time, *metadata.level());
                event.record(&mut line);
                if let Some(id) = if is_request { None } else { id() } {
                    line.field("id", &id);
                }
                line.end()
            }
            LogFormat::Text | LogFormat::Off => {
                let mut fields = Fields::default();
                event.record(&mut fields);
                if is_request { fields.request(&time) } else { fields.note(*metadata.level(), id()) }
            }
        });
    }
}

/// A line of JSON, written as its fields come: there is one for each request.
struct JsonLine(String);

impl JsonLine {
    fn new(time: &str, level: Level) -> JsonLine {
        let mut line = JsonLine(String::with_capacity(256));
        line.0.push('{');
        line.field("time", time);
        line.field("level", level_name(level));
        line
    }

    fn field(&mut self, name: &str, value: &(impl serde::Serialize + ?Sized)) {
        let (Ok(name), Ok(value)) = (serde_json::to_string(name), serde_json::to_string(value)) else { return };
        let comma = if self.0.len() > 1 { "," } else { "" };
        // Writing to a string cannot fail.
        let _ = write!(self.0, "{comma}{name}:{value}");
    }

    fn end(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

impl Visit for JsonLine {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.field(field.name(), value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.field(field.name(), &value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.field(field.name(), &value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.field(field.name(), &value);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.field(field.name(), &format!("{value:?}"));
    }
}

/// The fields of an event as text.
#[derive(Default)]
struct Fields(Vec<(&'static str, String)>);

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.push((field.name(), value.to_owned()));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.push((field.name(), format!("{value:?}")));
    }
}

impl Fields {
    fn take(&mut self, name: &str) -> Option<String> {
        let at = self.0.iter().position(|(known, _)| *known == name)?;
        Some(self.0.remove(at).1)
    }

    /// Writes the line of a request.
    fn request(mut self, time: &str) -> String {
        let took = self.take("took_us").and_then(|micros| micros.parse::<f64>().ok()).unwrap_or_default() / 1000.0;
        let [status, method, path, peer, id] =
            ["status", "method", "path", "peer", "id"].map(|name| self.take(name).unwrap_or_default());
        format!("{time} {status} {method} {} {took:.1} ms {peer} {id}", TerminalText(&path))
    }

    /// Writes the line of any other event.
    fn note(mut self, level: Level, id: Option<String>) -> String {
        let mut line = match level {
            Level::INFO => String::new(),
            level => format!("{}: ", level_name(level)),
        };
        let message = self.take("message").unwrap_or_default();
        let fields = self.0.into_iter().chain(id.map(|id| ("id", id)));
        // Writing to a string cannot fail.
        let _ = write!(line, "{}", TerminalText(&message));
        for (name, value) in fields {
            let _ = write!(line, " {name}={}", TerminalText(&value));
        }
        line
    }
}

fn level_name(level: Level) -> &'static str {
    match level {
        Level::ERROR => "error",
        Level::WARN => "warning",
        Level::INFO => "info",
        Level::DEBUG => "debug",
        Level::TRACE => "trace",
    }
}

/// Returns a path as a line shows it: without handles, and not too long.
pub(crate) fn shown_path(path: &str) -> String {
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
mod tests;
