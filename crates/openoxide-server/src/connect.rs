//! What a person pastes so that a program talks to this server.

use serde_json::{Value, json};

/// A program that can be connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Client {
    /// What it is called in commands.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    form: Form,
}

/// How a program is told of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// By a command of its own, or `mcpServers` in JSON with `type`.
    ClaudeCode,
    /// By a table in TOML.
    Codex,
    /// By `mcp` in JSON.
    OpenCode,
    /// By `mcpServers` in JSON, without `type`.
    GeminiCli,
}

/// The programs that can be connected.
pub const CLIENTS: &[Client] = &[
    Client { name: "claude-code", title: "Claude Code", form: Form::ClaudeCode },
    Client { name: "codex", title: "Codex", form: Form::Codex },
    Client { name: "opencode", title: "OpenCode", form: Form::OpenCode },
    Client { name: "gemini", title: "Gemini CLI", form: Form::GeminiCli },
];

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
    pub fn find(name: &str) -> Option<Client> {
        CLIENTS.iter().copied().find(|client| client.name == name)
    }

    /// Returns what is pasted to connect it; any one of the texts is enough.
    pub fn pastes(self, reach: &Reach) -> Vec<Paste> {
        match self.form {
            Form::ClaudeCode => claude_code(reach),
            Form::Codex => vec![codex(reach)],
            Form::OpenCode => vec![paste("opencode.json", &opencode(reach))],
            Form::GeminiCli => {
                let server = match reach {
                    Reach::Command(command) => started(command),
                    Reach::Url { url, token } => with_token(json!({ "httpUrl": url }), *token, "$OPENOXIDE_TOKEN"),
                };
                vec![paste("~/.gemini/settings.json", &json!({ "mcpServers": { "openoxide": server } }))]
            }
        }
    }
}

fn paste(place: &'static str, value: &Value) -> Paste {
    Paste { place, text: format!("{value:#}") }
}

fn started(command: &[String]) -> Value {
    let (program, arguments) = command.split_first().map_or(("", &[][..]), |(first, rest)| (first.as_str(), rest));
    json!({ "command": program, "args": arguments })
}

/// Adds the header that shows a token, which the program takes from a variable.
fn with_token(mut server: Value, token: bool, variable: &str) -> Value {
    if token {
        server["headers"] = json!({ "Authorization": format!("Bearer {variable}") });
    }
    server
}

fn claude_code(reach: &Reach) -> Vec<Paste> {
    let (line, mut server, kind) = match reach {
        Reach::Command(command) => {
            let words: Vec<String> = command.iter().map(|word| shell_word(word)).collect();
            (format!("claude mcp add openoxide -- {}", words.join(" ")), started(command), "stdio")
        }
        Reach::Url { url, token } => {
            let header = if *token { " --header \"Authorization: Bearer $OPENOXIDE_TOKEN\"" } else { "" };
            let line = format!("claude mcp add --transport http openoxide {}{header}", shell_word(url));
            (line, with_token(json!({ "url": url }), *token, "${OPENOXIDE_TOKEN}"), "http")
        }
    };
    server["type"] = json!(kind);
    let file = json!({ "mcpServers": { "openoxide": server } });
    vec![Paste { place: "a shell", text: line }, paste(".mcp.json, or --mcp-config", &file)]
}

fn codex(reach: &Reach) -> Paste {
    // Text in JSON is text in TOML as well.
    let text = |text: &str| json!(text).to_string();
    let lines = match reach {
        Reach::Command(command) => {
            let (program, arguments) = command.split_first().map_or(("", &[][..]), |(first, rest)| (first, rest));
            let arguments: Vec<String> = arguments.iter().map(|word| text(word)).collect();
            format!("command = {}\nargs = [{}]", text(program), arguments.join(", "))
        }
        Reach::Url { url, token } => {
            let token = if *token { "\nbearer_token_env_var = \"OPENOXIDE_TOKEN\"" } else { "" };
            format!("url = {}{token}", text(url))
        }
    };
    Paste { place: "~/.codex/config.toml", text: format!("[mcp_servers.openoxide]\n{lines}") }
}

fn opencode(reach: &Reach) -> Value {
    let server = match reach {
        Reach::Command(command) => json!({ "type": "local", "command": command, "enabled": true }),
        Reach::Url { url, token } => {
            let server = json!({ "type": "remote", "url": url, "enabled": true });
            with_token(server, *token, "{env:OPENOXIDE_TOKEN}")
        }
    };
    json!({ "$schema": "https://opencode.ai/config.json", "mcp": { "openoxide": server } })
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
