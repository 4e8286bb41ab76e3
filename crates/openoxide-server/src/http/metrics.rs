//! Numbers for those who watch the server.

use std::fmt::Write as _;

use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use openoxide_live::{State, Watching};

use super::Http;
use super::asked::{Asking, At, Query};
use super::status::Nothing;
use crate::answer::Failure;

pub(crate) async fn metrics(asking: Asking, _: Query<Nothing>) -> Result<Response, Failure> {
    let state = asking.state(&At::default()).await?;
    let kind = "text/plain; version=0.0.4; charset=utf-8";
    Ok(([(CONTENT_TYPE, kind), (CACHE_CONTROL, "no-store")], text(&asking.http, &state)).into_response())
}

fn text(http: &Http, state: &State) -> String {
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
    let watches = u64::from(http.engine().live().watching() == Watching::Events);
    gauge("watching", "1 if the system tells of changes, 0 if folders are looked at again and again.", watches);
    gauge("activations_waiting", "Activations that wait for an answer of a user.", count(http.activations().len()));
    text
}
