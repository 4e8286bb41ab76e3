//! Answers `/metrics`: the server's counters and the state of the catalog.

use std::fmt::Write as _;

use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use openoxide_app::Snapshot;
use openoxide_app::live::WatchMode;

use super::extract::NoQuery;
use super::extract::{HttpContext, Location, Query};
use crate::answer::{Failure, Peer};

pub(crate) async fn metrics(context: HttpContext, _: Query<NoQuery>) -> Result<Response, Failure> {
    let state = context.state(&Location::default()).await?;
    let kind = "text/plain; version=0.0.4; charset=utf-8";
    Ok(([(CONTENT_TYPE, kind), (CACHE_CONTROL, "no-store")], text(&context, &state)).into_response())
}

fn text(context: &HttpContext, state: &Snapshot) -> String {
    let http = &context.http;
    let mut text = http.engine().metrics().render();
    let mut gauge = |name: &str, about: &str, value: u64| {
        let _ =
            writeln!(text, "# HELP openoxide_{name} {about}\n# TYPE openoxide_{name} gauge\nopenoxide_{name} {value}");
    };
    let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    gauge("skills", "Skills that count.", count(state.catalog.skills.len()));
    gauge("others", "Files that were found and do not count.", count(state.catalog.others.len()));
    gauge("problems", "Findings.", count(state.catalog.problems.len()));
    gauge("catalog_version", "Grows with every change of the catalog.", state.version);
    let watching = http.engine().live().watch_mode();
    let watches = u64::from(watching == WatchMode::Events);
    gauge("watching", "1 if the system tells of changes, 0 if folders are looked at again and again.", watches);
    gauge(
        "activations_waiting",
        "Activations that wait for an answer of a user.",
        count(http.engine().pending().len()),
    );
    let audit = http.engine().audit();
    counter(&mut text, "audit_lost", "Lines of the audit log that were lost because too many waited.", audit.lost());
    counter(&mut text, "audit_failed", "How often the audit log could not be written.", audit.failed());
    if let WatchMode::Polling { reason } = watching {
        // It may name folders, which are nobody's business elsewhere.
        let why = if context.peer == Peer::Local { label(&reason) } else { String::new() };
        let _ = writeln!(
            text,
            "# HELP openoxide_polling_info Why folders are looked at again and again.\n# TYPE openoxide_polling_info gauge\nopenoxide_polling_info{{why=\"{why}\"}} 1"
        );
    }
    text
}

fn counter(text: &mut String, name: &str, about: &str, value: u64) {
    let name = format!("openoxide_{name}_total");
    let _ = writeln!(text, "# HELP {name} {about}\n# TYPE {name} counter\n{name} {value}");
}

/// Writes a text as the value of a label.
fn label(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
