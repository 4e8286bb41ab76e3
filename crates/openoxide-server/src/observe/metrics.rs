//! Counts what the server does, in the text format of Prometheus.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use http::StatusCode;

/// The upper bounds of the buckets for how long an answer took, in microseconds, with their names in seconds.
const BUCKETS: [(u64, &str); 9] = [
    (100, "0.0001"),
    (500, "0.0005"),
    (1_000, "0.001"),
    (5_000, "0.005"),
    (25_000, "0.025"),
    (100_000, "0.1"),
    (500_000, "0.5"),
    (2_500_000, "2.5"),
    (10_000_000, "10"),
];

/// Counters of what the server does. Nothing in them depends on what anybody asks for, so they never grow in number.
#[derive(Debug, Default)]
pub struct Metrics {
    /// Answers by the first digit of their status, from 1.
    answers: [AtomicU64; 5],
    buckets: [AtomicU64; BUCKETS.len()],
    slower: AtomicU64,
    micros: AtomicU64,
    turned_away: [AtomicU64; Reason::ALL.len()],
    connections: AtomicI64,
    accepted: AtomicU64,
    streams: AtomicI64,
    commands: AtomicI64,
    commands_run: AtomicU64,
}

/// Why a request was turned away at the door.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    Host,
    Origin,
    Token,
    Content,
    Size,
    Slow,
    Streams,
    Stopping,
}

impl Reason {
    const ALL: [Reason; 8] = [
        Reason::Host,
        Reason::Origin,
        Reason::Token,
        Reason::Content,
        Reason::Size,
        Reason::Slow,
        Reason::Streams,
        Reason::Stopping,
    ];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Reason::Host => "host",
            Reason::Origin => "origin",
            Reason::Token => "token",
            Reason::Content => "content",
            Reason::Size => "size",
            Reason::Slow => "slow",
            Reason::Streams => "streams",
            Reason::Stopping => "stopping",
        }
    }
}

/// Counts something for as long as it lasts.
#[must_use]
pub(crate) struct Gauge<'a>(&'a AtomicI64);

impl Drop for Gauge<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn gauge(of: &AtomicI64) -> Gauge<'_> {
    of.fetch_add(1, Ordering::Relaxed);
    Gauge(of)
}

impl Metrics {
    pub(crate) fn answered(&self, status: StatusCode, took: Duration) {
        let class = usize::from(status.as_u16() / 100).clamp(1, 5) - 1;
        self.answers[class].fetch_add(1, Ordering::Relaxed);
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.micros.fetch_add(micros, Ordering::Relaxed);
        let bucket = BUCKETS.iter().position(|(most, _)| micros <= *most);
        bucket.map_or(&self.slower, |at| &self.buckets[at]).fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn turned_away(&self, reason: Reason) {
        self.turned_away[reason as usize].fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn connection(&self) -> Gauge<'_> {
        self.accepted.fetch_add(1, Ordering::Relaxed);
        gauge(&self.connections)
    }

    pub(crate) fn stream_began(&self) {
        self.streams.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn stream_ended(&self) {
        self.streams.fetch_sub(1, Ordering::Relaxed);
    }

    pub(crate) fn command(&self) -> Gauge<'_> {
        self.commands_run.fetch_add(1, Ordering::Relaxed);
        gauge(&self.commands)
    }

    /// Returns how many connections there are.
    pub fn connections(&self) -> i64 {
        self.connections.load(Ordering::Relaxed)
    }

    /// Returns how many commands of skills run.
    pub fn commands(&self) -> i64 {
        self.commands.load(Ordering::Relaxed)
    }

    /// Writes them as Prometheus reads them.
    pub fn render(&self) -> String {
        let mut text = String::with_capacity(4096);
        let counts = |counters: &[AtomicU64]| -> Vec<u64> {
            counters.iter().map(|counter| counter.load(Ordering::Relaxed)).collect()
        };
        family(&mut text, "openoxide_http_answers_total", "counter", "Answers by status.");
        for (class, count) in counts(&self.answers).into_iter().enumerate() {
            line(&mut text, &format!("openoxide_http_answers_total{{status=\"{}xx\"}}", class + 1), count);
        }
        self.render_times(&mut text);
        family(&mut text, "openoxide_http_turned_away_total", "counter", "Requests turned away at the door.");
        for (reason, count) in Reason::ALL.into_iter().zip(counts(&self.turned_away)) {
            line(&mut text, &format!("openoxide_http_turned_away_total{{reason=\"{}\"}}", reason.as_str()), count);
        }
        let single = [
            ("openoxide_http_connections_total", "Connections accepted.", &self.accepted),
            ("openoxide_commands_total", "Commands of skills run.", &self.commands_run),
        ];
        for (name, about, counter) in single {
            family(&mut text, name, "counter", about);
            line(&mut text, name, counter.load(Ordering::Relaxed));
        }
        let now = [
            ("openoxide_http_connections", "Connections now.", &self.connections),
            ("openoxide_http_streams", "Streams of events now.", &self.streams),
            ("openoxide_commands", "Commands of skills that run now.", &self.commands),
        ];
        for (name, about, gauge) in now {
            family(&mut text, name, "gauge", about);
            line(&mut text, name, gauge.load(Ordering::Relaxed));
        }
        text
    }

    fn render_times(&self, text: &mut String) {
        const NAME: &str = "openoxide_http_answer_seconds";
        family(text, NAME, "histogram", "How long answers took.");
        let mut total = 0;
        for ((_, bound), bucket) in BUCKETS.iter().zip(&self.buckets) {
            total += bucket.load(Ordering::Relaxed);
            line(text, &format!("{NAME}_bucket{{le=\"{bound}\"}}"), total);
        }
        total += self.slower.load(Ordering::Relaxed);
        line(text, &format!("{NAME}_bucket{{le=\"+Inf\"}}"), total);
        let micros = self.micros.load(Ordering::Relaxed);
        line(text, &format!("{NAME}_sum"), format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000));
        line(text, &format!("{NAME}_count"), total);
    }
}

fn family(text: &mut String, name: &str, kind: &str, about: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "# HELP {name} {about}\n# TYPE {name} {kind}");
}

fn line(text: &mut String, name: &str, value: impl std::fmt::Display) {
    let _ = writeln!(text, "{name} {value}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_counted_is_told() {
        let metrics = Metrics::default();
        metrics.answered(StatusCode::OK, Duration::from_micros(100));
        metrics.answered(StatusCode::NOT_FOUND, Duration::from_mins(1));
        metrics.turned_away(Reason::Token);
        let open = metrics.connection();
        let text = metrics.render();
        for line in [
            "openoxide_http_answers_total{status=\"2xx\"} 1",
            "openoxide_http_answers_total{status=\"4xx\"} 1",
            "openoxide_http_answer_seconds_bucket{le=\"0.0001\"} 1",
            "openoxide_http_answer_seconds_bucket{le=\"10\"} 1",
            "openoxide_http_answer_seconds_bucket{le=\"+Inf\"} 2",
            "openoxide_http_answer_seconds_sum 60.000100",
            "openoxide_http_turned_away_total{reason=\"token\"} 1",
            "openoxide_http_connections 1",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} is not in {text}");
        }
        drop(open);
        assert_eq!(metrics.connections(), 0);
        assert!(Reason::ALL.iter().enumerate().all(|(at, reason)| *reason as usize == at));
    }
}
