//! What the tables of servers and of models share: names, addresses, and where a secret is.

use toml::{Table, Value};
use url::{Host, Url};

use crate::TokenSource;
use crate::document::dotted_key::{join_key, split_key};

const MAX_NAME: usize = 64;

/// What is wrong with a table.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct EntryProblem {
    /// The field, unless the problem is about the table as a whole.
    pub(crate) field: Option<String>,
    pub(crate) message: String,
}

impl EntryProblem {
    pub(crate) fn whole(message: &str) -> EntryProblem {
        EntryProblem { field: None, message: message.to_owned() }
    }

    pub(crate) fn at(field: &str, message: impl Into<String>) -> EntryProblem {
        EntryProblem { field: Some(field.to_owned()), message: message.into() }
    }
}

pub(crate) fn is_entry_name(name: &str) -> bool {
    let plain = |character: char| character.is_ascii_alphanumeric() || character == '-' || character == '_';
    !name.is_empty() && name.len() <= MAX_NAME && name.chars().all(plain)
}

pub(crate) fn text(table: &Table, field: &str) -> Result<Option<String>, EntryProblem> {
    match table.get(field) {
        None => Ok(None),
        Some(Value::String(text)) if !text.is_empty() => Ok(Some(text.clone())),
        Some(_) => Err(EntryProblem::at(field, format!("`{field}` must be text"))),
    }
}

pub(crate) fn is_variable_name(name: &str) -> bool {
    let plain = |character: char| character.is_ascii_alphanumeric() || character == '_';
    !name.is_empty() && !name.starts_with(|first: char| first.is_ascii_digit()) && name.chars().all(plain)
}

/// Reads where the token or the key for a URL is, as `what` people call it. Messages leave out the value, which may be the
/// secret itself.
pub(crate) fn parse_source(table: &Table, url: &Url, what: &str) -> Result<Option<TokenSource>, EntryProblem> {
    let (in_variable, in_file) = (format!("{what}_env"), format!("{what}_file"));
    let text = |field: &str| table.get(field).map(|value| value.as_str().unwrap_or_default().to_owned());
    let wrong = |field: &str, message: String| Err(EntryProblem::at(field, message));
    let source = match (text(&in_variable), text(&in_file)) {
        (None, None) => return Ok(None),
        (Some(_), Some(_)) => {
            return wrong(&in_file, format!("a {what} is in one place: `{in_variable}` or `{in_file}`, not both"));
        }
        (Some(name), None) if is_variable_name(&name) => TokenSource::Variable(name),
        (Some(_), None) => {
            return wrong(
                &in_variable,
                format!("`{in_variable}` must be the name of a variable that holds the {what}"),
            );
        }
        (None, Some(path)) if path.starts_with('/') || path.starts_with("~/") => TokenSource::File(path),
        (None, Some(_)) => {
            return wrong(&in_file, format!("`{in_file}` must be a path that begins with `/` or `~/`"));
        }
    };
    if !keeps_secrets(url) {
        return wrong("url", format!("a {what} is sent to `https://` or to this machine only"));
    }
    Ok(Some(source))
}

/// Tells whether a secret may be sent to a URL: plain HTTP shows it to everyone on the way.
pub fn keeps_secrets(url: &Url) -> bool {
    url.scheme() == "https" || is_loopback_url(url)
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
pub(crate) fn parse_url(url: &str) -> Result<Url, EntryProblem> {
    let no_server = || EntryProblem::at("url", "`url` must begin with `https://` or `http://` and name a server");
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let authority = rest.unwrap_or_default().split(['/', '?', '#']).next().unwrap_or_default();
    if authority.is_empty() || url.chars().any(|character| character.is_control() || character.is_whitespace()) {
        return Err(no_server());
    }
    if authority.contains('@') {
        return Err(EntryProblem::at("url", "`url` must not hold a user or a password"));
    }
    Url::parse(url).map_err(|_| no_server())
}

/// Returns the fields of a server or model that stay when the field of a dotted key, its command or address, changes.
/// `None` if the key is another one.
pub(crate) fn kept_at_new_endpoint(parts: &[String]) -> Option<&'static [&'static str]> {
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    match *parts {
        ["mcp", "servers", _, "url" | "command"] => Some(&["enabled"]),
        ["models", _, "url"] => Some(&["api", "model", "context"]),
        _ => None,
    }
}

/// Returns the dotted key of the server or model that a key is a field of.
pub(crate) fn enclosing_entry(key: &str) -> Option<String> {
    let parts = split_key(key);
    let depth = match parts.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["mcp", "servers", _, _, ..] => 3,
        ["models", _, _, ..] => 2,
        _ => return None,
    };
    Some(join_key(&parts[..depth]))
}
