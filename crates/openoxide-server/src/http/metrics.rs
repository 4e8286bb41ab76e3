//! Answers `/metrics`: the server's counters and the state of the catalog.

use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use openoxide_app::{Snapshot, live::WatchMode};

use super::{HttpContext, Location, NoQuery, Query, Result};
use crate::Peer;
use crate::observe::metrics::{family, line, metric};

pub(crate) async fn metrics(context: HttpContext, _: Query<NoQuery>) -> Result<Response> {
    let snapshot = context.snapshot(&Location::default()).await?;
    let kind = "text/plain; version=0.0.4; charset=utf-8";
    Ok(([(CONTENT_TYPE, kind), (CACHE_CONTROL, "no-store")], text(&context, &snapshot)).into_response())
}

fn text(context: &HttpContext, snapshot: &Snapshot) -> String {
    let engine = &context.engine;
    let (catalog, watching, audit) = (&snapshot.catalog, engine.live.watch_mode(), &engine.audit);
    let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    let rows = [
        ("skills", "Skills that count.", count(catalog.skills.len())),
        ("others", "Files that were found and do not count.", count(catalog.others.len())),
        ("problems", "Findings.", count(catalog.problems.len())),
        ("catalog_version", "Grows with every change of the catalog.", snapshot.version),
        (
            "watching",
            "1 if the system tells of changes, 0 if folders are looked at again and again.",
            u64::from(watching == WatchMode::Events),
        ),
        ("activations_waiting", "Activations that wait for an answer of a user.", count(engine.pending.count())),
        ("audit_lost_total", "Lines of the audit log that were lost because too many waited.", audit.lost()),
        ("audit_failed_total", "How often the audit log could not be written.", audit.failed()),
    ];
    let mut text = engine.metrics().render();
    for (name, about, value) in rows {
        let kind = if name.ends_with("_total") { "counter" } else { "gauge" };
        metric(&mut text, &format!("openoxide_{name}"), kind, about, value);
    }
    if let WatchMode::Polling { reason } = watching {
        // It may name folders, which clients on other machines must not see.
        let why = if context.peer == Peer::Local { label(&reason) } else { String::new() };
        family(&mut text, "openoxide_polling_info", "gauge", "Why folders are looked at again and again.");
        line(&mut text, &format!("openoxide_polling_info{{why=\"{why}\"}}"), 1);
    }
    text
}

/// Writes a text as the value of a label.
fn label(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
