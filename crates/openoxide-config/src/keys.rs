//! Every key of `config.toml`: its type, its default and what it is for.

use openoxide_permissions::ProfileMode;
use serde_json::{Value, json};

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
    /// A table of tables: settings by host.
    Hosts,
    /// Rules by permission and pattern.
    Permissions,
    /// A table of tables: rules and skills by agent.
    Agents,
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
    /// Whether a project may set it.
    pub project: bool,
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
    key(
        "permission",
        KeyKind::Permissions,
        "",
        "What is allowed, asked for or denied, by permission (`skill`, `read`, `shell`, `script`, `hook`, `mcp`, `profile`, `tool`, `network`) and pattern; the last rule that matches wins. A rule in a list may carry examples under `matches` and `not`, which are checked. A project can deny and ask, and not allow.",
    ),
    key("skills.claude", KeyKind::Bool, "true", "Whether skills in `.claude/skills` count."),
    key("skills.config", KeyKind::Rules, "[]", "Skills switched on or off by `name` or `path`; a later rule wins."),
    key("skills.paths", KeyKind::List, "[]", "More folders of skills."),
    Key {
        project: false,
        ..key(
            "skills.profiles",
            KeyKind::Choice(ProfileMode::WORDS),
            "\"ask\"",
            "Whose permission profiles may be offered for consent: everybody's, nobody's, or those of system and admin skills.",
        )
    },
    key(
        "skills.untrusted_loses",
        KeyKind::Bool,
        "true",
        "Whether a skill of an untrusted project loses every name clash.",
    ),
    Key {
        project: false,
        ..key("trust.folders", KeyKind::List, "[]", "Projects whose settings count and whose skills compete for names.")
    },
];

const fn key(name: &'static str, kind: KeyKind, default: &'static str, about: &'static str) -> Key {
    Key { name, kind, default, about, project: true }
}

impl Key {
    /// Finds the key that a dotted name belongs to.
    pub fn find(name: &str) -> Option<&'static Key> {
        KEYS.iter().find(|key| {
            key.name == name || key.is_tables() && name.strip_prefix(key.name).is_some_and(|rest| rest.starts_with('.'))
        })
    }

    /// Tells whether what is below it has names of its own.
    pub fn is_tables(&self) -> bool {
        matches!(self.kind, KeyKind::Hosts | KeyKind::Permissions | KeyKind::Agents)
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
            KeyKind::Hosts => "a table of settings for each host".to_owned(),
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
        KeyKind::Hosts => json!({"type": "object", "additionalProperties": {"type": "object"}}),
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
