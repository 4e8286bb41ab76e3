//! Every key of `config.toml`: its type, its default and what it is for.

use std::fmt;

use openoxide_permissions::ProfileMode;
use serde_json::{Value, json};

use crate::mcp;

/// What values a key takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
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

impl ValueKind {
    /// Tells whether it is a table of servers.
    pub(crate) fn is_servers(self) -> bool {
        self == ValueKind::Servers
    }

    /// Tells whether further names may follow the key's own.
    fn is_open(self) -> bool {
        matches!(self, ValueKind::Hosts | ValueKind::Servers | ValueKind::Permissions | ValueKind::Agents)
    }
}

/// What a project's file may say about a key. It can never give power: not even when the project is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProjectAccess {
    /// Any value.
    Any,
    /// Only this value, which is the strictest.
    Only(StrictValue),
    /// Nothing.
    Denied,
}

/// The strictest value of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrictValue {
    /// Off.
    False,
    /// One of some texts.
    Text(&'static str),
}

impl StrictValue {
    /// Tells whether a value is it.
    pub fn is(self, value: &toml::Value) -> bool {
        match self {
            StrictValue::False => value.as_bool() == Some(false),
            StrictValue::Text(text) => value.as_str() == Some(text),
        }
    }
}

impl fmt::Display for StrictValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StrictValue::False => f.write_str("false"),
            StrictValue::Text(text) => write!(f, "\"{text}\""),
        }
    }
}

impl ProjectAccess {
    /// Tells whether a project may set a value.
    pub fn allows(self, value: &toml::Value) -> bool {
        match self {
            ProjectAccess::Any => true,
            ProjectAccess::Only(strict) => strict.is(value),
            ProjectAccess::Denied => false,
        }
    }
}

/// A key of `config.toml`.
#[derive(Clone, Copy, Debug)]
pub struct ConfigKey {
    /// The dotted name.
    pub name: &'static str,
    /// What values it takes.
    pub kind: ValueKind,
    /// The value when nobody sets it, as TOML; empty if there is none.
    pub default: &'static str,
    /// What it is for.
    pub about: &'static str,
    /// What a project may say about it.
    pub project: ProjectAccess,
}

/// Every key, by name.
pub const CONFIG_KEYS: &[ConfigKey] = &[
    key(
        "agents",
        ValueKind::Agents,
        "",
        "Agents for `--agent NAME`: `agents.NAME.permission` has rules as `permission` does, which follow those; `agents.NAME.skills` lists the skills that the agent starts with.",
    ),
    key("budget.share", ValueKind::Number, "0.02", "The share of the context window that the catalog may take."),
    key(
        "budget.unknown_chars",
        ValueKind::Integer,
        "16000",
        "The catalog's size in characters when the window is not known.",
    ),
    key("color", ValueKind::Choice(&["auto", "always", "never"]), "\"auto\"", "When to use color."),
    private(
        "connectors.names",
        ValueKind::List,
        "[]",
        "Names of connectors; in running text, `$NAME` means the connector and not a skill.",
    ),
    key("host", ValueKind::Text, "\"openoxide\"", "The host whose rules are followed, as `name` or `name@edition`."),
    key(
        "hosts",
        ValueKind::Hosts,
        "",
        "Settings of other hosts, as `hosts.NAME.SETTING`; `openoxide roots --host NAME` lists them.",
    ),
    key("limits.depth", ValueKind::Integer, "6", "The deepest folder below a root that may be a skill."),
    key("limits.entries", ValueKind::Integer, "200000", "The most entries examined below a root."),
    key("limits.folders", ValueKind::Integer, "50000", "The most folders opened below a root."),
    private(
        "mcp.servers",
        ValueKind::Servers,
        "",
        "Servers of tools by name: `command` with `args` and `env` (names of variables), or `url`, with `token_env` (the name of a variable) or `token_file` (a path) if it wants a token; `transport` and `enabled`.",
    ),
    key(
        "mentions.ambiguous",
        ValueKind::Choice(&["nothing", "rank"]),
        "\"nothing\"",
        "What `$name` in a text means when several skills have the name: `nothing`, or by `rank` the one that counts.",
    ),
    key(
        "permission",
        ValueKind::Permissions,
        "",
        "What is allowed, asked for or denied, by permission (`skill`, `read`, `shell`, `script`, `hook`, `mcp`, `profile`, `tool`, `network`) and pattern; the last rule that matches wins. A rule in a list may carry examples under `matches` and `not`, which are checked. A project can deny and ask, and not allow.",
    ),
    private("sandbox.file_size", ValueKind::Integer, "268435456", "The most bytes of a file that a command may write."),
    private("sandbox.memory", ValueKind::Integer, "1073741824", "The most bytes of memory that a command may take."),
    ConfigKey {
        project: ProjectAccess::Only(StrictValue::False),
        ..key("sandbox.network", ValueKind::Bool, "false", "Whether commands of skills may use the network.")
    },
    private("sandbox.output", ValueKind::Integer, "1048576", "The most bytes that a script may print."),
    private("sandbox.processes", ValueKind::Integer, "64", "The most processes that a command may have at once."),
    private(
        "sandbox.shell_output",
        ValueKind::Integer,
        "65536",
        "The most bytes that a command in a skill's text may print.",
    ),
    private("sandbox.shell_time", ValueKind::Integer, "10", "The seconds that a command in a skill's text may run."),
    private("sandbox.time", ValueKind::Integer, "120", "The seconds that a script may run."),
    private("sandbox.writable", ValueKind::Folders, "[]", "Folders that commands of skills may write to."),
    ConfigKey {
        project: ProjectAccess::Only(StrictValue::Text("limit")),
        ..key(
            "skills.allowed_tools",
            ValueKind::Choice(&["preapprove", "limit"]),
            "\"preapprove\"",
            "What a skill's `allowed-tools` means once you agreed: tools that are not asked for again, or the only ones.",
        )
    },
    key("skills.claude", ValueKind::Bool, "true", "Whether skills in `.claude/skills` count."),
    key("skills.config", ValueKind::Rules, "[]", "Skills switched on or off by `name` or `path`; a later rule wins."),
    key("skills.paths", ValueKind::List, "[]", "More folders of skills."),
    ConfigKey {
        project: ProjectAccess::Only(StrictValue::Text("strict")),
        ..key(
            "skills.profiles",
            ValueKind::Choice(ProfileMode::WORDS),
            "\"ask\"",
            "Permissions that a skill asks for: ask you, take none, or take those of the system's and the administrator's.",
        )
    },
    ConfigKey {
        project: ProjectAccess::Only(StrictValue::False),
        ..key("skills.shell", ValueKind::Bool, "true", "Whether commands in the text of a skill may run at all.")
    },
    private(
        "skills.untrusted_loses",
        ValueKind::Bool,
        "true",
        "Whether a skill of an untrusted project loses every name clash.",
    ),
    private(
        "trust.folders",
        ValueKind::List,
        "[]",
        "Projects whose settings count and whose skills compete for names, besides those that `openoxide trust` wrote down.",
    ),
];

const fn key(name: &'static str, kind: ValueKind, default: &'static str, about: &'static str) -> ConfigKey {
    ConfigKey { name, kind, default, about, project: ProjectAccess::Any }
}

/// A key that no project can set.
const fn private(name: &'static str, kind: ValueKind, default: &'static str, about: &'static str) -> ConfigKey {
    ConfigKey { name, kind, default, about, project: ProjectAccess::Denied }
}

impl ConfigKey {
    /// Finds the key that a dotted name belongs to.
    pub fn find(name: &str) -> Option<&'static ConfigKey> {
        CONFIG_KEYS.iter().find(|key| {
            key.name == name
                || key.kind.is_open() && name.strip_prefix(key.name).is_some_and(|rest| rest.starts_with('.'))
        })
    }

    /// Tells whether a change could give power, so that nobody but the user may want it. Without a value, the setting is
    /// removed.
    pub(crate) fn widens_permissions(&self, value: Option<&toml::Value>) -> bool {
        match (self.kind, self.project, value) {
            // What is replaced or taken away may be what denied.
            (ValueKind::Permissions | ValueKind::Agents | ValueKind::Hosts, ..) => {
                value.and_then(toml::Value::as_str) != Some("deny")
            }
            (_, ProjectAccess::Any, _) => false,
            (_, project, Some(value)) => !project.allows(value),
            (_, _, None) => true,
        }
    }

    /// Tells whether a table with a dotted name of `depth` parts, this key's or below, is one value.
    pub(crate) fn is_whole(&self, depth: usize) -> bool {
        let own = self.name.split('.').count();
        match self.kind {
            ValueKind::Hosts | ValueKind::Permissions | ValueKind::Agents => depth == own,
            ValueKind::Servers => depth > own,
            _ => false,
        }
    }

    /// Tells whether a value is of the key's type.
    pub fn accepts(&self, value: &toml::Value) -> bool {
        let texts = |items: &Vec<toml::Value>| items.iter().all(toml::Value::is_str);
        match self.kind {
            ValueKind::Bool => value.is_bool(),
            ValueKind::Integer => value.as_integer().is_some_and(|number| number >= 0),
            ValueKind::Number => value.is_float() || value.is_integer(),
            ValueKind::Text => value.is_str(),
            ValueKind::Choice(choices) => value.as_str().is_some_and(|text| choices.contains(&text)),
            ValueKind::List => value.as_array().is_some_and(texts),
            ValueKind::Rules => value.as_array().is_some_and(|items| items.iter().all(is_rule)),
            ValueKind::Folders => value.as_array().is_some_and(|items| items.iter().all(is_folder)),
            ValueKind::Servers => value
                .as_table()
                .is_some_and(|servers| servers.iter().all(|(name, server)| mcp::read_server(name, server).is_ok())),
            ValueKind::Hosts | ValueKind::Agents => {
                value.as_table().is_some_and(|tables| tables.values().all(toml::Value::is_table))
            }
            // What is in it is read as rules, and a bad one is an error.
            ValueKind::Permissions => value.is_str() || value.is_table(),
        }
    }

    /// Says what values the key takes.
    pub fn expected(&self) -> String {
        match self.kind {
            ValueKind::Bool => "`true` or `false`".to_owned(),
            ValueKind::Integer => "a whole number".to_owned(),
            ValueKind::Number => "a number".to_owned(),
            ValueKind::Text => "text".to_owned(),
            ValueKind::Choice(choices) => format!("one of `{}`", choices.join("`, `")),
            ValueKind::List => "a list of texts".to_owned(),
            ValueKind::Rules => "tables with `name` or `path`, and `enabled`".to_owned(),
            ValueKind::Folders => "a list of folders that begin with `/` or `~/`".to_owned(),
            ValueKind::Hosts => "a table of settings for each host".to_owned(),
            ValueKind::Servers => "a table for each server".to_owned(),
            ValueKind::Permissions => "a table of rules for each permission".to_owned(),
            ValueKind::Agents => "a table with `permission` and `skills` for each agent".to_owned(),
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
    for key in CONFIG_KEYS {
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

fn key_schema(key: &ConfigKey) -> Value {
    let mut schema = match key.kind {
        ValueKind::Bool => json!({"type": "boolean"}),
        ValueKind::Integer => json!({"type": "integer", "minimum": 0}),
        ValueKind::Number => json!({"type": "number"}),
        ValueKind::Text => json!({"type": "string"}),
        ValueKind::Choice(choices) => json!({"enum": choices}),
        ValueKind::List => json!({"type": "array", "items": {"type": "string"}}),
        ValueKind::Rules => json!({"type": "array", "items": {
            "type": "object",
            "required": ["enabled"],
            "additionalProperties": false,
            "properties": {"name": {"type": "string"}, "path": {"type": "string"}, "enabled": {"type": "boolean"}},
        }}),
        ValueKind::Folders => json!({"type": "array", "items": {"type": "string", "pattern": "^(/|~/)"}}),
        ValueKind::Hosts => json!({"type": "object", "additionalProperties": {"type": "object"}}),
        ValueKind::Servers => mcp::servers_schema(),
        ValueKind::Permissions => permission_schema(),
        ValueKind::Agents => json!({"type": "object", "additionalProperties": {
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
        for key in CONFIG_KEYS.iter().filter(|key| !key.default.is_empty()) {
            let table: toml::Table = format!("value = {}", key.default).parse().unwrap();
            assert!(key.accepts(&table["value"]), "{}", key.name);
        }
        assert!(CONFIG_KEYS.windows(2).all(|pair| pair[0].name < pair[1].name));
    }

    #[test]
    fn host_settings_belong_to_one_key() {
        assert_eq!(ConfigKey::find("hosts.codex.bundled").unwrap().name, "hosts");
        assert!(ConfigKey::find("skils.paths").is_none());
    }
}
