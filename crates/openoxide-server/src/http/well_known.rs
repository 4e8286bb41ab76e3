//! Serves published skills at the well-known addresses: indexes, archives and files.

use std::sync::Arc;

use http::HeaderValue;
use openoxide_app::Snapshot;
use openoxide_app::publish::{self, not_published};
use schemars::JsonSchema;
use serde::Serialize;

use super::response::sandboxed;
use super::{EncodedResponse, HttpContext, HttpState, Location, NoQuery, Path, Query, Result};
use crate::{Failure, Peer};

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

/// Answers from what is published. That names no folder of this machine, so nothing in it is redacted.
async fn published(
    context: HttpContext,
    make: impl FnOnce(&Snapshot, &HttpState) -> Result<EncodedResponse> + Send + 'static,
) -> Result {
    if !context.http.options.well_known {
        return Err(Failure::from(not_published()).help("publishing is switched off on this server"));
    }
    let snapshot = context.snapshot(&Location::default()).await?;
    let http = Arc::clone(&context.http);
    let _turn = context.http.publishing.acquire().await;
    let response = context.work(move || make(&snapshot, &http)).await?;
    Ok(sandboxed(response.send(&context.headers)))
}

pub(crate) async fn index(context: HttpContext, _: Query<NoQuery>) -> Result {
    published(context, move |snapshot, http| {
        let cache = &http.published;
        let skills = publish::published(snapshot, cache)?.filter_map(|skill| {
            let publish::IndexEntry { kind, path, digest } = skill.index_entry(cache)?;
            let url = format!("/.well-known/agent-skills/{path}");
            let (name, description) = (skill.name().to_owned(), skill.description());
            Some(IndexEntry { name, kind: kind.to_owned(), description, url, digest })
        });
        let index = Index { schema: SCHEMA.to_owned(), skills: skills.collect() };
        EncodedResponse::json(&index, Peer::Local, None)
    })
    .await
}

pub(crate) async fn old_index(context: HttpContext, _: Query<NoQuery>) -> Result {
    published(context, move |snapshot, http| {
        let skills = publish::published(snapshot, &http.published)?.map(|skill| OldEntry {
            name: skill.name().to_owned(),
            description: skill.description(),
            files: skill.files(),
        });
        EncodedResponse::json(&OldIndex { skills: skills.collect() }, Peer::Local, None)
    })
    .await
}

pub(crate) async fn archive(context: HttpContext, Path(file): Path<String>, _: Query<NoQuery>) -> Result {
    published(context, move |snapshot, http| {
        let name = file.strip_suffix(".tar.gz").ok_or_else(not_published)?;
        let bytes = publish::find(snapshot, &http.published, name)?.archive()?;
        Ok(EncodedResponse::new(bytes, HeaderValue::from_static("application/gzip")))
    })
    .await
}

pub(crate) async fn file(
    context: HttpContext,
    Path((name, path)): Path<(String, String)>,
    _: Query<NoQuery>,
) -> Result {
    published(context, move |snapshot, http| {
        let (bytes, content_type) = publish::find(snapshot, &http.published, &name)?.read(&path)?;
        Ok(EncodedResponse::skill_file(bytes, content_type))
    })
    .await
}
