//! Answers health and metrics, and describes the routes for programs and for people.

use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use openoxide_app::{Snapshot, live::WatchMode};
use serde_json::Value;

use super::{HttpContext, Location, NoQuery, Page, Query, Result};
use crate::Peer;
use crate::observe::metrics::{family, line, metric};

pub(crate) async fn health(_: Query<NoQuery>) -> impl IntoResponse {
    ([(CONTENT_TYPE, "text/plain; charset=utf-8"), (CACHE_CONTROL, "no-store")], "ok\n")
}

pub(crate) async fn metrics(context: HttpContext, _: Query<NoQuery>) -> Result {
    let snapshot = context.snapshot(&Location::default()).await?;
    let kind = "text/plain; version=0.0.4; charset=utf-8";
    Ok(([(CONTENT_TYPE, kind), (CACHE_CONTROL, "no-store")], metrics_text(&context, &snapshot)).into_response())
}

fn metrics_text(context: &HttpContext, snapshot: &Snapshot) -> String {
    let engine = &context.engine;
    let (catalog, watching, audit) = (&snapshot.catalog, engine.live.watch_mode(), &engine.audit);
    let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    let watches = u64::from(watching == WatchMode::Events);
    let rows = [
        ("skills", "Active skills.", count(catalog.skills.len())),
        ("others", "Files that were found and ignored.", count(catalog.others.len())),
        ("problems", "Findings.", count(catalog.problems.len())),
        ("catalog_version", "Grows with every change of the catalog.", snapshot.version),
        ("watching", "1 if the system tells of changes, 0 if folders are looked at again and again.", watches),
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

pub(crate) async fn document(context: HttpContext, _: Query<NoQuery>) -> Result {
    Ok(context.http.document.send(&context.headers))
}

pub(crate) async fn docs(context: HttpContext, _: Query<NoQuery>) -> Response {
    // Reading the encoded document keeps this page from depending on the routes.
    let document: Value = serde_json::from_slice(&context.http.document.bytes).unwrap_or_default();
    let mut page = Page::new("OpenOxide API");
    page.write("<p>", &[]);
    page.prose("Every answer is JSON unless it says otherwise; every error is one object, `error`, with a code that does not change, a message and the next step.");
    page.write(
        "</p><p><a href=\"openapi.json\">The same as OpenAPI 3.1</a> · <a href=\"./\">What is served</a></p>",
        &[],
    );
    for (path, methods) in document["paths"].as_object().into_iter().flatten() {
        for (method, operation) in methods.as_object().into_iter().flatten() {
            described(&mut page, path, method, operation, &document["components"]["schemas"]);
        }
    }
    page.send()
}

fn described(page: &mut Page, path: &str, method: &str, operation: &Value, types: &Value) {
    page.write(
        "<details id=\"{}\"><summary><span class=\"verb\">{}</span><span class=\"path\">{}</span>\
         <span class=\"about\">{}</span></summary><div class=\"inside\">",
        &[&text(&operation["operationId"]), &method.to_uppercase(), path, &text(&operation["summary"])],
    );
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let parameters: Vec<_> = parameters.map(|one| (text(&one["name"]), text(&one["description"]))).collect();
    if !parameters.is_empty() {
        list(page, "Asked with", parameters);
    }
    if let Some(body) = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].as_str() {
        let body = &types[body.rsplit('/').next().unwrap_or_default()];
        let fields = body["properties"].as_object().into_iter().flatten();
        let fields: Vec<_> = fields.map(|(name, field)| (name.clone(), field_text(body, name, field, types))).collect();
        list(page, if fields.is_empty() { "Body: an empty JSON object" } else { "Body: a JSON object" }, fields);
    }
    let answers = operation["responses"].as_object().into_iter().flatten();
    list(page, "Answers", answers.map(|(status, answer)| (status.clone(), text(&answer["description"]))).collect());
    page.write("</div></details>", &[]);
}

fn list(page: &mut Page, title: &str, rows: Vec<(String, String)>) {
    page.write("<p>{}</p><dl>", &[title]);
    for (name, about) in rows {
        page.write("<dt>{}</dt><dd>", &[&name]);
        page.prose(&about);
        page.write("</dd>", &[]);
    }
    page.write("</dl>", &[]);
}

/// Says what a field of a body is for, and which words it takes.
fn field_text(body: &Value, name: &str, field: &Value, types: &Value) -> String {
    let word = |one: &Value| one["const"].as_str().map(|word| format!("`{word}`"));
    let kind = field["$ref"].as_str().and_then(|kind| kind.rsplit('/').next());
    let words = kind.and_then(|kind| types[kind]["oneOf"].as_array()).into_iter().flatten().filter_map(word);
    let words: Vec<String> = words.collect();
    let is_needed = body["required"].as_array().is_some_and(|required| required.iter().any(|one| one == name));
    let said = [
        text(&field["description"]),
        if words.is_empty() { String::new() } else { format!("One of {}.", words.join(", ")) },
        if is_needed { "Needed.".to_owned() } else { String::new() },
    ];
    said.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
