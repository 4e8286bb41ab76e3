//! Answers whether the server is well, and describes the routes for programs and for people.

use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use serde_json::Value;

use super::{HttpContext, NoQuery, Page, Query, Result};

pub(crate) async fn health(_: Query<NoQuery>) -> impl IntoResponse {
    ([(CONTENT_TYPE, "text/plain; charset=utf-8"), (CACHE_CONTROL, "no-store")], "ok\n")
}

pub(crate) async fn document(context: HttpContext, _: Query<NoQuery>) -> Result<Response> {
    Ok(context.http.document.send(&context.headers))
}

pub(crate) async fn docs(context: HttpContext, _: Query<NoQuery>) -> Response {
    // Reading the encoded document keeps this page from depending on the routes.
    let document: Value = serde_json::from_slice(&context.http.document.bytes).unwrap_or_default();
    let mut page = Page::new("OpenOxide API");
    page.open("main", &[]);
    page.tag("h1", &[], "OpenOxide API");
    page.prose("p", "Every answer is JSON unless it says otherwise; every error is one object, `error`, with a code that does not change, a message and the next step.");
    page.open("p", &[]);
    page.tag("a", &[("href", "/openapi.json")], "The same as OpenAPI 3.1");
    page.text(" · ");
    page.tag("a", &[("href", "/")], "What is served");
    page.close("p");
    for (path, methods) in document["paths"].as_object().into_iter().flatten() {
        for (method, operation) in methods.as_object().into_iter().flatten() {
            described(&mut page, path, method, operation, &document["components"]["schemas"]);
        }
    }
    page.close("main");
    page.send()
}

fn described(page: &mut Page, path: &str, method: &str, operation: &Value, types: &Value) {
    page.open("details", &[("id", &text(&operation["operationId"]))]);
    page.open("summary", &[]);
    page.tag("span", &[("class", "verb")], &method.to_uppercase());
    page.tag("span", &[("class", "path")], path);
    page.tag("span", &[("class", "about")], &text(&operation["summary"]));
    page.close("summary");
    page.open("div", &[("class", "inside")]);
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let parameters = parameters.map(|one| (text(&one["name"]), text(&one["description"])));
    rows(page, "Asked with", parameters.collect());
    if let Some(body) = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].as_str() {
        let body = &types[body.rsplit('/').next().unwrap_or_default()];
        let fields = body["properties"].as_object().into_iter().flatten();
        let fields: Vec<_> = fields.map(|(name, field)| (name.clone(), field_text(body, name, field, types))).collect();
        let title = if fields.is_empty() { "Body: an empty JSON object" } else { "Body: a JSON object" };
        page.tag("p", &[], title);
        list(page, fields);
    }
    let answers = operation["responses"].as_object().into_iter().flatten();
    let answers = answers.map(|(status, answer)| (status.clone(), text(&answer["description"])));
    rows(page, "Answers", answers.collect());
    page.close("div");
    page.close("details");
}

fn rows(page: &mut Page, title: &str, rows: Vec<(String, String)>) {
    if rows.is_empty() {
        return;
    }
    page.tag("p", &[], title);
    list(page, rows);
}

fn list(page: &mut Page, rows: Vec<(String, String)>) {
    page.open("dl", &[]);
    for (name, about) in rows {
        page.tag("dt", &[], &name);
        page.prose("dd", &about);
    }
    page.close("dl");
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
