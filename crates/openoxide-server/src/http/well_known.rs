//! Publishes skills at the well-known addresses: indexes, archives and files.
//!
//! Which they are, `published` says.

use std::path::Path;

use axum::response::Response;
use http::{HeaderValue, StatusCode};
use openoxide_live::Snapshot;
use openoxide_runtime::Runtime;
use schemars::JsonSchema;
use serde::Serialize;

use super::archive::bytes_of;
use super::extract::NoQuery;
use super::extract::{HttpContext, Location, PathSegments, Query, runtime};
use super::published::{self, Published};
use super::response::EncodedResponse;
use crate::answer::Failure;
use crate::encoding::hex;

/// What says which version an index has.
const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";

/// An index of version 0.2.0.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Index {
    /// Says which version it has.
    #[serde(rename = "$schema")]
    schema: String,
    /// The skills.
    skills: Vec<IndexEntry>,
}

/// A skill of an index.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct IndexEntry {
    /// Its name.
    name: String,
    /// `skill-md` for a file alone, `archive` for a folder.
    #[serde(rename = "type")]
    kind: String,
    /// What it is for.
    description: String,
    /// Where it is.
    url: String,
    /// The digest of what is there.
    digest: String,
}

/// An index of version 0.1.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct OldIndex {
    /// The skills.
    skills: Vec<OldEntry>,
}

/// A skill of an older index.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct OldEntry {
    /// Its name.
    name: String,
    /// What it is for.
    description: String,
    /// Its files, its own first.
    files: Vec<String>,
}

fn find<'c>(runtime: &'c Runtime, asking: &HttpContext, name: &str) -> Result<Published<'c>, Failure> {
    published::find(runtime, asking.http.published(), name).ok_or_else(missing)
}

fn missing() -> Failure {
    Failure::new(StatusCode::NOT_FOUND, "not-published", "nothing is published at this address")
}

impl HttpContext {
    /// Answers from what is published.
    async fn published(
        self,
        make: impl FnOnce(&Runtime, &HttpContext, &Snapshot) -> Result<EncodedResponse, Failure> + Send + 'static,
    ) -> Result<Response, Failure> {
        if !self.http.options().well_known {
            return Err(missing().help("publishing is switched off on this server"));
        }
        let state = self.state(&Location::default()).await?;
        let runtime = runtime(&state)?;
        let http = self.http.clone();
        let (ready, headers) = http
            .engine()
            .work()
            .run(move || {
                let ready = make(&runtime, &self, &state)?;
                Ok::<_, Failure>((ready, self.headers))
            })
            .await??;
        Ok(ready.send(&headers))
    }
}

pub(crate) async fn index(asking: HttpContext, _: Query<NoQuery>) -> Result<Response, Failure> {
    asking
        .published(|runtime, asking, _| {
            let packed = asking.http.published();
            let entries = published::published(runtime, packed).filter_map(|skill| {
                let name = skill.entry.skill.name.to_string();
                let (kind, url, digest) = if let Some(only) = skill.only() {
                    ("skill-md", format!("{name}/SKILL.md"), format!("sha256:{}", hex(&only.sha256)))
                } else {
                    ("archive", format!("{name}.tar.gz"), skill.archive_digest(packed)?)
                };
                let url = format!("/.well-known/agent-skills/{url}");
                Some(IndexEntry { name, kind: kind.to_owned(), description: skill.description(), url, digest })
            });
            let index = Index { schema: SCHEMA.to_owned(), skills: entries.collect() };
            EncodedResponse::json(&index, asking.peer, None)
        })
        .await
}

pub(crate) async fn old_index(asking: HttpContext, _: Query<NoQuery>) -> Result<Response, Failure> {
    asking
        .published(|runtime, asking, _| {
            let entries = published::published(runtime, asking.http.published()).map(|skill| OldEntry {
                name: skill.entry.skill.name.to_string(),
                description: skill.description(),
                files: skill.files(),
            });
            EncodedResponse::json(&OldIndex { skills: entries.collect() }, asking.peer, None)
        })
        .await
}

pub(crate) async fn archive(
    asking: HttpContext,
    PathSegments(file): PathSegments<String>,
    _: Query<NoQuery>,
) -> Result<Response, Failure> {
    asking
        .published(move |runtime, asking, _| {
            let skill = find(runtime, asking, file.strip_suffix(".tar.gz").ok_or_else(missing)?)?;
            let bytes = skill.archive().ok_or_else(missing)?;
            Ok(EncodedResponse::new(bytes, HeaderValue::from_static("application/gzip")))
        })
        .await
}

pub(crate) async fn file(
    asking: HttpContext,
    PathSegments((name, path)): PathSegments<(String, String)>,
    _: Query<NoQuery>,
) -> Result<Response, Failure> {
    asking
        .published(move |runtime, asking, _| {
            let skill = find(runtime, asking, &name)?;
            let file = skill.file(&path).ok_or_else(missing)?;
            let bytes = bytes_of(&skill.dir, file).ok_or_else(missing)?;
            let kind = if Path::new(&path).extension().is_some_and(|end| end == "md") {
                "text/markdown; charset=utf-8"
            } else {
                "application/octet-stream"
            };
            Ok(EncodedResponse::new(bytes, HeaderValue::from_static(kind)))
        })
        .await
}
