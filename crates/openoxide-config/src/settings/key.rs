//! What a key of `config.toml` is: its name, its type, its default, and what a project may set it to.

use openoxide_skills::text::near;

use super::switch_rule;
use crate::mcp::parse::parse_server;
use crate::models::parse::parse_model;

/// The type of a key's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// `true` or `false`.
    Bool,
    /// A whole number, this or more.
    Integer(i64),
    /// A number above 0, at most 1.
    Share,
    /// The name of a host, or `name@edition`.
    HostName,
    /// A list of such names.
    HostNames,
    /// One of these texts.
    Choice(&'static [&'static str]),
    /// A list of texts.
    List,
    /// A list of codes of findings.
    Codes,
    /// A list of tables with `name` or `path`, and `enabled`.
    Rules,
    /// A list of folders: absolute, or below `~/`.
    Folders,
    /// A table of tables: settings by host.
    Hosts,
    /// A table of tables: servers by name.
    Servers,
    /// The name of a model.
    ModelName,
    /// A table of tables: models by name.
    Models,
    /// Rules by permission and pattern.
    Permissions,
    /// A table of tables: rules and skills by agent.
    Agents,
}

impl ValueKind {
    /// Tells whether the key is a table whose own keys are chosen by the user.
    pub(super) fn has_open_names(self) -> bool {
        matches!(
            self,
            ValueKind::Hosts | ValueKind::Servers | ValueKind::Models | ValueKind::Permissions | ValueKind::Agents
        )
    }
}

/// What a project's file may set a key to. It can never widen permissions, even if the project is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProjectAccess {
    /// Any value, even if the project is not trusted: the key decides only what a screen speaks of.
    Always,
    /// Any value.
    Any,
    /// Only this value, the strictest one, as TOML.
    Only(&'static str),
    /// No value.
    Denied,
}

impl ProjectAccess {
    /// Tells whether a project may set the value.
    pub fn allows(self, value: &toml::Value) -> bool {
        match self {
            ProjectAccess::Always | ProjectAccess::Any => true,
            ProjectAccess::Only(strict) => value.to_string() == strict,
            ProjectAccess::Denied => false,
        }
    }
}

/// A key of `config.toml`.
#[derive(Clone, Copy, Debug)]
pub struct ConfigKey {
    /// The dotted name.
    pub name: &'static str,
    /// The type of its values.
    pub kind: ValueKind,
    /// The default as TOML; empty if there is none.
    pub default: &'static str,
    /// What it is for.
    pub about: &'static str,
    /// What a project may set it to.
    pub project: ProjectAccess,
}

impl ConfigKey {
    /// Tells whether a change could widen permissions, so that only the user may make it. Without a value, the setting
    /// is removed.
    pub(crate) fn widens_permissions(&self, value: Option<&toml::Value>) -> bool {
        match (self.kind, self.project, value) {
            // The rule that is replaced or removed may be the one that denies.
            (ValueKind::Permissions | ValueKind::Agents | ValueKind::Hosts, ..) => {
                value.and_then(toml::Value::as_str) != Some("deny")
            }
            (_, ProjectAccess::Always | ProjectAccess::Any, _) => false,
            (_, project, Some(value)) => !project.allows(value),
            (_, _, None) => true,
        }
    }

    /// Tells whether a table whose dotted name has `depth` parts, this key's own or below, is one value.
    pub(crate) fn is_one_value(&self, depth: usize) -> bool {
        let own = self.name.split('.').count();
        match self.kind {
            ValueKind::Servers | ValueKind::Models | ValueKind::Hosts => depth > own,
            _ => depth == own,
        }
    }

    /// Tells whether a value is of the key's type.
    pub fn accepts(&self, value: &toml::Value) -> bool {
        let texts = |items: &Vec<toml::Value>| items.iter().all(toml::Value::is_str);
        match self.kind {
            ValueKind::Bool => value.is_bool(),
            ValueKind::Integer(least) => value.as_integer().is_some_and(|number| number >= least),
            ValueKind::Share => {
                value.as_integer() == Some(1) || value.as_float().is_some_and(|share| share > 0.0 && share <= 1.0)
            }
            ValueKind::HostName | ValueKind::ModelName => value.is_str(),
            ValueKind::Choice(choices) => value.as_str().is_some_and(|text| choices.contains(&text)),
            ValueKind::List | ValueKind::Codes | ValueKind::HostNames => value.as_array().is_some_and(texts),
            ValueKind::Rules => value.as_array().is_some_and(|items| items.iter().all(switch_rule::is_valid)),
            ValueKind::Folders => value.as_array().is_some_and(|items| items.iter().all(is_folder)),
            ValueKind::Servers => value
                .as_table()
                .is_some_and(|servers| servers.iter().all(|(name, server)| parse_server(name, server).is_ok())),
            ValueKind::Models => value
                .as_table()
                .is_some_and(|models| models.iter().all(|(name, model)| parse_model(name, model).is_ok())),
            ValueKind::Hosts => value.as_table().is_some_and(|tables| tables.values().all(toml::Value::is_table)),
            // The rules in them are parsed later, where a bad one is an error and not just ignored.
            ValueKind::Permissions | ValueKind::Agents => true,
        }
    }

    /// Tells whether a value can deny something or switch it off.
    fn can_restrict(&self) -> bool {
        matches!(self.project, ProjectAccess::Only(_))
            || matches!(self.kind, ValueKind::Permissions | ValueKind::Agents | ValueKind::Hosts | ValueKind::Rules)
    }

    /// Tells whether an unknown name can have been meant for this key, a table above it or a key below it, and so have been
    /// meant to deny something.
    pub(super) fn may_be_meant_by(&self, path: &[String]) -> bool {
        self.can_restrict()
            && path.iter().zip(self.name.split('.')).all(|(part, own)| !near(own, [part.as_str()]).is_empty())
    }

    /// Returns the strictest value of a key that has one: it holds where a value cannot be used.
    pub(super) fn strictest(&self) -> Option<toml::Value> {
        match self.project {
            ProjectAccess::Only(strict) => parse_value(strict),
            _ => None,
        }
    }

    /// Describes the values that the key accepts.
    pub fn expected(&self) -> String {
        match self.kind {
            ValueKind::Bool => "`true` or `false`".to_owned(),
            ValueKind::Integer(least) => format!("a whole number, {least} or more"),
            ValueKind::Share => "a number above 0 and at most 1".to_owned(),
            ValueKind::HostName => "the name of a host".to_owned(),
            ValueKind::HostNames => "a list of names of hosts".to_owned(),
            ValueKind::Choice(choices) => format!("one of `{}`", choices.join("`, `")),
            ValueKind::List => "a list of texts".to_owned(),
            ValueKind::Codes => "a list of codes".to_owned(),
            ValueKind::Rules => "a list of tables with `name` or `path`, and `enabled`".to_owned(),
            ValueKind::Folders => "a list of folders that begin with `/` or `~/`".to_owned(),
            ValueKind::Hosts => "a table of settings for each host".to_owned(),
            ValueKind::Servers => "a table for each server".to_owned(),
            ValueKind::ModelName => "the name of a model".to_owned(),
            ValueKind::Models => "a table for each model".to_owned(),
            ValueKind::Permissions => "a table of rules for each permission".to_owned(),
            ValueKind::Agents => "a table with `permission` and `skills` for each agent".to_owned(),
        }
    }
}

impl ConfigKey {
    /// Returns the value that is meant by one of the wrong type, if that is clear: the nearest choice, or a list of one.
    pub(crate) fn near_value(&self, value: &toml::Value) -> Option<String> {
        let text = value.as_str()?;
        match self.kind {
            ValueKind::Choice(choices) => near(text, choices.iter().copied()).first().map(ToString::to_string),
            ValueKind::Bool => match text.to_ascii_lowercase().as_str() {
                "yes" | "on" | "true" => Some("true".to_owned()),
                "no" | "off" | "false" => Some("false".to_owned()),
                word => near(word, ["true", "false"]).first().map(ToString::to_string),
            },
            ValueKind::List | ValueKind::Codes | ValueKind::HostNames | ValueKind::Folders => {
                Some(toml::Value::Array(vec![value.clone()]).to_string())
            }
            _ => None,
        }
    }
}

/// Parses a value that is written as TOML.
pub(super) fn parse_value(text: &str) -> Option<toml::Value> {
    let mut table: toml::Table = format!("value = {text}").parse().ok()?;
    table.remove("value")
}

fn is_folder(value: &toml::Value) -> bool {
    value.as_str().is_some_and(|text| text.starts_with('/') || text.starts_with("~/"))
}
