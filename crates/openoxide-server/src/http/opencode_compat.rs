//! Answers clients of opencode in the shape that they expect, for hosts whose rules state that shape.

use axum::response::Response;
use http::HeaderValue;
use openoxide_app::encoding::percent_decode;
use openoxide_app::skill_texts::{self, RecordHost, SkillText};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::extract::{HttpContext, Location, Query};
use crate::answer::Failure;

/// The folder, as such clients name it.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct RecordsQuery {
    /// The folder to look from, absolute; only for whoever asks from this machine.
    directory: Option<String>,
}

/// A skill as a record.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SkillRecord {
    /// Its name.
    name: String,
    /// What it is for; null if it does not say.
    description: Option<String>,
    /// Its file.
    location: String,
    /// Its text without the frontmatter.
    content: String,
}

/// A skill as a command.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CommandRecord {
    /// Its name.
    name: String,
    /// What it is for; null if it does not say.
    description: Option<String>,
    /// Always `skill`.
    source: String,
    /// What is sent when it is called, before arguments are put in.
    template: String,
    /// What its arguments are called; none are known.
    hints: Vec<String>,
}

pub(crate) async fn skills(context: HttpContext, Query(query): Query<RecordsQuery>) -> Result<Response, Failure> {
    let at = location(&context, query).await?;
    let snapshot = context.state(&at).await?;
    context
        .cached_json_if_complete(&snapshot, "records", String::new(), |snapshot| {
            let (records, is_complete) = skill_texts::skills(snapshot)?;
            let record = |record: SkillText| SkillRecord {
                name: record.name,
                description: record.description,
                location: record.path,
                content: record.content,
            };
            Ok((records.into_iter().map(record).collect::<Vec<_>>(), is_complete))
        })
        .await
}

pub(crate) async fn commands(context: HttpContext, Query(query): Query<RecordsQuery>) -> Result<Response, Failure> {
    let at = location(&context, query).await?;
    let snapshot = context.state(&at).await?;
    context
        .cached_json_if_complete(&snapshot, "commands", String::new(), |snapshot| {
            let (records, is_complete) = skill_texts::commands(snapshot)?;
            let command = |record: SkillText| CommandRecord {
                name: record.name,
                description: record.description,
                source: "skill".to_owned(),
                template: record.template,
                hints: Vec::new(),
            };
            Ok((records.into_iter().map(command).collect::<Vec<_>>(), is_complete))
        })
        .await
}

/// Returns where to look: by the host that answers in this shape; in the folder that the address names, or else a header.
async fn location(context: &HttpContext, query: RecordsQuery) -> Result<Location, Failure> {
    let mut at = Location { directory: query.directory, ..Location::default() };
    let snapshot = context.state(&at).await?;
    let RecordHost { host, folder_header } = context.work(move || Ok(skill_texts::host(&snapshot)?)).await?;
    at.host = host;
    if at.directory.is_none() {
        at.directory = folder_header.and_then(|name| named(context.headers.get(name)?));
    }
    Ok(at)
}

/// Reads a folder from a header, as it is or percent-encoded.
fn named(value: &HeaderValue) -> Option<String> {
    let text = std::str::from_utf8(value.as_bytes()).ok()?;
    let decoded = percent_decode(text).and_then(|bytes| String::from_utf8(bytes).ok());
    Some(decoded.unwrap_or_else(|| text.to_owned()))
}
