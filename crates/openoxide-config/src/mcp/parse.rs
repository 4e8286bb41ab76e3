//! Parses the table of an MCP server, and explains what is wrong with it.

use toml::Value;
use url::{Host, Url};

use super::{McpServer, McpTransport, TokenSource};
use crate::document::dotted_key::quote_part;

const MAX_NAME: usize = 64;

const FIELDS: [&str; 8] = ["command", "args", "env", "url", "token_env", "token_file", "transport", "enabled"];

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ServerProblem {
    /// The field, unless the problem is about the server as a whole.
    pub(crate) field: Option<String>,
    pub(crate) message: String,
}

impl ServerProblem {
    fn whole(message: &str) -> ServerProblem {
        ServerProblem { field: None, message: message.to_owned() }
    }

    fn at(field: &str, message: impl Into<String>) -> ServerProblem {
        ServerProblem { field: Some(field.to_owned()), message: message.into() }
    }
}

pub(crate) fn parse_server(name: &str, value: &Value) -> Result<McpServer, ServerProblem> {
    if !is_server_name(name) {
        return Err(ServerProblem::whole("a server's name has letters, digits, `-` and `_`, at most 64"));
    }
    let table = value.as_table().ok_or_else(|| ServerProblem::whole("a server is a table"))?;
    check_fields(table)?;
    let enabled = match table.get("enabled") {
        None => true,
        Some(value) => {
            value.as_bool().ok_or_else(|| ServerProblem::at("enabled", "`enabled` must be `true` or `false`"))?
        }
    };
    let transport = parse_transport(table)?;
    match text(table, "transport")? {
        Some(word) if word != transport.as_str() => {
            let message = format!("`transport` must be `{}` here, or be left out", transport.as_str());
            Err(ServerProblem::at("transport", message))
        }
        _ => Ok(McpServer { transport, enabled }),
    }
}

fn parse_transport(table: &toml::Table) -> Result<McpTransport, ServerProblem> {
    match (text(table, "command")?, text(table, "url")?) {
        (Some(command), None) => {
            if let Some(field) = ["token_env", "token_file"].into_iter().find(|field| table.contains_key(*field)) {
                return Err(ServerProblem::at(field, format!("`{field}` belongs to a `url`")));
            }
            Ok(McpTransport::Stdio { command, args: texts(table, "args")?, env: variable_names(table)? })
        }
        (None, Some(url)) => Ok(McpTransport::Http { token: parse_token(table, &parse_url(table, &url)?)?, url }),
        _ => Err(ServerProblem::whole("a server has either `command` or `url`")),
    }
}

/// Reports a field that a server cannot have. The value is not repeated, because it may be a secret.
fn check_fields(table: &toml::Table) -> Result<(), ServerProblem> {
    let Some(other) = table.keys().find(|key| !FIELDS.contains(&key.as_str())) else { return Ok(()) };
    let message = match other.as_str() {
        "token" => "a token is not written here; name the variable that holds it as `token_env`, or its file as \
                    `token_file`"
            .to_owned(),
        _ => format!("a server has no `{other}`; it has `{}`", FIELDS.join("`, `")),
    };
    Err(ServerProblem::at(&quote_part(other), message))
}

fn is_server_name(name: &str) -> bool {
    let plain = |character: char| character.is_ascii_alphanumeric() || character == '-' || character == '_';
    !name.is_empty() && name.len() <= MAX_NAME && name.chars().all(plain)
}

fn text(table: &toml::Table, field: &str) -> Result<Option<String>, ServerProblem> {
    match table.get(field) {
        None => Ok(None),
        Some(Value::String(text)) if !text.is_empty() => Ok(Some(text.clone())),
        Some(_) => Err(ServerProblem::at(field, format!("`{field}` must be text"))),
    }
}

fn texts(table: &toml::Table, field: &str) -> Result<Vec<String>, ServerProblem> {
    let Some(value) = table.get(field) else { return Ok(Vec::new()) };
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let texts = value.as_array().and_then(|values| values.iter().map(text).collect());
    texts.ok_or_else(|| ServerProblem::at(field, format!("`{field}` must be a list of texts")))
}

/// Reads the names of variables. Values have no place in a file that people share.
fn variable_names(table: &toml::Table) -> Result<Vec<String>, ServerProblem> {
    let names = texts(table, "env")?;
    if names.iter().all(|name| is_variable_name(name)) {
        return Ok(names);
    }
    Err(ServerProblem::at("env", "`env` must list names of variables, without values"))
}

fn is_variable_name(name: &str) -> bool {
    let plain = |character: char| character.is_ascii_alphanumeric() || character == '_';
    !name.is_empty() && !name.starts_with(|first: char| first.is_ascii_digit()) && name.chars().all(plain)
}

/// Reads where the token of a server is. Messages leave out the value, which may be the token itself.
fn parse_token(table: &toml::Table, url: &Url) -> Result<Option<TokenSource>, ServerProblem> {
    let text = |field: &str| table.get(field).map(|value| value.as_str().unwrap_or_default().to_owned());
    let wrong = |field, message: &str| Err(ServerProblem::at(field, message));
    let source = match (text("token_env"), text("token_file")) {
        (None, None) => return Ok(None),
        (Some(_), Some(_)) => {
            return wrong("token_file", "a token is in one place: `token_env` or `token_file`, not both");
        }
        (Some(name), None) if is_variable_name(&name) => TokenSource::Variable(name),
        (Some(_), None) => {
            return wrong("token_env", "`token_env` must be the name of a variable that holds the token");
        }
        (None, Some(path)) if path.starts_with('/') || path.starts_with("~/") => TokenSource::File(path),
        (None, Some(_)) => return wrong("token_file", "`token_file` must be a path that begins with `/` or `~/`"),
    };
    // Plain HTTP shows the token to everyone on the way.
    if url.scheme() != "https" && !is_loopback_url(url) {
        return wrong("url", "a token is sent to `https://` or to this machine only");
    }
    Ok(Some(source))
}

/// Tells whether a URL is one of this machine, so that nobody on the way can read what is sent there.
pub fn is_loopback_url(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// Parses a URL, and refuses what the `url` crate would repair: the text has to mean what it says.
fn parse_url(table: &toml::Table, url: &str) -> Result<Url, ServerProblem> {
    if table.contains_key("args") || table.contains_key("env") {
        return Err(ServerProblem::at("url", "`args` and `env` belong to a `command`"));
    }
    let no_server = || ServerProblem::at("url", "`url` must begin with `https://` or `http://` and name a server");
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let authority = rest.unwrap_or_default().split(['/', '?', '#']).next().unwrap_or_default();
    if authority.is_empty() || url.chars().any(|character| character.is_control() || character.is_whitespace()) {
        return Err(no_server());
    }
    if authority.contains('@') {
        return Err(ServerProblem::at("url", "`url` must not hold a user or a password"));
    }
    Url::parse(url).map_err(|_| no_server())
}
