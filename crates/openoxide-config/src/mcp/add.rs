//! Adds a server to a settings file.

use std::path::Path;

use toml::Value;
use toml_edit::{Array, Item, Table, value};

use super::parse::parse_server;
use super::{McpServer, McpTransport, server_key};
use crate::entry::EntryProblem;
use crate::settings::edit::{edit, table::table_at, values};
use crate::{EditError, SettingsOwner, TokenSource, document::dotted_key};

/// The outcome of adding a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddServerOutcome {
    /// The server was added.
    Added,
    /// The same server was there already.
    Same,
    /// Another server has the name; the file was not changed.
    NameTaken,
}

/// Checks whether a server could be added under a name, so that nobody is asked about one that cannot.
pub fn validate_mcp_server(name: &str, server: &McpServer) -> Result<(), EditError> {
    let whole = plain_value(&server_table(server)).unwrap_or(Value::Boolean(false));
    let bad = |problem: EntryProblem| EditError::BadServer { name: name.to_owned(), message: problem.message };
    parse_server(name, &whole).map(drop).map_err(bad)
}

/// Adds a server to a settings file. Comments, order and formatting stay.
pub fn add_mcp_server(path: &Path, name: &str, server: &McpServer) -> Result<AddServerOutcome, EditError> {
    validate_mcp_server(name, server)?;
    let mut outcome = AddServerOutcome::Added;
    edit(path, SettingsOwner::User, |document| {
        let values = values(document);
        let existing = dotted_key::get(&values, &server_key(name)).and_then(|table| parse_server(name, table).ok());
        let outer = ["mcp".to_owned(), "servers".to_owned()];
        let servers = table_at(document, &outer, path, "mcp.servers")?;
        match servers.get(name) {
            None => drop(servers.insert(name, Item::Table(server_table(server)))),
            Some(_) if existing.as_ref() == Some(server) => outcome = AddServerOutcome::Same,
            Some(_) => outcome = AddServerOutcome::NameTaken,
        }
        Ok::<(), EditError>(())
    })?;
    Ok(outcome)
}

/// Returns a server's fields without those that have their default.
fn server_table(server: &McpServer) -> Table {
    let mut table = Table::new();
    let list = |texts: &[String]| value(texts.iter().map(String::as_str).collect::<Array>());
    match &server.transport {
        McpTransport::Stdio { command, args, env } => {
            table.insert("command", value(command));
            for (field, texts) in [("args", args), ("env", env)].into_iter().filter(|(_, texts)| !texts.is_empty()) {
                table.insert(field, list(texts));
            }
        }
        McpTransport::Http { url, token } => {
            table.insert("url", value(url));
            match token {
                Some(TokenSource::Variable(name)) => drop(table.insert("token_env", value(name))),
                Some(TokenSource::File(path)) => drop(table.insert("token_file", value(path))),
                None => {}
            }
        }
    }
    if !server.enabled {
        table.insert("enabled", value(false));
    }
    table
}

/// Returns a table as the value that a reader of the file gets.
fn plain_value(table: &Table) -> Option<Value> {
    toml::from_str::<toml::Table>(&table.to_string()).ok().map(Value::Table)
}
