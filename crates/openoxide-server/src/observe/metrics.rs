//! Counts what the server does, in the text format of Prometheus.
//!
//! Crates for metrics register names and labels while the program runs; these counters are fixed, so no request adds one.

use std::fmt::{Display, Write as _};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::{sync::Arc, time::Duration};

use http::StatusCode;

/// The upper bounds of the buckets for how long an answer took, in microseconds.
const BUCKETS: [u64; 9] = [100, 500, 1_000, 5_000, 25_000, 100_000, 500_000, 2_500_000, 10_000_000];

/// Counters of what the server does.
#[derive(Debug, Default)]
pub struct Metrics {
    /// Answers by the first digit of their status, from 1.
    answers: [AtomicU64; 5],
    buckets: [AtomicU64; BUCKETS.len()],
    slower: AtomicU64,
    micros: AtomicU64,
    turned_away: [AtomicU64; REASONS.len()],
    connections: AtomicI64,
    accepted: AtomicU64,
    streams: AtomicI64,
    commands: AtomicI64,
    commands_run: AtomicU64,
}

/// Why the ingress turned a request away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    Host,
    Origin,
    Token,
    Content,
    Size,
    Slow,
    Streams,
    Room,
    Stopping,
}

/// What the reasons are called, in their order.
const REASONS: [&str; 9] = ["host", "origin", "token", "content", "size", "slow", "streams", "room", "stopping"];

/// Counts something for as long as it lasts.
#[must_use]
pub(crate) struct Gauge {
    metrics: Arc<Metrics>,
    of: fn(&Metrics) -> &AtomicI64,
}

impl Gauge {
    fn new(metrics: &Arc<Metrics>, of: fn(&Metrics) -> &AtomicI64) -> Gauge {
        of(metrics).fetch_add(1, Ordering::Relaxed);
        Gauge { metrics: Arc::clone(metrics), of }
    }
}

impl Drop for Gauge {
    fn drop(&mut self) {
        (self.of)(&self.metrics).fetch_sub(1, Ordering::Relaxed);
    }
}

impl Metrics {
    pub(crate) fn answered(&self, status: StatusCode, took: Duration) {
        let class = usize::from(status.as_u16() / 100).clamp(1, 5) - 1;
        self.answers[class].fetch_add(1, Ordering::Relaxed);
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.micros.fetch_add(micros, Ordering::Relaxed);
        let bucket = BUCKETS.iter().position(|most| micros <= *most);
        bucket.map_or(&self.slower, |at| &self.buckets[at]).fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn turned_away(&self, reason: Reason) {
        self.turned_away[reason as usize].fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn connection(self: &Arc<Metrics>) -> Gauge {
        self.accepted.fetch_add(1, Ordering::Relaxed);
        Gauge::new(self, |metrics| &metrics.connections)
    }

    pub(crate) fn stream(self: &Arc<Metrics>) -> Gauge {
        Gauge::new(self, |metrics| &metrics.streams)
    }

    pub(crate) fn command(self: &Arc<Metrics>) -> Gauge {
        self.commands_run.fetch_add(1, Ordering::Relaxed);
        Gauge::new(self, |metrics| &metrics.commands)
    }

    /// Returns how many connections there are.
    pub fn connections(&self) -> i64 {
        self.connections.load(Ordering::Relaxed)
    }

    /// Writes them as Prometheus reads them.
    pub fn render(&self) -> String {
        let mut text = String::with_capacity(4096);
        family(&mut text, "openoxide_http_answers_total", "counter", "Answers by status.");
        for (class, count) in (1..).zip(&self.answers) {
            line(&mut text, &format!("openoxide_http_answers_total{{status=\"{class}xx\"}}"), load(count));
        }
        self.render_times(&mut text);
        family(&mut text, "openoxide_http_turned_away_total", "counter", "Requests turned away at the door.");
        for (reason, count) in REASONS.into_iter().zip(&self.turned_away) {
            line(&mut text, &format!("openoxide_http_turned_away_total{{reason=\"{reason}\"}}"), load(count));
        }
        let single = [
            ("openoxide_http_connections_total", "Connections accepted.", &self.accepted),
            ("openoxide_commands_total", "Commands of skills run.", &self.commands_run),
        ];
        for (name, about, counter) in single {
            metric(&mut text, name, "counter", about, load(counter));
        }
        let now = [
            ("openoxide_http_connections", "Connections now.", &self.connections),
            ("openoxide_http_streams", "Streams of events now.", &self.streams),
            ("openoxide_commands", "Commands of skills that run now.", &self.commands),
        ];
        for (name, about, gauge) in now {
            metric(&mut text, name, "gauge", about, gauge.load(Ordering::Relaxed));
        }
        text
    }

    fn render_times(&self, text: &mut String) {
        const NAME: &str = "openoxide_http_answer_seconds";
        family(text, NAME, "histogram", "How long answers took.");
        let mut total = 0;
        for (bound, bucket) in BUCKETS.into_iter().zip(&self.buckets) {
            let bound = Duration::from_micros(bound).as_secs_f64();
            total += load(bucket);
            line(text, &format!("{NAME}_bucket{{le=\"{bound}\"}}"), total);
        }
        total += load(&self.slower);
        line(text, &format!("{NAME}_bucket{{le=\"+Inf\"}}"), total);
        let micros = load(&self.micros);
        line(text, &format!("{NAME}_sum"), format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000));
        line(text, &format!("{NAME}_count"), total);
    }
}

fn load(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

/// Writes a metric that is a single number.
pub(crate) fn metric(text: &mut String, name: &str, kind: &str, about: &str, value: impl Display) {
    family(text, name, kind, about);
    line(text, name, value);
}

pub(crate) fn family(text: &mut String, name: &str, kind: &str, about: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "# HELP {name} {about}\n# TYPE {name} {kind}");
}

pub(crate) fn line(text: &mut String, name: &str, value: impl Display) {
    let _ = writeln!(text, "{name} {value}");
}

#[cfg(test)]
mod tests {
    use super::Reason::{Content, Host, Origin, Room, Size, Slow, Stopping, Streams, Token};
    use super::*;

    #[test]
    fn what_is_counted_is_told() {
        let metrics = Arc::new(Metrics::default());
        metrics.answered(StatusCode::OK, Duration::from_micros(100));
        metrics.answered(StatusCode::NOT_FOUND, Duration::from_mins(1));
        metrics.turned_away(Token);
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
        let all = [Host, Origin, Token, Content, Size, Slow, Streams, Room, Stopping];
        assert!(
            all.into_iter()
                .zip(REASONS)
                .enumerate()
                .all(|(at, (reason, name))| { reason as usize == at && format!("{reason:?}").to_lowercase() == name })
        );
    }
}
