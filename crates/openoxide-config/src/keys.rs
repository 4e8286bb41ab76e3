//! Every key of `config.toml`: its type, its default and what it is for.

use std::fmt;

use openoxide_permissions::ProfileMode;
use serde_json::{Value, json};

use crate::mcp;

/// What values a key takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyKind {
    /// Yes or no.
    Bool,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// A text.
    Text,
    /// One of some texts.
    Choice(&'static [&'static str]),
    /// A list of texts.
    List,
    /// A list of tables with `name` or `path`, and `enabled`.
    Rules,
    /// A list of folders: absolute, or below `~/`.
    Folders,
    /// A table of tables: settings by host.
    Hosts,
    /// A table of tables: servers by name.
    Servers,
    /// Rules by permission and pattern.
    Permissions,
    /// A table of tables: rules and skills by agent.
    Agents,
}

impl KeyKind {
    /// Tells whether it is a table of servers.
    pub(crate) fn is_servers(self) -> bool {
        self == KeyKind::Servers
    }

    /// Tells whether further names may follow the key's own.
    fn is_open(self) -> bool {
        matches!(self, KeyKind::Hosts | KeyKind::Servers | KeyKind::Permissions | KeyKind::Agents)
    }
}

/// What a project's file may say about a key. It can never give power: not even when the project is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InProject {
    /// Any value.
    Free,
    /// Only this value, which is the strictest.
    Only(Strict),
    /// Nothing.
    Never,
}

/// The strictest value of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strict {
    /// Off.
    No,
    /// One of some texts.
    Text(&'static str),
}

impl Strict {
    /// Tells whether a value is it.
    pub fn is(self, value: &toml::Value) -> bool {
        match self {
            Strict::No => value.as_bool() == Some(false),
            Strict::Text(text) => value.as_str() == Some(text),
        }
    }
}

impl fmt::Display for Strict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Strict::No => f.write_str("false"),
            Strict::Text(text) => write!(f, "\"{text}\""),
        }
    }
}

impl InProject {
    /// Tells whether a project may set a value.
    pub fn allows(self, value: &toml::Value) -> bool {
        match self {
            InProject::Free => true,
            InProject::Only(strict) => strict.is(value),
            InProject::Never => false,
        }
    }
}

/// A key of `config.toml`.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// The dotted name.
    pub name: &'static str,
    /// What values it takes.
    pub kind: KeyKind,
    /// The value when nobody sets it, as TOML; empty if there is none.
    pub default: &'static str,
    /// What it is for.
    pub about: &'static str,
    /// What a project may say about it.
    pub project: InProject,
}

/// Every key, by name.
pub const KEYS: &[Key] = &[
    key(
        "agents",
        KeyKind::Agents,
        "",
        "Agents for `--agent NAME`: `agents.NAME.permission` has rules as `permission` does, which follow those; `agents.NAME.skills` lists the skills that the agent starts with.",
    ),
    key("budget.share", KeyKind::Number, "0.02", "The share of the context window that the catalog may take."),
    key(
        "budget.unknown_chars",
        KeyKind::Integer,
        "16000",
        "The catalog's size in characters when the window is not known.",
    ),
    key("color", KeyKind::Choice(&["auto", "always", "never"]), "\"auto\"", "When to use color."),
    private(
        "connectors.names",
        KeyKind::List,
        "[]",
        "Names of connectors; in running text, `$NAME` means the connector and not a skill.",
    ),
    key("host", KeyKind::Text, "\"openoxide\"", "The host whose rules are followed, as `name` or `name@edition`."),
    key(
        "hosts",
        KeyKind::Hosts,
        "",
        "Settings of other hosts, as `hosts.NAME.SETTING`; `openoxide roots --host NAME` lists them.",
    ),
    key("limits.depth", KeyKind::Integer, "6", "The deepest folder below a root that may be a skill."),
    key("limits.entries", KeyKind::Integer, "200000", "The most entries examined below a root."),
    key("limits.folders", KeyKind::Integer, "50000", "The most folders opened below a root."),
    private(
        "mcp.servers",
        KeyKind::Servers,
        "",
        "Servers of tools by name: `command` with `args` and `env` (names of variables), or `url`, with `token_env` (the name of a variable) or `token_file` (a path) if it wants a token; `transport` and `enabled`.",
    ),
    key(
        "mentions.ambiguous",
        KeyKind::Choice(&["nothing", "rank"]),
        "\"nothing\"",
        "What `$name` in a text means when several skills have the name: `nothing`, or by `rank` the one that counts.",
    ),
    key(
        "permission",
        KeyKind::Permissions,
        "",
        "What is allowed, asked for or denied, by permission (`skill`, `read`, `shell`, `script`, `hook`, `mcp`, `profile`, `tool`, `network`) and pattern; the last rule that matches wins. A rule in a list may carry examples under `matches` and `not`, which are checked. A project can deny and ask, and not allow.",
    ),
    private("sandbox.file_size", KeyKind::Integer, "268435456", "The most bytes of a file that a command may write."),
    private("sandbox.memory", KeyKind::Integer, "1073741824", "The most bytes of memory that a command may take."),
    Key {
        project: InProject::Only(Strict::No),
        ..key("sandbox.network", KeyKind::Bool, "false", "Whether commands of skills may use the network.")
    },
    private("sandbox.output", KeyKind::Integer, "1048576", "The most bytes that a script may print."),
    private("sandbox.processes", KeyKind::Integer, "64", "The most processes that a command may have at once."),
    private(
        "sandbox.shell_output",
        KeyKind::Integer,
        "65536",
        "The most bytes that a command in a skill's text may print.",
    ),
    private("sandbox.shell_time", KeyKind::Integer, "10", "The seconds that a command in a skill's text may run."),
    private("sandbox.time", KeyKind::Integer, "120", "The seconds that a script may run."),
    private("sandbox.writable", KeyKind::Folders, "[]", "Folders that commands of skills may write to."),
    Key {
        project: InProject::Only(Strict::Text("limit")),
        ..key(
            "skills.allowed_tools",
            KeyKind::Choice(&["preapprove", "limit"]),
            "\"preapprove\"",
            "What a skill's `allowed-tools` means once you agreed: tools that are not asked for again, or the only ones.",
        )
    },
    key("skills.claude", KeyKind::Bool, "true", "Whether skills in `.claude/skills` count."),
    key("skills.config", KeyKind::Rules, "[]", "Skills switched on or off by `name` or `path`; a later rule wins."),
    key("skills.paths", KeyKind::List, "[]", "More folders of skills."),
    Key {
        project: InProject::Only(Strict::Text("strict")),
        ..key(
            "skills.profiles",
            KeyKind::Choice(ProfileMode::WORDS),
            "\"ask\"",
            "Permissions that a skill asks for: ask you, take none, or take those of the system's and the administrator's.",
        )
    },
    Key {
        project: InProject::Only(Strict::No),
        ..key("skills.shell", KeyKind::Bool, "true", "Whether commands in the text of a skill may run at all.")
    },
    private(
        "skills.untrusted_loses",
        KeyKind::Bool,
        "true",
        "Whether a skill of an untrusted project loses every name clash.",
    ),
    private(
        "trust.folders",
        KeyKind::List,
        "[]",
        "Projects whose settings count and whose skills compete for names, besides those that `openoxide trust` wrote down.",
    ),
];

const fn key(name: &'static str, kind: KeyKind, default: &'static str, about: &'static str) -> Key {
    Key { name, kind, default, about, project: InProject::Free }
}

/// A key that no project can set.
const fn private(name: &'static str, kind: KeyKind, default: &'static str, about: &'static str) -> Key {
    Key { name, kind, default, about, project: InProject::Never }
}

impl Key {
    /// Finds the key that a dotted name belongs to.
    pub fn find(name: &str) -> Option<&'static Key> {
        KEYS.iter().find(|key| {
            key.name == name
                || key.kind.is_open() && name.strip_prefix(key.name).is_some_and(|rest| rest.starts_with('.'))
        })
    }

    /// Tells whether a change could give power, so that nobody but the user may want it. Without a value, the setting is
    /// removed.
    pub(crate) fn widens_permissions(&self, value: Option<&toml::Value>) -> bool {
        match (self.kind, self.project, value) {
            // What is replaced or taken away may be what denied.
            (KeyKind::Permissions | KeyKind::Agents | KeyKind::Hosts, ..) => {
                value.and_then(toml::Value::as_str) != Some("deny")
            }
            (_, InProject::Free, _) => false,
            (_, project, Some(value)) => !project.allows(value),
            (_, _, None) => true,
        }
    }

    /// Tells whether a table with a dotted name of `depth` parts, this key's or below, is one value.
    pub(crate) fn is_whole(&self, depth: usize) -> bool {
        let own = self.name.split('.').count();
        match self.kind {
            KeyKind::Hosts | KeyKind::Permissions | KeyKind::Agents => depth == own,
            KeyKind::Servers => depth > own,
            _ => false,
        }
    }

    /// Tells whether a value is of the key's type.
    pub fn takes(&self, value: &toml::Value) -> bool {
        let texts = |items: &Vec<toml::Value>| items.iter().all(toml::Value::is_str);
        match self.kind {
            KeyKind::Bool => value.is_bool(),
            KeyKind::Integer => value.as_integer().is_some_and(|number| number >= 0),
            KeyKind::Number => value.is_float() || value.is_integer(),
            KeyKind::Text => value.is_str(),
            KeyKind::Choice(choices) => value.as_str().is_some_and(|text| choices.contains(&text)),
            KeyKind::List => value.as_array().is_some_and(texts),
            KeyKind::Rules => value.as_array().is_some_and(|items| items.iter().all(is_rule)),
            KeyKind::Folders => value.as_array().is_some_and(|items| items.iter().all(is_folder)),
            KeyKind::Servers => value
                .as_table()
                .is_some_and(|servers| servers.iter().all(|(name, server)| mcp::read_server(name, server).is_ok())),
            KeyKind::Hosts | KeyKind::Agents => {
                value.as_table().is_some_and(|tables| tables.values().all(toml::Value::is_table))
            }
            // What is in it is read as rules, and a bad one is an error.
            KeyKind::Permissions => value.is_str() || value.is_table(),
        }
    }

    /// Says what values the key takes.
    pub fn wants(&self) -> String {
        match self.kind {
            KeyKind::Bool => "`true` or `false`".to_owned(),
            KeyKind::Integer => "a whole number".to_owned(),
            KeyKind::Number => "a number".to_owned(),
            KeyKind::Text => "text".to_owned(),
            KeyKind::Choice(choices) => format!("one of `{}`", choices.join("`, `")),
            KeyKind::List => "a list of texts".to_owned(),
            KeyKind::Rules => "tables with `name` or `path`, and `enabled`".to_owned(),
            KeyKind::Folders => "a list of folders that begin with `/` or `~/`".to_owned(),
            KeyKind::Hosts => "a table of settings for each host".to_owned(),
            KeyKind::Servers => "a table for each server".to_owned(),
            KeyKind::Permissions => "a table of rules for each permission".to_owned(),
            KeyKind::Agents => "a table with `permission` and `skills` for each agent".to_owned(),
        }
    }
}

fn is_rule(value: &toml::Value) -> bool {
    let one_selector =
        value.get("name").is_some_and(toml::Value::is_str) != value.get("path").is_some_and(toml::Value::is_str);
    one_selector && value.get("enabled").is_some_and(toml::Value::is_bool)
}

fn is_folder(value: &toml::Value) -> bool {
    value.as_str().is_some_and(|text| text.starts_with('/') || text.starts_with("~/"))
}

/// Returns the JSON Schema of `config.toml`.
pub fn config_schema() -> Value {
    let mut root = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "OpenOxide config.toml",
        "type": "object",
        "additionalProperties": false,
        "properties": {},
    });
    for key in KEYS {
        let mut at = &mut root;
        let mut parts = key.name.split('.').peekable();
        while let Some(part) = parts.next() {
            at = &mut at["properties"][part];
            if parts.peek().is_some() && at.is_null() {
                *at = json!({"type": "object", "additionalProperties": false, "properties": {}});
            }
        }
        *at = key_schema(key);
    }
    root
}

fn key_schema(key: &Key) -> Value {
    let mut schema = match key.kind {
        KeyKind::Bool => json!({"type": "boolean"}),
        KeyKind::Integer => json!({"type": "integer", "minimum": 0}),
        KeyKind::Number => json!({"type": "number"}),
        KeyKind::Text => json!({"type": "string"}),
        KeyKind::Choice(choices) => json!({"enum": choices}),
        KeyKind::List => json!({"type": "array", "items": {"type": "string"}}),
        KeyKind::Rules => json!({"type": "array", "items": {
            "type": "object",
            "required": ["enabled"],
            "additionalProperties": false,
            "properties": {"name": {"type": "string"}, "path": {"type": "string"}, "enabled": {"type": "boolean"}},
        }}),
        KeyKind::Folders => json!({"type": "array", "items": {"type": "string", "pattern": "^(/|~/)"}}),
        KeyKind::Hosts => json!({"type": "object", "additionalProperties": {"type": "object"}}),
        KeyKind::Servers => mcp::servers_schema(),
        KeyKind::Permissions => permission_schema(),
        KeyKind::Agents => json!({"type": "object", "additionalProperties": {
            "type": "object",
            "additionalProperties": false,
            "properties": {
                "permission": permission_schema(),
                "skills": {"type": "array", "items": {"type": "string"}},
            },
        }}),
    };
    schema["description"] = json!(key.about);
    schema
}

fn permission_schema() -> Value {
    let action = json!({"enum": ["allow", "ask", "deny"]});
    let texts = json!({"type": "array", "items": {"type": "string"}});
    let rule = json!({
        "type": "object",
        "required": ["pattern", "action"],
        "additionalProperties": false,
        "properties": {"pattern": {"type": "string"}, "action": action, "matches": texts, "not": texts},
    });
    let patterns = json!({"type": "object", "additionalProperties": action});
    let rules = json!({"type": "array", "items": rule});
    json!({"anyOf": [action, {"type": "object", "additionalProperties": {"anyOf": [action, patterns, rules]}}]})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_is_of_its_type() {
        for key in KEYS.iter().filter(|key| !key.default.is_empty()) {
            let table: toml::Table = format!("value = {}", key.default).parse().unwrap();
            assert!(key.takes(&table["value"]), "{}", key.name);
        }
        assert!(KEYS.windows(2).all(|pair| pair[0].name < pair[1].name));
    }

    #[test]
    fn host_settings_belong_to_one_key() {
        assert_eq!(Key::find("hosts.codex.bundled").unwrap().name, "hosts");
        assert!(Key::find("skils.paths").is_none());
    }
}
