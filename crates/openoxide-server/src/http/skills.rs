//! Lists the active skills and those of MCP servers, and shows one.

use std::collections::BTreeSet;

use http::StatusCode;
use openoxide_app::{Audience, Error, ErrorKind, Snapshot, list, remote, show};
use openoxide_wire::{LimitLine, OtherLine, SchemaVersion, ShowAnswer, SkillLine};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::extract::keys;
use super::{HttpContext, Location, Path, Query, Result};
use crate::{Conversation, Failure, Nobody};

/// Most skills of one page.
const LIMIT_MAX: usize = 10_000;

/// Which skills.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ListQuery {
    #[serde(flatten)]
    at: Location,
    /// Whether to list ignored skills too, each with its reason; they come after the active ones.
    #[serde(default)]
    all: bool,
    /// Most skills to list; absent: all of them.
    #[schemars(range(min = 1, max = 10_000))]
    limit: Option<usize>,
    /// Where to go on: `next_cursor` of the page before.
    cursor: Option<String>,
    /// The fields of each skill to answer besides `id`, with commas between them; absent: all of them.
    fields: Option<String>,
}

/// The skills of a place.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SkillsAnswer {
    /// The version of the format.
    schema: SchemaVersion,
    /// The host whose rules were followed.
    host: String,
    /// Grows whenever something changes at the place.
    version: u64,
    /// Active skills, in the host's order.
    skills: Vec<Listed<SkillLine>>,
    /// Everything else that was found, by path, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    others: Option<Vec<Listed<OtherLine>>>,
    /// Limits that were reached.
    limits: Vec<LimitLine>,
    /// What to send as `cursor` for the next page; absent: there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

/// A line with what it is called in an address.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Listed<T> {
    /// What it is called in an address.
    id: String,
    #[serde(flatten)]
    line: T,
}

/// Everything about one skill.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SkillAnswer {
    /// What it is called in an address.
    id: String,
    #[serde(flatten)]
    answer: ShowAnswer,
}

pub(crate) async fn list(context: HttpContext, Query(query): Query<ListQuery>) -> Result {
    let fields = query.fields.as_deref().map(chosen_fields).transpose()?;
    if query.limit.is_some_and(|limit| !(1..=LIMIT_MAX).contains(&limit)) {
        return Err(bad_query(format!("`limit` is a number from 1 to {LIMIT_MAX}")));
    }
    let snapshot = context.snapshot(&query.at).await?;
    let subject = json!([query.all, query.limit, query.cursor, fields]).to_string();
    let make = move |snapshot: &Snapshot| {
        let listing = list::list(snapshot, Audience::Program, None)?;
        let others = if query.all { listed(listing.other_lines()) } else { Vec::new() };
        let page = Page::cut(listed(listing.skill_lines()), others, &query)?;
        let answer = SkillsAnswer {
            schema: SchemaVersion::default(),
            host: snapshot.catalog.host.clone(),
            version: snapshot.version,
            skills: page.skills,
            others: query.all.then_some(page.others),
            limits: listing.limit_lines(),
            next_cursor: page.next,
        };
        with_fields(&answer, fields.as_deref())
    };
    context.cached_json(&snapshot, "skills", subject, make).await
}

fn listed<T>(lines: Vec<(String, T)>) -> Vec<Listed<T>> {
    lines.into_iter().map(|(id, line)| Listed { id, line }).collect()
}

/// A part of the list.
struct Page {
    skills: Vec<Listed<SkillLine>>,
    others: Vec<Listed<OtherLine>>,
    next: Option<String>,
}

impl Page {
    /// Cuts out the part that a query asks for. A cursor is the id of the last skill before it.
    fn cut(mut skills: Vec<Listed<SkillLine>>, mut others: Vec<Listed<OtherLine>>, query: &ListQuery) -> Result<Page> {
        let ids: Vec<&String> = skills.iter().map(|line| &line.id).chain(others.iter().map(|line| &line.id)).collect();
        let after = |cursor: &String| ids.iter().position(|id| *id == cursor).map(|at| at + 1);
        let start = match &query.cursor {
            None => 0,
            Some(cursor) => after(cursor).ok_or_else(|| {
                bad_query("`cursor` is not one of this list, or its skill is gone".to_owned())
                    .help("list from the start")
            })?,
        };
        let end = query.limit.map_or(ids.len(), |limit| ids.len().min(start + limit));
        let next = (end < ids.len()).then(|| ids[end - 1].clone());
        let active = skills.len();
        skills.truncate(end);
        skills.drain(..start.min(skills.len()));
        others.truncate(end.saturating_sub(active));
        others.drain(..start.saturating_sub(active).min(others.len()));
        Ok(Page { skills, others, next })
    }
}

fn bad_query(text: String) -> Failure {
    Failure::new(StatusCode::BAD_REQUEST, "bad-query", text)
}

/// Reads which fields of a skill are answered; each must be one that a skill can have.
fn chosen_fields(text: &str) -> Result<Vec<String>> {
    let known: BTreeSet<String> = keys::<Listed<SkillLine>>().into_iter().chain(keys::<Listed<OtherLine>>()).collect();
    let fields: Vec<String> = text.split(',').map(|field| field.trim().to_owned()).collect();
    match fields.iter().find(|field| !known.contains(*field)) {
        None => Ok(fields),
        Some(field) => {
            let known = known.into_iter().collect::<Vec<_>>().join(", ");
            Err(bad_query(format!("there is no field `{field}`")).help(format!("fields: {known}")))
        }
    }
}

/// Keeps the chosen fields of each skill, and its id.
fn with_fields(answer: &SkillsAnswer, fields: Option<&[String]>) -> Result<Value> {
    let mut answer = serde_json::to_value(answer).map_err(|error| Failure::from(internal(&error)))?;
    let Some(fields) = fields else { return Ok(answer) };
    for list in ["skills", "others"] {
        let lines = answer.get_mut(list).and_then(Value::as_array_mut);
        for line in lines.into_iter().flatten().filter_map(Value::as_object_mut) {
            line.retain(|key, _| key == "id" || fields.contains(key));
        }
    }
    Ok(answer)
}

fn internal(error: &serde_json::Error) -> Error {
    Error::other(ErrorKind::Internal, "internal", error.to_string())
}

pub(crate) async fn show(context: HttpContext, Path(id): Path<String>, Query(at): Query<Location>) -> Result {
    let snapshot = context.snapshot(&at).await?;
    context
        .cached_json(&snapshot, "skill", id.clone(), move |snapshot| {
            let (id, answer) = show::show_by_id(snapshot, &id)?;
            Ok(SkillAnswer { id, answer })
        })
        .await
}

/// Lists the skills that the MCP servers of the settings offer.
pub(crate) async fn remote(context: HttpContext, Query(at): Query<Location>) -> Result {
    let snapshot = context.snapshot(&at).await?;
    let operation = remote::list(&snapshot)?;
    let (_, listing) = context.engine.complete(&snapshot, operation, &Conversation::default(), &mut Nobody).await??;
    context.fresh_json(snapshot, move |_| Ok(listing.answer())).await
}
