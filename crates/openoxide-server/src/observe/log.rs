//! Writes `tracing` events to standard error: one line for each request, and for what goes wrong besides.
//!
//! A request's line holds no query, no header and no body, so no secret can be in it; parts of a path that look like
//! handles are cut. The layer is our own because the form of the lines is documented, and because a slow reader of
//! standard error must not slow the server down: one background thread writes them.

use std::{fmt, io::Write as _, sync::Arc, time::Duration};

use openoxide_app::TerminalText;
use serde_json::Value;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id};
use tracing::{Event, Level, Subscriber, level_filters::LevelFilter};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};
use tracing_subscriber::{filter::Targets, registry::LookupSpan};

use super::{background_writer::BackgroundWriter, cut, timestamp};

/// The target of the event that stands for one request.
pub(crate) const REQUEST: &str = "openoxide::request";
/// What our own targets begin with.
const OWN: &str = "openoxide";

/// The longest path in a line, in bytes.
const PATH_MAX: usize = 256;
/// A part of a path with this many hexadecimal digits, and nothing else, is a handle.
const HANDLE: usize = 32;
/// What the path of a one-time link begins with.
const OPEN: &str = "/open/";
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

/// The log of this process.
pub struct Log {
    writer: Option<Arc<BackgroundWriter>>,
}

impl Log {
    /// Makes the log the subscriber of this process. The first one stays.
    pub fn install(options: &LogOptions) -> Result<Log, LogError> {
        let filter = filter(options)?;
        if options.format == LogFormat::Off {
            return Ok(Log { writer: None });
        }
        // There is nowhere left to say that standard error is closed.
        let write = |lines: &[u8]| drop(std::io::stderr().lock().write_all(lines));
        let writer = Arc::new(BackgroundWriter::new(write));
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

/// Draws a line for each event, and hands it to `write`.
struct LogLayer<W> {
    format: LogFormat,
    write: W,
}

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
        let (level, is_request) = (*event.metadata().level(), event.metadata().target() == REQUEST);
        let mut fields = Fields::default();
        event.record(&mut fields);
        if !is_request {
            let mut spans = context.event_scope(event).into_iter().flatten();
            let id = spans.find_map(|span| span.extensions().get::<SpanId>().map(|id| id.0.clone()));
            fields.0.extend(id.map(|id| ("id", id.into())));
        }
        (self.write)(match self.format {
            LogFormat::Json => fields.json(level),
            LogFormat::Text | LogFormat::Off if is_request => fields.request(),
            LogFormat::Text | LogFormat::Off => fields.note(level),
        });
    }
}

/// The fields of an event, in the order in which they are written.
#[derive(Default)]
struct Fields(Vec<(&'static str, Value)>);

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.push((field.name(), value.into()));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.push((field.name(), value.into()));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.0.push((field.name(), value.into()));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.0.push((field.name(), value.into()));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.push((field.name(), format!("{value:?}").into()));
    }
}

impl Fields {
    fn take(&mut self, name: &str) -> Option<String> {
        let at = self.0.iter().position(|(known, _)| *known == name)?;
        Some(text(self.0.remove(at).1))
    }

    fn json(self, level: Level) -> String {
        let head = [("time", timestamp().into()), ("level", level_name(level).into())];
        let fields = head.into_iter().chain(self.0).map(|(name, value)| format!("{}:{value}", Value::from(name)));
        format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
    }

    /// Writes the line of a request for people.
    fn request(mut self) -> String {
        let took = self.take("took_us").and_then(|micros| micros.parse::<f64>().ok()).unwrap_or_default() / 1000.0;
        let [status, method, path, peer, id] =
            ["status", "method", "path", "peer", "id"].map(|name| self.take(name).unwrap_or_default());
        format!("{} {status} {method} {} {took:.1} ms {peer} {id}", timestamp(), TerminalText(&path))
    }

    /// Writes the line of any other event for people.
    fn note(mut self, level: Level) -> String {
        let level = if level == Level::INFO { String::new() } else { format!("{}: ", level_name(level)) };
        let message = self.take("message").unwrap_or_default();
        let fields = self.0.into_iter().map(|(name, value)| format!(" {name}={}", TerminalText(&text(value))));
        format!("{level}{}{}", TerminalText(&message), fields.collect::<String>())
    }
}

fn text(value: Value) -> String {
    if let Value::String(text) = value { text } else { value.to_string() }
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
    // What follows opens a session.
    if path.starts_with(OPEN) {
        return format!("{OPEN}…");
    }
    let is_handle = |part: &str| part.len() >= HANDLE && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let shown = |part: &str| if is_handle(part) { format!("{}…", &part[..SHOWN]) } else { part.to_owned() };
    let mut text = path.split('/').map(shown).collect::<Vec<_>>().join("/");
    cut(&mut text, PATH_MAX);
    text
}

#[cfg(test)]
mod tests;
