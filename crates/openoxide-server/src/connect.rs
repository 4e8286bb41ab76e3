//! Writes the settings that connect an agent to this server; `connect.toml` has the agents and their forms.

mod client_rules;

use std::sync::LazyLock;

use openoxide_app::fill;
use serde::Deserialize;
use serde_json::json;

use client_rules::McpRules;
pub(crate) use client_rules::{ClientRules, Limits};

/// A program that can be connected.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Client {
    /// What it is called in commands.
    pub name: String,
    /// What people call it.
    pub title: String,
    shell: Form,
    file: FileForm,
    mcp: McpRules,
}

/// One way to tell a program of a server.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    command: String,
    url: String,
    token: String,
}

/// What stands in a program's own settings.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
struct FileForm {
    place: String,
    #[serde(flatten)]
    form: Form,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Clients {
    clients: Vec<Client>,
    /// What holds for programs of which nothing was measured.
    unknown: McpRules,
}

// A test reads the file, so that it can be read here.
static CLIENTS: LazyLock<Clients> = LazyLock::new(|| toml::from_str(include_str!("connect.toml")).unwrap_or_default());

/// Returns the programs that can be connected, the most usual first.
pub fn clients() -> &'static [Client] {
    &CLIENTS.clients
}

/// Finds the rules for an MCP client by what it says of itself.
pub(crate) fn rules_of(name: &str, version: &str) -> ClientRules {
    let known = CLIENTS.clients.iter().map(|client| &client.mcp).find(|mcp| mcp.are_of(name));
    known.unwrap_or(&CLIENTS.unknown).of_version(version)
}

/// What is pasted into a shell of the machine that the server runs on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Here {
    /// The command that serves the same on standard input and output, which needs no token; empty: there is none.
    pub command: Vec<String>,
    /// The line that puts the access token into the variable that every other line names; absent: it is there already,
    /// or nobody asks for one.
    pub token_line: Option<String>,
}

/// Writes the line that puts what a command prints, the access token, into the variable that every other line names.
pub fn token_line(command: &[&str]) -> String {
    format!("export OPENOXIDE_TOKEN=\"$({})\"", shell_line(command))
}

/// Writes a command as a shell reads it.
pub fn shell_line<S: AsRef<str>>(command: &[S]) -> String {
    command.iter().map(|word| shell_word(word.as_ref())).collect::<Vec<_>>().join(" ")
}

/// How the server is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// As a child process: the program and its arguments.
    Command(Vec<String>),
    /// At an address.
    Url {
        /// The address.
        url: String,
        /// Whether a token has to be shown. What is pasted names the variable `OPENOXIDE_TOKEN`, never the token.
        token: bool,
    },
}

impl Client {
    /// Finds a program by its name.
    pub fn find(name: &str) -> Option<&'static Client> {
        clients().iter().find(|client| client.name == name)
    }

    /// Returns the line that connects it when it is pasted into a shell.
    pub fn line(&self, reach: &Reach) -> String {
        self.shell.text(reach)
    }

    /// Returns what connects it when it stands in its settings.
    pub fn settings(&self, reach: &Reach) -> String {
        self.file.form.text(reach)
    }

    /// Says where its settings are.
    pub fn settings_place(&self) -> &str {
        &self.file.place
    }
}

impl Form {
    fn text(&self, reach: &Reach) -> String {
        match reach {
            Reach::Command(command) => {
                let (program, arguments) = command.split_first().map_or(("", &[][..]), |(first, rest)| (first, rest));
                fill(
                    &self.command,
                    &[
                        ("program", &json!(program).to_string()),
                        ("args", &list(arguments)),
                        ("command", &list(command)),
                        ("words", &shell_line(command)),
                    ],
                )
            }
            Reach::Url { url, token } => {
                let token = if *token { self.token.as_str() } else { "" };
                fill(&self.url, &[("url", &json!(url).to_string()), ("address", &shell_word(url)), ("token", token)])
            }
        }
    }
}

/// Writes a list of texts as JSON and TOML have it.
fn list(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| json!(word).to_string()).collect();
    format!("[{}]", words.join(", "))
}

/// Writes a word so that a shell reads it as one.
fn shell_word(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:=@%+,".contains(&byte);
    match !word.is_empty() && word.bytes().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(token: bool) -> Reach {
        Reach::Url { url: "http://h:1/mcp".to_owned(), token }
    }

    fn command(words: &[&str]) -> Reach {
        Reach::Command(words.iter().map(|&word| word.to_owned()).collect())
    }

    #[test]
    fn what_is_pasted_into_a_file_can_be_read() {
        let read: Result<Clients, _> = toml::from_str(include_str!("connect.toml"));
        assert!(read.is_ok_and(|read| read.clients.len() == 4));
        for reach in [command(&["open\"oxide", "mcp", "--project", "/a b"]), url(false), url(true)] {
            for client in clients() {
                let text = client.settings(&reach);
                let is_whole = match text.starts_with('[') {
                    true => toml::from_str::<toml::Table>(&text).is_ok(),
                    false => serde_json::from_str::<serde_json::Value>(&text).is_ok(),
                };
                assert!(is_whole, "{text}");
            }
        }
    }

    #[test]
    fn each_program_gets_its_own_words() {
        let command = command(&["openoxide", "mcp", "--project", "/a b"]);
        let all = |reach: &Reach| {
            let one = |client: &Client| {
                let (line, place, settings) = (client.line(reach), client.settings_place(), client.settings(reach));
                format!("{line}\n{place}: {}\n", settings.split_whitespace().collect::<Vec<_>>().join(" "))
            };
            clients().iter().map(one).collect::<Vec<_>>().concat()
        };
        insta::assert_snapshot!(all(&command), @r#"
        claude mcp add openoxide -- openoxide mcp --project '/a b'
        .mcp.json, or --mcp-config: { "mcpServers": { "openoxide": { "type": "stdio", "command": "openoxide", "args": ["mcp", "--project", "/a b"] } } }
        codex mcp add openoxide -- openoxide mcp --project '/a b'
        ~/.codex/config.toml: [mcp_servers.openoxide] command = "openoxide" args = ["mcp", "--project", "/a b"]
        opencode mcp add openoxide -- openoxide mcp --project '/a b'
        opencode.json: { "$schema": "https://opencode.ai/config.json", "mcp": { "openoxide": { "type": "local", "command": ["openoxide", "mcp", "--project", "/a b"], "enabled": true } } }
        gemini mcp add --scope user openoxide openoxide mcp --project '/a b'
        ~/.gemini/settings.json: { "mcpServers": { "openoxide": { "command": "openoxide", "args": ["mcp", "--project", "/a b"] } } }
        "#);
        insta::assert_snapshot!(all(&url(false)), @r#"
        claude mcp add --transport http openoxide http://h:1/mcp
        .mcp.json, or --mcp-config: { "mcpServers": { "openoxide": { "type": "http", "url": "http://h:1/mcp" } } }
        codex mcp add openoxide --url http://h:1/mcp
        ~/.codex/config.toml: [mcp_servers.openoxide] url = "http://h:1/mcp"
        opencode mcp add openoxide --url http://h:1/mcp
        opencode.json: { "$schema": "https://opencode.ai/config.json", "mcp": { "openoxide": { "type": "remote", "url": "http://h:1/mcp", "enabled": true } } }
        gemini mcp add --scope user --transport http openoxide http://h:1/mcp
        ~/.gemini/settings.json: { "mcpServers": { "openoxide": { "httpUrl": "http://h:1/mcp" } } }
        "#);
        // A token is named by its variable, in each program's own way.
        insta::assert_snapshot!(all(&url(true)), @r#"
        claude mcp add --transport http openoxide http://h:1/mcp --header 'Authorization: Bearer ${OPENOXIDE_TOKEN}'
        .mcp.json, or --mcp-config: { "mcpServers": { "openoxide": { "type": "http", "url": "http://h:1/mcp", "headers": { "Authorization": "Bearer ${OPENOXIDE_TOKEN}" } } } }
        codex mcp add openoxide --url http://h:1/mcp --bearer-token-env-var OPENOXIDE_TOKEN
        ~/.codex/config.toml: [mcp_servers.openoxide] url = "http://h:1/mcp" bearer_token_env_var = "OPENOXIDE_TOKEN"
        opencode mcp add openoxide --url http://h:1/mcp --header 'Authorization=Bearer {env:OPENOXIDE_TOKEN}'
        opencode.json: { "$schema": "https://opencode.ai/config.json", "mcp": { "openoxide": { "type": "remote", "url": "http://h:1/mcp", "enabled": true, "headers": { "Authorization": "Bearer {env:OPENOXIDE_TOKEN}" } } } }
        gemini mcp add --scope user --transport http openoxide http://h:1/mcp --header 'Authorization: Bearer $OPENOXIDE_TOKEN'
        ~/.gemini/settings.json: { "mcpServers": { "openoxide": { "httpUrl": "http://h:1/mcp", "headers": { "Authorization": "Bearer $OPENOXIDE_TOKEN" } } } }
        "#);
        assert_eq!(Client::find("nobody"), None);
    }

    #[test]
    fn a_word_stays_one_word() {
        assert_eq!(shell_word("it's"), "'it'\\''s'");
        assert_eq!(shell_word(""), "''");
        assert_eq!(shell_word("/usr/bin/x"), "/usr/bin/x");
        assert_eq!(token_line(&["/a b/x", "token"]), "export OPENOXIDE_TOKEN=\"$('/a b/x' token)\"");
    }

    #[test]
    fn the_nearest_measured_version_is_taken() {
        let tool = |name: &str, version: &str| rules_of(name, version).limits.tool;
        let rows = [
            ("claude-code", "1.0.3", Some(2048)),
            ("claude-code", "2.1.240", Some(2048)),
            ("claude-code", "2.1.324", Some(2048)),
            ("claude-code", "2.1.325", Some(4096)),
            ("claude-code", "3.0.0-beta.1", Some(4096)),
            ("codex-mcp-client", "0.166.0", None),
            ("opencode", "", None),
            ("gemini-cli-mcp-client", "0.61.0", None),
            ("another", "9", Some(1024)),
        ];
        for (name, version, expected) in rows {
            assert_eq!(tool(name, version), expected, "{name} {version}");
        }
        assert!(rules_of("claude-code", "2.1.240").mcp.prompt_words > 0);
        assert_eq!(rules_of("opencode", "1.18.33").mcp.tool_meta, serde_json::Map::new());
    }

    #[test]
    fn limits_are_in_the_order_of_their_versions() {
        for client in clients() {
            assert!(client.mcp.are_in_order(), "{}", client.name);
        }
    }
}
