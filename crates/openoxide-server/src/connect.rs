//! What a person pastes so that a program talks to this server. The programs and their words are in `connect.toml`.

use std::sync::LazyLock;

use openoxide_skills::fill;
use serde::Deserialize;
use serde_json::json;

/// A program that can be connected.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Client {
    /// What it is called in commands.
    pub name: String,
    /// What people call it.
    pub title: String,
    pastes: Vec<Form>,
}

/// One way to tell a program of a server.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    place: String,
    command: String,
    url: String,
    token: String,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Clients {
    clients: Vec<Client>,
}

// A test reads the file, so that it can be read here.
static CLIENTS: LazyLock<Clients> = LazyLock::new(|| toml::from_str(include_str!("connect.toml")).unwrap_or_default());

/// Returns the programs that can be connected, the most usual first.
pub fn clients() -> &'static [Client] {
    &CLIENTS.clients
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

/// A text to paste, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paste {
    /// Where it belongs, in words.
    pub place: &'static str,
    /// The text.
    pub text: String,
}

impl Client {
    /// Finds a program by its name.
    pub fn find(name: &str) -> Option<&'static Client> {
        clients().iter().find(|client| client.name == name)
    }

    /// Returns what is pasted to connect it; any one of the texts is enough.
    pub fn pastes(&'static self, reach: &Reach) -> Vec<Paste> {
        self.pastes.iter().map(|form| Paste { place: &form.place, text: form.text(reach) }).collect()
    }
}

impl Form {
    fn text(&self, reach: &Reach) -> String {
        match reach {
            Reach::Command(command) => {
                let (program, arguments) = command.split_first().map_or(("", &[][..]), |(first, rest)| (first, rest));
                let words: Vec<String> = command.iter().map(|word| shell_word(word)).collect();
                fill(
                    &self.command,
                    &[
                        ("program", &json!(program).to_string()),
                        ("args", &list(arguments)),
                        ("command", &list(command)),
                        ("words", &words.join(" ")),
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

    fn text(client: &str, reach: &Reach) -> String {
        let pastes = Client::find(client).unwrap().pastes(reach);
        let one = |paste: &Paste| format!("# {}\n{}\n", paste.place, paste.text);
        pastes.iter().map(one).collect::<Vec<_>>().concat()
    }

    #[test]
    fn what_is_pasted_into_a_file_can_be_read() {
        let read: Result<Clients, _> = toml::from_str(include_str!("connect.toml"));
        assert!(read.is_ok_and(|read| read.clients.len() == 4));
        let command = Reach::Command(["open\"oxide", "mcp", "--project", "/a b"].map(str::to_owned).into());
        let url = |token| Reach::Url { url: "http://h:1/mcp".to_owned(), token };
        for reach in [command, url(false), url(true)] {
            for paste in clients().iter().flat_map(|client| client.pastes(&reach)) {
                let is_whole = match paste.place.rsplit_once('.').map(|(_, kind)| kind) {
                    Some("toml") => toml::from_str::<toml::Table>(&paste.text).is_ok(),
                    Some(_) => serde_json::from_str::<serde_json::Value>(&paste.text).is_ok(),
                    None => !paste.text.contains('{'),
                };
                assert!(is_whole, "{paste:?}");
            }
        }
    }

    #[test]
    fn each_program_gets_its_own_words() {
        let command = Reach::Command(["openoxide", "mcp", "--project", "/a b"].map(str::to_owned).into());
        let url = Reach::Url { url: "http://127.0.0.1:7777/mcp".to_owned(), token: false };
        let claude = text("claude-code", &command);
        assert!(
            claude.starts_with("# a shell\nclaude mcp add openoxide -- openoxide mcp --project '/a b'\n"),
            "{claude}"
        );
        assert!(claude.contains("\"type\": \"stdio\""));
        assert!(
            text("claude-code", &url).contains("claude mcp add --transport http openoxide http://127.0.0.1:7777/mcp")
        );
        let codex = text("codex", &command);
        let expected = "[mcp_servers.openoxide]\ncommand = \"openoxide\"\nargs = [\"mcp\", \"--project\", \"/a b\"]\n";
        assert!(codex.ends_with(expected), "{codex}");
        assert!(text("codex", &url).ends_with("url = \"http://127.0.0.1:7777/mcp\"\n"));
        assert!(text("opencode", &command).contains("\"type\": \"local\""));
        assert!(text("opencode", &url).contains("\"type\": \"remote\""));
        assert!(text("gemini", &url).contains("\"httpUrl\": \"http://127.0.0.1:7777/mcp\""));
        assert!(text("gemini", &command).contains("\"command\": \"openoxide\""));
        assert_eq!(Client::find("nobody"), None);
    }

    #[test]
    fn a_token_is_named_by_its_variable_in_each_programs_own_way() {
        let url = |token| Reach::Url { url: "http://h:1/mcp".to_owned(), token };
        let forms = [
            ("claude-code", "openoxide http://h:1/mcp --header \"Authorization: Bearer $OPENOXIDE_TOKEN\"\n"),
            ("claude-code", "\"Authorization\": \"Bearer ${OPENOXIDE_TOKEN}\""),
            ("codex", "\nbearer_token_env_var = \"OPENOXIDE_TOKEN\"\n"),
            ("opencode", "\"Authorization\": \"Bearer {env:OPENOXIDE_TOKEN}\""),
            ("gemini", "\"Authorization\": \"Bearer $OPENOXIDE_TOKEN\""),
        ];
        for (client, form) in forms {
            let with = text(client, &url(true));
            assert!(with.contains(form), "{client}: {with}");
            assert!(!text(client, &url(false)).contains("OPENOXIDE_TOKEN"), "{client}");
        }
    }

    #[test]
    fn a_word_stays_one_word() {
        assert_eq!(shell_word("it's"), "'it'\\''s'");
        assert_eq!(shell_word(""), "''");
        assert_eq!(shell_word("/usr/bin/x"), "/usr/bin/x");
    }
}
