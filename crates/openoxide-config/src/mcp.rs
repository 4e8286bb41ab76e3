//! Servers of tools in `config.toml`, as `[mcp.servers.NAME]`: reading them, and the edit that adds one.

use std::path::Path;

use openoxide_skills::Origin;
use serde_json::json;
use toml::Value;
use toml_edit::{Array, Item, Table, TableLike, value};
use url::{Host, Url};

use crate::document::{join_key, split_key};
use crate::edit::{EditError, edit, table_at};
use crate::layers::Config;

/// Longest name of a server.
const MAX_NAME: usize = 64;

/// A server of tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpServer {
    /// How it is reached.
    pub transport: McpTransport,
    /// Whether it is used.
    pub enabled: bool,
}

/// How a server is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum McpTransport {
    /// A command that is started, and spoken to over its input and output.
    Stdio {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// The variables that it gets, by name: values are never written down.
        env: Vec<String>,
    },
    /// An address.
    Http {
        /// The address.
        url: String,
        /// Where the token is that it wants to see, if it wants one.
        token: Option<TokenSource>,
    },
}

/// Where a token is. It is never in the settings themselves, which people show and share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenSource {
    /// In this variable.
    Variable(String),
    /// In this file, whose path is absolute or begins with `~/`.
    File(String),
}

impl McpTransport {
    /// Returns the word used in files.
    pub fn as_str(&self) -> &'static str {
        match self {
            McpTransport::Stdio { .. } => "stdio",
            McpTransport::Http { .. } => "streamable_http",
        }
    }
}

/// A server, its name, and where it was set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfiguredServer {
    /// Its name.
    pub name: String,
    /// What it is.
    pub server: McpServer,
    /// Where it was set.
    pub origin: Origin,
}

/// What adding a server did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddServerOutcome {
    /// It was added.
    Added,
    /// The same server was there already.
    Same,
    /// Another one has the name; the file was left as it is.
    NameTaken,
}

/// What is wrong with a server.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BadServer {
    /// The field, if it is one.
    pub(crate) field: Option<String>,
    pub(crate) message: String,
}

impl Config {
    /// Returns the servers by name; where several layers have one of a name, the last counts as a whole.
    pub fn mcp_servers(&self) -> Vec<ConfiguredServer> {
        let mut servers: Vec<ConfiguredServer> = Vec::new();
        for layer in self.layers.iter().filter(|layer| layer.is_active) {
            let tables = layer.document.get("mcp.servers").and_then(Value::as_table).into_iter().flatten();
            for (name, table) in tables {
                let Ok(server) = read_server(name, table) else { continue };
                let origin = layer.origin(&join_key(&["mcp".to_owned(), "servers".to_owned(), name.clone()]));
                servers.retain(|other| other.name != *name);
                servers.push(ConfiguredServer { name: name.clone(), server, origin });
            }
        }
        servers.sort_by(|left, right| left.name.cmp(&right.name));
        servers
    }
}

/// Reads a server, or says what is wrong with it.
pub(crate) fn read_server(name: &str, value: &Value) -> Result<McpServer, BadServer> {
    let bad =
        |field: Option<&str>, message: &str| BadServer { field: field.map(str::to_owned), message: message.to_owned() };
    if !is_name(name) {
        return Err(bad(None, "a server's name has letters, digits, `-` and `_`, at most 64"));
    }
    let table = value.as_table().ok_or_else(|| bad(None, "a server is a table"))?;
    known_fields(table)?;
    let text = |field| match table.get(field) {
        None => Ok(None),
        Some(Value::String(text)) if !text.is_empty() => Ok(Some(text.clone())),
        Some(_) => Err(bad(Some(field), &format!("`{field}` must be text"))),
    };
    let enabled = match table.get("enabled") {
        None => true,
        Some(value) => value.as_bool().ok_or_else(|| bad(Some("enabled"), "`enabled` must be `true` or `false`"))?,
    };
    let transport = match (text("command")?, text("url")?) {
        (Some(command), None) => {
            if let Some(field) = ["token_env", "token_file"].into_iter().find(|field| table.contains_key(*field)) {
                return Err(bad(Some(field), &format!("`{field}` belongs to a `url`")));
            }
            McpTransport::Stdio { command, args: texts(table, "args")?, env: names(table)? }
        }
        (None, Some(url)) => McpTransport::Http { token: token(table, &address(table, &url)?)?, url },
        _ => return Err(bad(None, "a server has either `command` or `url`")),
    };
    match text("transport")? {
        Some(word) if word != transport.as_str() => {
            let message = format!("`transport` must be `{}` here, or be left out", transport.as_str());
            Err(bad(Some("transport"), &message))
        }
        _ => Ok(McpServer { transport, enabled }),
    }
}

/// Tells whether a dotted key says how a server is reached.
pub(crate) fn is_way(parts: &[String]) -> bool {
    matches!(parts, [mcp, servers, _, way] if mcp == "mcp" && servers == "servers" && (way == "url" || way == "command"))
}

/// Returns the dotted key of the server that a key is a part of.
pub(crate) fn server_of(key: &str) -> Option<String> {
    let parts = split_key(key);
    let is_part = parts.len() > 3 && parts[0] == "mcp" && parts[1] == "servers";
    is_part.then(|| join_key(&parts[..3]))
}

const FIELDS: [&str; 8] = ["command", "args", "env", "url", "token_env", "token_file", "transport", "enabled"];

/// Tells what a server cannot have; the value is not repeated, because it may be a secret.
fn known_fields(table: &toml::Table) -> Result<(), BadServer> {
    let Some(other) = table.keys().find(|key| !FIELDS.contains(&key.as_str())) else { return Ok(()) };
    let message = match other.as_str() {
        "token" => "a token is not written here; name the variable that holds it as `token_env`, or its file as \
                    `token_file`"
            .to_owned(),
        _ => format!("a server has no `{other}`; it has `{}`", FIELDS.join("`, `")),
    };
    Err(BadServer { field: Some(join_key(std::slice::from_ref(other))), message })
}

fn is_name(name: &str) -> bool {
    let plain = |character: char| character.is_ascii_alphanumeric() || character == '-' || character == '_';
    !name.is_empty() && name.len() <= MAX_NAME && name.chars().all(plain)
}

fn texts(table: &toml::Table, field: &'static str) -> Result<Vec<String>, BadServer> {
    let Some(value) = table.get(field) else { return Ok(Vec::new()) };
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let texts = value.as_array().and_then(|values| values.iter().map(text).collect());
    texts.ok_or_else(|| BadServer {
        field: Some(field.to_owned()),
        message: format!("`{field}` must be a list of texts"),
    })
}

/// Reads the names of variables. A value has no place in a file that people share.
fn names(table: &toml::Table) -> Result<Vec<String>, BadServer> {
    let names = texts(table, "env")?;
    if names.iter().all(|name| is_variable(name)) {
        return Ok(names);
    }
    let message = "`env` must list names of variables, without values".to_owned();
    Err(BadServer { field: Some("env".to_owned()), message })
}

fn is_variable(name: &str) -> bool {
    let plain = |character: char| character.is_ascii_alphanumeric() || character == '_';
    !name.is_empty() && !name.starts_with(|first: char| first.is_ascii_digit()) && name.chars().all(plain)
}

/// Reads where the token of a server is. What is wrong is told without the value, which may be the token itself.
fn token(table: &toml::Table, url: &Url) -> Result<Option<TokenSource>, BadServer> {
    let bad = |field: &str, message: &str| BadServer { field: Some(field.to_owned()), message: message.to_owned() };
    let text = |field: &str| table.get(field).map(|value| value.as_str().unwrap_or_default().to_owned());
    let source = match (text("token_env"), text("token_file")) {
        (None, None) => return Ok(None),
        (Some(_), Some(_)) => {
            return Err(bad("token_file", "a token is in one place: `token_env` or `token_file`, not both"));
        }
        (Some(name), None) if is_variable(&name) => TokenSource::Variable(name),
        (Some(_), None) => {
            return Err(bad("token_env", "`token_env` must be the name of a variable that holds the token"));
        }
        (None, Some(path)) if path.starts_with('/') || path.starts_with("~/") => TokenSource::File(path),
        (None, Some(_)) => {
            return Err(bad("token_file", "`token_file` must be a path that begins with `/` or `~/`"));
        }
    };
    // On the way, anybody could read it.
    if url.scheme() != "https" && !is_loopback_url(url) {
        return Err(bad("url", "a token is sent to `https://` or to this machine only"));
    }
    Ok(Some(source))
}

/// Tells whether an address is one of this machine, so that nobody on the way can read what is sent there.
pub fn is_loopback_url(address: &Url) -> bool {
    match address.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// Reads an address as it will be reached, and refuses one that could mean two things.
fn address(table: &toml::Table, url: &str) -> Result<Url, BadServer> {
    let bad = |message: &str| BadServer { field: Some("url".to_owned()), message: message.to_owned() };
    if table.contains_key("args") || table.contains_key("env") {
        return Err(bad("`args` and `env` belong to a `command`"));
    }
    let no_server = || bad("`url` must begin with `https://` or `http://` and name a server");
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let authority = rest.unwrap_or_default().split(['/', '?', '#']).next().unwrap_or_default();
    if authority.is_empty() || url.chars().any(|character| character.is_control() || character.is_whitespace()) {
        return Err(no_server());
    }
    if authority.contains('@') {
        return Err(bad("`url` must not hold a user or a password"));
    }
    Url::parse(url).map_err(|_| no_server())
}

/// Returns the JSON Schema of the table of servers.
pub(crate) fn servers_schema() -> serde_json::Value {
    let texts = json!({"type": "array", "items": {"type": "string"}});
    json!({
        "type": "object",
        "propertyNames": {"pattern": "^[A-Za-z0-9_-]{1,64}$"},
        "additionalProperties": {
            "type": "object",
            "additionalProperties": false,
            "oneOf": [{"required": ["command"]}, {"required": ["url"]}],
            "properties": {
                "command": {"type": "string", "minLength": 1},
                "args": texts,
                "env": {"type": "array", "items": {"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"}},
                "url": {"type": "string", "pattern": "^https?://"},
                "token_env": {"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"},
                "token_file": {"type": "string", "pattern": "^~?/"},
                "transport": {"enum": ["stdio", "streamable_http"]},
                "enabled": {"type": "boolean"},
            },
        },
    })
}

/// Tells whether a server could be written under a name, before anybody is asked.
pub fn validate_mcp_server(name: &str, server: &McpServer) -> Result<(), EditError> {
    let mut table = Table::new();
    fill(&mut table, server);
    let whole: Value = toml::from_str::<toml::Table>(&table.to_string()).map_or(Value::Boolean(false), Value::Table);
    let bad = |bad: BadServer| EditError::BadServer { name: name.to_owned(), message: bad.message };
    read_server(name, &whole).map(drop).map_err(bad)
}

/// Adds a server to a settings file; comments, order and formatting stay.
pub fn add_mcp_server(path: &Path, name: &str, server: &McpServer) -> Result<AddServerOutcome, EditError> {
    validate_mcp_server(name, server)?;
    let mut table = Table::new();
    fill(&mut table, server);
    let mut added = AddServerOutcome::Added;
    edit(path, |document| {
        let outer = ["mcp".to_owned(), "servers".to_owned()];
        let servers = table_at(document, &outer, path, "mcp.servers")?;
        match servers.get(name) {
            None => drop(servers.insert(name, Item::Table(table))),
            Some(there) if is_same(there, name, server) => added = AddServerOutcome::Same,
            Some(_) => added = AddServerOutcome::NameTaken,
        }
        Ok(())
    })?;
    Ok(added)
}

/// Writes a server's fields; what has its default is left out.
fn fill(table: &mut dyn TableLike, server: &McpServer) {
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
}

fn is_same(there: &Item, name: &str, server: &McpServer) -> bool {
    let Some(table) = there.as_table_like() else { return false };
    let mut plain = Table::new();
    for (key, item) in table.iter() {
        plain.insert(key, item.clone());
    }
    let read = toml::from_str::<toml::Table>(&plain.to_string()).ok();
    read.and_then(|table| read_server(name, &Value::Table(table)).ok()).as_ref() == Some(server)
}

#[cfg(test)]
mod tests;
