//! Parses the table of a model, and explains what is wrong with it.

use toml::{Table, Value};

use super::{ModelApi, ModelSettings};
use crate::document::dotted_key::quote_part;
use crate::entry::{EntryProblem, is_entry_name, parse_source, parse_url, text};

const FIELDS: [&str; 6] = ["url", "api", "model", "key_env", "key_file", "context"];

pub(crate) fn parse_model(name: &str, value: &Value) -> Result<ModelSettings, EntryProblem> {
    if !is_entry_name(name) {
        return Err(EntryProblem::whole("a model's name has letters, digits, `-` and `_`, at most 64"));
    }
    let table = value.as_table().ok_or_else(|| EntryProblem::whole("a model is a table"))?;
    check_fields(table)?;
    let written = text(table, "url")?.ok_or_else(|| EntryProblem::whole("a model needs a `url`"))?;
    let url = parse_url(&written)?;
    // A path is added behind it.
    if url.query().is_some() || url.fragment().is_some() {
        return Err(EntryProblem::at("url", "`url` must end before `?` and `#`"));
    }
    let api = match text(table, "api")? {
        None => ModelApi::default(),
        Some(word) => ModelApi::parse(&word).ok_or_else(|| {
            EntryProblem::at("api", format!("`api` must be one of `{}`", ModelApi::WORDS.join("`, `")))
        })?,
    };
    Ok(ModelSettings {
        api,
        model: text(table, "model")?.unwrap_or_else(|| name.to_owned()),
        key: parse_source(table, &url, "key")?,
        context: parse_context(table)?,
        url: written,
    })
}

fn parse_context(table: &Table) -> Result<Option<u64>, EntryProblem> {
    let Some(value) = table.get("context") else { return Ok(None) };
    let tokens = value.as_integer().and_then(|tokens| u64::try_from(tokens).ok()).filter(|tokens| *tokens > 0);
    tokens.map(Some).ok_or_else(|| EntryProblem::at("context", "`context` must be a number of tokens, 1 or more"))
}

/// Reports a field that a model cannot have. The value is not repeated, because it may be a secret.
fn check_fields(table: &Table) -> Result<(), EntryProblem> {
    let Some(other) = table.keys().find(|key| !FIELDS.contains(&key.as_str())) else { return Ok(()) };
    let message = match other.as_str() {
        "key" | "api_key" => {
            "a key is not written here; name the variable that holds it as `key_env`, or its file as `key_file`"
                .to_owned()
        }
        _ => format!("a model has no `{other}`; it has `{}`", FIELDS.join("`, `")),
    };
    Err(EntryProblem::at(&quote_part(other), message))
}
