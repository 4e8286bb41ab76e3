//! Makes the errors of servers and their skills. A server's own words in them are cut and escaped.

use openoxide_http::one_line;
use openoxide_runtime::{FetchError, RefusalReason, RemoteName};

/// The word of an entry that is not of the standard's form.
pub(crate) const BAD_ENTRY: &str = "bad-entry";

fn error(word: &'static str, text: String, help: Option<String>) -> FetchError {
    FetchError { why: RefusalReason::Unreadable, word, text, complaint: None, help }
}

fn server_error(server: &str, word: &'static str, what: &str) -> FetchError {
    error(word, format!("the MCP server `{server}` {what}"), None)
}

pub(crate) fn unknown_server<'n>(server: &str, known: impl Iterator<Item = &'n String>) -> FetchError {
    let known: Vec<&str> = known.map(String::as_str).collect();
    let mut unknown = FetchError::no_servers(server);
    if !known.is_empty() {
        unknown.help = Some(format!("there are `{}`", known.join("`, `")));
    }
    unknown
}

pub(crate) fn switched_off(server: &str) -> FetchError {
    let help = format!("to use it, set `mcp.servers.{server}.enabled` to true in your config.toml");
    FetchError { help: Some(help), ..server_error(server, "switched-off", "is switched off") }
}

/// The server cannot be started, reached or understood.
pub(crate) fn unreachable(server: &str, why: &str) -> FetchError {
    FetchError::unreachable(server, &one_line(why))
}

pub(crate) fn login(server: &str, with_token: bool) -> FetchError {
    let (what, help) = match with_token {
        true => ("does not take the token", "it may have ended, or be another server's".to_owned()),
        false => (
            "wants a login",
            format!(
                "if you have a token, name the variable that holds it as `mcp.servers.{server}.token_env`, or its file \
                 as `token_file`; other ways to log in are not supported yet"
            ),
        ),
    };
    FetchError { help: Some(help), ..server_error(server, "login", what) }
}

pub(crate) fn no_token(server: &str, why: &str) -> FetchError {
    let help = format!("`mcp.servers.{server}` in your config.toml says where the token is");
    FetchError { help: Some(help), ..server_error(server, "no-token", &format!("is not asked: {why}")) }
}

pub(crate) fn timed_out(server: &str, method: &str, limit: std::time::Duration) -> FetchError {
    server_error(server, "timed-out", &format!("did not answer `{method}` within {} s", limit.as_secs()))
}

pub(crate) fn no_skills(server: &str) -> FetchError {
    server_error(server, "no-skills", "offers no skills")
}

/// The server answered with an error.
pub(crate) fn refused(server: &str, method: &str, why: &str) -> FetchError {
    server_error(server, "refused", &format!("refused `{method}`: {}", one_line(why)))
}

/// The answer, or the list, of a server is not of the standard's form.
pub(crate) fn bad_answer(server: &str, method: &str, why: &str) -> FetchError {
    servers_fault(server_error(server, "bad-answer", &format!("answered `{method}` wrongly: {why}")))
}

pub(crate) fn endless(server: &str, why: &str) -> FetchError {
    servers_fault(server_error(server, "endless", &format!("lists too much: {why}")))
}

pub(crate) fn bad_entry(server: &str, uri: &str, why: &str) -> FetchError {
    let text = format!("`{uri}` of the MCP server `{server}` is not loaded: {why}");
    servers_fault(error(BAD_ENTRY, text, None))
}

fn servers_fault(error: FetchError) -> FetchError {
    FetchError { help: Some("report this to the people who run the server".to_owned()), ..error }
}

pub(crate) fn unknown_skill(name: &RemoteName, near: Option<&str>) -> FetchError {
    let mut unknown = FetchError::unknown_skill(name);
    if let Some(near) = near {
        unknown.help = Some(format!("did you mean `mcp:{}/{near}`?", name.server));
    }
    unknown
}

pub(crate) fn ambiguous(name: &RemoteName, names: &[String]) -> FetchError {
    let text = format!("several skills of the MCP server `{}` are called `{}`", name.server, name.wanted);
    let help = format!("say which: `{}`", names.join("`, `"));
    FetchError { why: RefusalReason::Ambiguous, ..error("ambiguous", text, Some(help)) }
}

/// What arrived is not what was listed.
pub(crate) fn unverified(file: &str, why: &str) -> FetchError {
    let help = "it may have changed since it was listed: try again, and if it stays, do not trust the server";
    error("unverified", format!("`{file}` is not used: {why}"), Some(help.to_owned()))
}
