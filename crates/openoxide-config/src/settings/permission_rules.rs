//! Reads `[permission]` and `[agents]` of every active layer into rules.
//!
//! A project's rules can deny and ask, but never allow or loosen. A rule that cannot be read is an error, not a warning:
//! it may have been the one that denies.

use std::collections::BTreeMap;
use std::path::Path;

use openoxide_permissions::{Action, Examples, Permission, Rule, RuleError, Rules};
use openoxide_skills::diagnostic::{Code, Diagnostic};
use toml::Value;

use super::layer::{ConfigProblem, Layer, LayerKind, Problems};
use super::next_step::{IGNORED, help_for};
use crate::{document::dotted_key::quote_part, suggestion::did_you_mean};

/// An agent under `[agents]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentSettings {
    /// The name.
    pub name: String,
    /// Its rules, which follow those under `[permission]` and override them.
    pub rules: Rules,
    /// The skills that it starts with.
    pub skills: Vec<String>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct PermissionRules {
    pub(crate) rules: Rules,
    pub(crate) agents: BTreeMap<String, AgentSettings>,
    /// The first rule that cannot be used.
    pub(crate) error: Option<RuleError>,
    /// The first rule about an unknown permission or setting, which may have been meant to deny.
    pub(crate) doubt: Option<RuleError>,
    pub(crate) problems: Vec<ConfigProblem>,
}

/// Reads the active layers, weakest first.
pub(crate) fn read(layers: &[Layer], home: Option<&Path>) -> PermissionRules {
    let mut all = PermissionRules::default();
    for layer in layers.iter().filter(|layer| layer.is_active) {
        let mut reader = Reader { layer, home, problems: Problems::default(), all: &mut all };
        if let Some(value) = layer.document.get("permission") {
            let rules = reader.rules("permission", value);
            reader.all.rules.0.extend(rules);
        }
        match layer.document.get("agents") {
            Some(Value::Table(agents)) => agents.iter().for_each(|(name, value)| reader.agent(name, value)),
            Some(_) => reader.bad("agents", "`agents` has a table for each agent"),
            None => {}
        }
        let problem = |diagnostic| ConfigProblem { path: layer.path.clone(), diagnostic };
        let problems = reader.problems.into_diagnostics().map(problem);
        all.problems.extend(problems);
    }
    all
}

struct Reader<'r> {
    layer: &'r Layer,
    home: Option<&'r Path>,
    problems: Problems,
    all: &'r mut PermissionRules,
}

impl Reader<'_> {
    fn agent(&mut self, name: &str, value: &Value) {
        let key = format!("agents.{}", quote_part(name));
        let Some(table) = value.as_table() else {
            return self.bad(&key, "an agent is a table with `permission` and `skills`");
        };
        let rules = table.get("permission");
        let rules = rules.map(|value| self.rules(&format!("{key}.permission"), value)).unwrap_or_default();
        let skills = table.get("skills").map(texts);
        if let (Some(value), Some(None)) = (table.get("skills"), &skills) {
            let message = format!("`{key}.skills` must be a list of texts");
            let help = help_for(self.layer, &format!("{key}.skills"), value, IGNORED);
            self.problem(Code::ConfigType, message, help);
        }
        for unknown in table.keys().filter(|key| !["permission", "skills"].contains(&key.as_str())) {
            let message = format!("there is no setting `{key}.{unknown}`");
            self.doubt(&key, &message);
            self.problem(Code::ConfigUnknownKey, message, "an agent has `permission` and `skills`");
        }
        let agent = self.all.agents.entry(name.to_owned()).or_default();
        name.clone_into(&mut agent.name);
        agent.rules.0.extend(rules);
        agent.skills = skills.flatten().unwrap_or_else(|| std::mem::take(&mut agent.skills));
    }

    /// Reads rules in any of their forms: an action, or a table of actions, of patterns, or of lists of rules.
    fn rules(&mut self, key: &str, value: &Value) -> Vec<Rule> {
        let mut rules = Vec::new();
        match value {
            Value::String(word) => rules.extend(self.rule(key, "*", "*", word, Examples::default())),
            Value::Table(table) => {
                for (permission, value) in table {
                    self.check_permission(key, permission);
                    let key = format!("{key}.{}", quote_part(permission));
                    rules.extend(self.patterns(&key, permission, value));
                }
            }
            _ => self.bad(key, "rules are a word, or a table by permission"),
        }
        rules
    }

    fn patterns(&mut self, key: &str, permission: &str, value: &Value) -> Vec<Rule> {
        let mut rules = Vec::new();
        match value {
            Value::String(word) => rules.extend(self.rule(key, permission, "*", word, Examples::default())),
            Value::Table(table) => {
                for (pattern, word) in table {
                    let key = format!("{key}.{}", quote_part(pattern));
                    match word.as_str() {
                        Some(word) => rules.extend(self.rule(&key, permission, pattern, word, Examples::default())),
                        None => self.bad(&key, "a pattern needs `allow`, `ask` or `deny`"),
                    }
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    rules.extend(self.listed(&format!("{key}.{index}"), permission, item));
                }
            }
            _ => self.bad(key, "a permission is a word, a table of patterns, or a list of rules"),
        }
        rules
    }

    /// Reads one rule of a list, which may have examples.
    fn listed(&mut self, key: &str, permission: &str, item: &Value) -> Option<Rule> {
        const KEYS: [&str; 4] = ["pattern", "action", "matches", "not"];
        let known = item.as_table().is_some_and(|table| table.keys().all(|key| KEYS.contains(&key.as_str())));
        let text = |key: &str| item.get(key).and_then(Value::as_str);
        let list = |key: &str| item.get(key).map_or(Some(Vec::new()), texts);
        match (text("pattern"), text("action"), list("matches"), list("not")) {
            (Some(pattern), Some(word), Some(matches), Some(not)) if known => {
                self.rule(key, permission, pattern, word, Examples { matches, not })
            }
            _ => {
                self.bad(key, "a rule has `pattern`, `action`, and lists of texts `matches` and `not`");
                None
            }
        }
    }

    fn rule(&mut self, key: &str, permission: &str, pattern: &str, word: &str, examples: Examples) -> Option<Rule> {
        let origin = self.layer.origin(key).to_string();
        let Ok(action) = word.parse::<Action>() else {
            self.fail(RuleError::new(origin, format!("`{word}` is not `allow`, `ask` or `deny`")));
            return None;
        };
        let is_projects = self.layer.kind == LayerKind::Project;
        if is_projects && action == Action::Allow {
            let message = format!("a project cannot allow anything: `{pattern}` of `{permission}` is ignored");
            self.problem(Code::ConfigType, message, "allow it in your own config.toml");
            return None;
        }
        let mut rule = Rule::new(permission, pattern, action, origin).at_home(self.home);
        (rule.examples, rule.only_stricter) = (examples, is_projects);
        if let Err(error) = rule.check() {
            self.fail(error);
        }
        Some(rule)
    }

    /// Warns about a rule for an unknown permission.
    fn check_permission(&mut self, key: &str, permission: &str) {
        let words = Permission::ALL.iter().map(|permission| permission.as_str());
        if permission.contains(['*', '?']) || words.clone().any(|word| word == permission) {
            return;
        }
        let help = did_you_mean(permission, words, "the reference lists the permissions");
        let message = format!("`{key}.{permission}` is no permission");
        self.doubt(key, &message);
        self.problem(Code::ConfigUnknownKey, message, help);
    }

    fn doubt(&mut self, key: &str, message: &str) {
        self.all.doubt.get_or_insert_with(|| doubt(self.layer, key, message));
    }

    fn bad(&mut self, key: &str, what: &str) {
        let origin = self.layer.origin(key).to_string();
        self.fail(RuleError::new(origin, what));
    }

    fn fail(&mut self, error: RuleError) {
        self.all.error.get_or_insert(error);
    }

    fn problem(&mut self, code: Code, message: String, help: impl Into<String>) {
        self.problems.add(code, || Diagnostic::warning(code, message).help(help));
    }
}

/// Returns the error of something that is not understood, where it may have been meant to deny.
pub(super) fn doubt(layer: &Layer, key: &str, message: &str) -> RuleError {
    RuleError::new(layer.origin(key).to_string(), format!("{message}, and may have been meant to deny"))
}

fn texts(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|item| item.as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests;
