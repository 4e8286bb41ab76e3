//! Parses the trust file. Errors have a line; unknown fields are ignored.

use std::path::PathBuf;

use openoxide_skills::diagnostic::{Code, Diagnostic};
use toml_edit::{Document, Item, TableLike, Value};

use super::record::{Grant, PermissionKind, RememberedAnswer, Timestamp, TrustEntry, TrustRecord, TrustedRemote};

/// Parses all entries, list by list.
pub(super) fn parse(text: &str) -> Result<Vec<TrustEntry>, Diagnostic> {
    let document = Document::parse(text).map_err(|error| {
        let message = format!("the file is not valid TOML: {}", error.message());
        damaged(message).at(text, error.span().unwrap_or(0..0))
    })?;
    let mut entries = Vec::new();
    for (list, parse_entry) in LISTS {
        let Some(item) = document.get(list) else { continue };
        let bad = |message: String, span: Option<Span>| damaged(message).at(text, span.unwrap_or(0..0));
        let tables = tables(item).map_err(|span| bad(format!("`{list}` is not a list of tables"), span))?;
        for (index, (table, span)) in tables.into_iter().enumerate() {
            let record = parse_entry(table).map_err(|field| {
                let at = table.get(field).and_then(Item::span).or_else(|| span.clone());
                bad(format!("`{field}` is missing or wrong in an entry of `{list}`"), at)
            })?;
            let start = span.map_or(0, |span| span.start);
            let line = text.get(..start).unwrap_or_default().matches('\n').count() + 1;
            entries.push(TrustEntry { record, line, index });
        }
    }
    Ok(entries)
}

type Span = std::ops::Range<usize>;

/// Parses an entry, or names the field that is wrong.
type ParseEntry = fn(&dyn TableLike) -> Result<TrustRecord, &'static str>;

const LISTS: [(&str, ParseEntry); 5] =
    [("folders", folder), ("sources", source), ("grants", grant), ("answers", answer), ("remotes", remote)];

type SpannedTable<'i> = (&'i dyn TableLike, Option<Span>);

/// Returns the tables of a list in either form of TOML, or the span of an item that is no table.
fn tables<'i>(item: &'i Item) -> Result<Vec<SpannedTable<'i>>, Option<Span>> {
    match item {
        Item::ArrayOfTables(tables) => Ok(tables.iter().map(|table| (table as &dyn TableLike, table.span())).collect()),
        Item::Value(Value::Array(values)) => {
            let table = |value: &'i Value| match value {
                Value::InlineTable(table) => Ok((table as &dyn TableLike, table.span())),
                other => Err(Value::span(other)),
            };
            values.iter().map(table).collect()
        }
        other => Err(other.span()),
    }
}

fn folder(table: &dyn TableLike) -> Result<TrustRecord, &'static str> {
    Ok(TrustRecord::Folder { path: path(table, "path")?, at: at(table)? })
}

fn source(table: &dyn TableLike) -> Result<TrustRecord, &'static str> {
    Ok(TrustRecord::Source { source: text(table, "source")?, at: at(table)? })
}

fn grant(table: &dyn TableLike) -> Result<TrustRecord, &'static str> {
    let (skill, word) = (path(table, "skill")?, text(table, "permission")?);
    let Some(permission) = PermissionKind::parse(&word) else {
        return Ok(TrustRecord::UnknownGrant { skill, permission: word });
    };
    let texts = |value: &Value| value.as_str().map(str::to_owned);
    let shown = table.get("shown").and_then(Item::as_array).ok_or("shown")?;
    let shown = shown.iter().map(texts).collect::<Option<_>>().ok_or("shown")?;
    Ok(TrustRecord::Grant(Grant { skill, digest: text(table, "digest")?, permission, shown, at: at(table)? }))
}

fn answer(table: &dyn TableLike) -> Result<TrustRecord, &'static str> {
    let agent = table.get("agent").map(|_| text(table, "agent")).transpose()?;
    let (permission, pattern, skill) = (text(table, "permission")?, text(table, "pattern")?, text(table, "skill")?);
    Ok(TrustRecord::Answer(RememberedAnswer { permission, pattern, skill, agent, at: at(table)? }))
}

fn remote(table: &dyn TableLike) -> Result<TrustRecord, &'static str> {
    let (server, uri, digest) = (text(table, "server")?, text(table, "uri")?, text(table, "digest")?);
    Ok(TrustRecord::Remote(TrustedRemote { server, uri, digest, at: at(table)? }))
}

fn text(table: &dyn TableLike, field: &'static str) -> Result<String, &'static str> {
    let text = table.get(field).and_then(Item::as_str).filter(|text| !text.is_empty());
    text.map(str::to_owned).ok_or(field)
}

fn path(table: &dyn TableLike, field: &'static str) -> Result<PathBuf, &'static str> {
    Some(PathBuf::from(text(table, field)?)).filter(|path| path.is_absolute()).ok_or(field)
}

fn at(table: &dyn TableLike) -> Result<Timestamp, &'static str> {
    table.get("at").and_then(Item::as_datetime).map(|at| Timestamp(*at)).ok_or("at")
}

pub(super) fn damaged(message: String) -> Diagnostic {
    let help = "fix the file, or remove it; until then all of it is ignored";
    Diagnostic::warning(Code::ConfigInvalid, message).help(help)
}
