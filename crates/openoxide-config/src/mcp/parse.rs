//! Parses the table of an MCP server, and explains what is wrong with it.

use toml::Value;

use super::{McpServer, McpTransport};
use crate::document::dotted_key::quote_part;
use crate::entry::{EntryProblem, is_entry_name, is_variable_name, parse_source, parse_url, text};

const FIELDS: [&str; 8] = ["command", "args", "env", "url", "token_env", "token_file", "transport", "enabled"];

pub(crate) fn parse_server(name: &str, value: &Value) -> Result<McpServer, EntryProblem> {
    if !is_entry_name(name) {
        return Err(EntryProblem::whole("a server's name has letters, digits, `-` and `_`, at most 64"));
    }
    let table = value.as_table().ok_or_else(|| EntryProblem::whole("a server is a table"))?;
    check_fields(table)?;
    let enabled = match table.get("enabled") {
        None => true,
        Some(value) => {
            value.as_bool().ok_or_else(|| EntryProblem::at("enabled", "`enabled` must be `true` or `false`"))?
        }
    };
    let transport = parse_transport(table)?;
    match text(table, "transport")? {
        Some(word) if word != transport.as_str() => {
            let message = format!("`transport` must be `{}` here, or be left out", transport.as_str());
            Err(EntryProblem::at("transport", message))
        }
        _ => Ok(McpServer { transport, enabled }),
    }
}

fn parse_transport(table: &toml::Table) -> Result<McpTransport, EntryProblem> {
    match (text(table, "command")?, text(table, "url")?) {
        (Some(command), None) => {
            if let Some(field) = ["token_env", "token_file"].into_iter().find(|field| table.contains_key(*field)) {
                return Err(EntryProblem::at(field, format!("`{field}` belongs to a `url`")));
            }
            Ok(McpTransport::Stdio { command, args: texts(table, "args")?, env: variable_names(table)? })
        }
        (None, Some(url)) => {
            if table.contains_key("args") || table.contains_key("env") {
                return Err(EntryProblem::at("url", "`args` and `env` belong to a `command`"));
            }
            Ok(McpTransport::Http { token: parse_source(table, &parse_url(&url)?, "token")?, url })
        }
        _ => Err(EntryProblem::whole("a server has either `command` or `url`")),
    }
}

/// Reports a field that a server cannot have. The value is not repeated, because it may be a secret.
fn check_fields(table: &toml::Table) -> Result<(), EntryProblem> {
    let Some(other) = table.keys().find(|key| !FIELDS.contains(&key.as_str())) else { return Ok(()) };
    let message = match other.as_str() {
        "token" => "a token is not written here; name the variable that holds it as `token_env`, or its file as \
                    `token_file`"
            .to_owned(),
        _ => format!("a server has no `{other}`; it has `{}`", FIELDS.join("`, `")),
    };
    Err(EntryProblem::at(&quote_part(other), message))
}

fn texts(table: &toml::Table, field: &str) -> Result<Vec<String>, EntryProblem> {
    let Some(value) = table.get(field) else { return Ok(Vec::new()) };
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let texts = value.as_array().and_then(|values| values.iter().map(text).collect());
    texts.ok_or_else(|| EntryProblem::at(field, format!("`{field}` must be a list of texts")))
}

/// Reads the names of variables. Values have no place in a file that people share.
fn variable_names(table: &toml::Table) -> Result<Vec<String>, EntryProblem> {
    let names = texts(table, "env")?;
    if names.iter().all(|name| is_variable_name(name)) {
        return Ok(names);
    }
    Err(EntryProblem::at("env", "`env` must list names of variables, without values"))
}
