//! Answers clients of opencode in the shape that they expect, for hosts whose rules state that shape.

use std::sync::Arc;

use http::HeaderValue;
use openoxide_app::skill_texts::{self, RecordHost, SkillText};
use openoxide_app::{Error, Snapshot, encoding::percent_decode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{HttpContext, Location, Query, Result};

/// The folder, as such clients name it.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct RecordsQuery {
    /// The folder to look from, absolute; only for clients on this machine.
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

pub(crate) async fn skills(context: HttpContext, Query(query): Query<RecordsQuery>) -> Result {
    let record = |SkillText { name, description, path: location, content, .. }| SkillRecord {
        name,
        description,
        location,
        content,
    };
    records(context, query, "records", skill_texts::skills, record).await
}

pub(crate) async fn commands(context: HttpContext, Query(query): Query<RecordsQuery>) -> Result {
    let record = |SkillText { name, description, template, .. }| CommandRecord {
        name,
        description,
        source: "skill".to_owned(),
        template,
        hints: Vec::new(),
    };
    records(context, query, "commands", skill_texts::commands, record).await
}

/// Skills, and whether that is all of them.
type Texts = (Vec<SkillText>, bool);

async fn records<T: Serialize + 'static>(
    context: HttpContext,
    query: RecordsQuery,
    route: &'static str,
    texts: fn(&Snapshot) -> Result<Texts, Error>,
    record: fn(SkillText) -> T,
) -> Result {
    let snapshot = snapshot(&context, query).await?;
    context
        .cached_json_if_complete(&snapshot, route, String::new(), move |snapshot| {
            let (texts, is_complete) = texts(snapshot)?;
            Ok((texts.into_iter().map(record).collect::<Vec<_>>(), is_complete))
        })
        .await
}

/// Returns the snapshot for the host that answers in this shape, in the folder that the address names, or else a header.
async fn snapshot(context: &HttpContext, query: RecordsQuery) -> Result<Arc<Snapshot>> {
    let mut at = Location { directory: query.directory, ..Location::default() };
    let snapshot = context.snapshot(&at).await?;
    let RecordHost { host, folder_header } = context.work(move || Ok(skill_texts::host(&snapshot)?)).await?;
    at.host = host;
    at.directory = at.directory.or_else(|| folder_header.and_then(|name| named(context.headers.get(name)?)));
    context.snapshot(&at).await
}

/// Reads a folder from a header, as it is or percent-encoded.
fn named(value: &HeaderValue) -> Option<String> {
    let text = std::str::from_utf8(value.as_bytes()).ok()?;
    let decoded = percent_decode(text).and_then(|bytes| String::from_utf8(bytes).ok());
    Some(decoded.unwrap_or_else(|| text.to_owned()))
}
