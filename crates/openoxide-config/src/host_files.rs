//! Reads a host's settings from the program's own files, never writing them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use openoxide_skills::{
    Code, Diagnostic, Host, HostSettings, HostSpec, Origin, Setting, SettingKind, SettingRule, SettingSource,
    Surroundings,
};
use toml::Value;

use crate::document::{self, Document};
use crate::layers::{Config, ConfigProblem};
use crate::plugins;

/// Reads every setting of a host; returns them and what is wrong with the files.
pub(crate) fn read_settings(
    spec: &HostSpec,
    host: &Host,
    around: &Surroundings,
    config: &Config,
) -> (HostSettings, Vec<ConfigProblem>) {
    let mut reader = Reader { spec, host, around, config, files: HashMap::new(), problems: Vec::new() };
    let mut settings = reader.settings();
    if host.strict_files && reader.drop_bad_files() {
        settings = reader.settings();
    }
    for (name, rule) in &host.settings {
        if let Some(source) = &rule.plugins {
            let enabled = settings.get(&source.enabled).map(|setting| setting.value.clone());
            let around = &plugins::placed(source, around);
            let expand = |template: &str| around.expand(template, &host.vars);
            let found = match source.every_entry {
                true => {
                    let default =
                        |name: &String| host.settings.get(name).and_then(|rule| rule.default.as_ref()?.as_bool());
                    let is_on = |name: &String| settings.is_on(name, default(name).unwrap_or(false));
                    let users_count = source.user_switch.as_ref().is_none_or(is_on);
                    plugins::every(source, enabled.as_ref(), users_count, around, &expand)
                }
                false => plugins::find(source, enabled.as_ref(), &expand),
            };
            settings.plugins.insert(name.clone(), found);
        }
    }
    (settings, reader.problems)
}

struct Reader<'r> {
    spec: &'r HostSpec,
    host: &'r Host,
    around: &'r Surroundings,
    config: &'r Config,
    files: HashMap<PathBuf, Option<Document>>,
    problems: Vec<ConfigProblem>,
}

impl Reader<'_> {
    fn settings(&mut self) -> HostSettings {
        let mut settings = HostSettings::default();
        for (name, rule) in &self.host.settings {
            let values: Vec<Setting> =
                self.values(name, rule).into_iter().filter(|setting| self.accepts(name, rule, setting)).collect();
            let is_set = |setting: &Setting| {
                !rule.empty_is_unset || setting.value.as_array().is_none_or(|list| !list.is_empty())
            };
            let values = values.into_iter().filter(is_set).collect();
            if let Some(setting) = combine(rule, values) {
                settings.values.insert(name.clone(), setting);
            }
        }
        settings
    }

    /// Takes out files with a bad value; returns whether there are any.
    fn drop_bad_files(&mut self) -> bool {
        let bad: Vec<PathBuf> = self.problems.iter().filter_map(|problem| problem.path.clone()).collect();
        let mut dropped = false;
        for path in bad {
            dropped |= self.files.insert(path, None).is_some_and(|document| document.is_some());
        }
        dropped
    }

    /// Returns every value of a setting, weakest first.
    fn values(&mut self, name: &str, rule: &SettingRule) -> Vec<Setting> {
        let mut values: Vec<Setting> = Vec::new();
        for source in &rule.from {
            values.extend(self.source(rule, source));
        }
        values.extend(self.config.all(&format!("hosts.{}.{name}", quoted(&self.spec.name))));
        if self.spec.edition.is_some() {
            values.extend(self.config.all(&format!("hosts.{}.{name}", quoted(&self.spec.id()))));
        }
        values
    }

    fn source(&mut self, rule: &SettingRule, source: &SettingSource) -> Vec<Setting> {
        let mut values = match (&source.file, &source.env, &source.config) {
            (Some(file), ..) => self.read_file(rule, file, source.key.as_deref().unwrap_or_default()),
            (_, Some(name), _) => self.read_variable(rule, source, name).into_iter().collect(),
            (.., Some(key)) => self.config.all(key),
            _ => {
                let key = source.key.as_deref().unwrap_or_default();
                let host = self.host;
                host.settings_files.iter().flat_map(|file| self.read_file(rule, file, key)).collect()
            }
        };
        if !source.holds.is_empty() {
            for setting in &mut values {
                setting.value = Value::Boolean(holds(&setting.value, &source.holds));
            }
        }
        if source.negate {
            for setting in &mut values {
                setting.value = Value::Boolean(setting.value.as_bool() != Some(true));
            }
        }
        values
    }

    fn read_file(&mut self, rule: &SettingRule, file: &str, key: &str) -> Vec<Setting> {
        let Some(path) = self.around.expand(file, &self.host.vars) else { return Vec::new() };
        let Some(document) = self.document(&path) else { return Vec::new() };
        let Some(value) = document.get(key) else { return Vec::new() };
        let line = document.line(key);
        let value = if rule.kind == SettingKind::Rules { with_whole_paths(value, &path) } else { value.clone() };
        vec![Setting { value, origin: Origin::File { path, line } }]
    }

    fn document(&mut self, path: &Path) -> Option<Document> {
        if let Some(known) = self.files.get(path) {
            return known.clone();
        }
        let document = document::read(path, Code::HostFile).unwrap_or_else(|diagnostic| {
            self.problems.push(ConfigProblem { path: Some(path.to_owned()), diagnostic });
            None
        });
        self.files.insert(path.to_owned(), document.clone());
        document
    }

    fn read_variable(&self, rule: &SettingRule, source: &SettingSource, name: &str) -> Option<Setting> {
        let text = self.around.variables.get(name).filter(|text| !text.is_empty())?;
        let value = match rule.kind {
            SettingKind::Bool => Value::Boolean(!matches!(text.as_str(), "0" | "false" | "no" | "off")),
            SettingKind::Number => number(text)?,
            SettingKind::List => items(text, source.split.as_deref()),
            _ => Value::String(text.clone()),
        };
        Some(Setting { value, origin: Origin::Environment(name.to_owned()) })
    }

    /// Tells whether a value is of its type and its rule can hold it; says so otherwise.
    fn accepts(&mut self, name: &str, rule: &SettingRule, setting: &Setting) -> bool {
        let right_type = match rule.kind {
            SettingKind::Bool => setting.value.is_bool(),
            SettingKind::Number => setting.value.is_integer() || setting.value.is_float(),
            SettingKind::Text => setting.value.is_str(),
            SettingKind::List | SettingKind::Rules => setting.value.is_array(),
            SettingKind::Table => setting.value.is_table(),
            SettingKind::Plugins => false,
        };
        let alone = HostSettings { values: [(name.to_owned(), setting.clone())].into(), ..HostSettings::default() };
        let fits = right_type
            && in_range(rule, &setting.value)
            && self.states_fit(name, setting)
            && (rule.sets.is_none() || self.spec.with(&alone).is_ok());
        if !fits {
            let path = match &setting.origin {
                Origin::File { path, .. } => Some(path.clone()),
                _ => None,
            };
            let message = format!("`{}` is not a value for the setting `{name}` ({})", setting.value, setting.origin);
            let diagnostic = Diagnostic::warning(Code::ConfigType, message)
                .help(format!("{} The value does not count.", rule.about));
            self.problems.push(ConfigProblem { path, diagnostic });
        }
        fits
    }

    /// Tells whether every state in a table of states is one.
    fn states_fit(&self, name: &str, setting: &Setting) -> bool {
        let filter = &self.host.filter;
        let known = |state: &Value| state.as_str().is_some_and(|state| filter.effects.contains_key(state));
        filter.states.as_deref() != Some(name)
            || setting.value.as_table().is_some_and(|states| states.values().all(known))
    }
}

/// Tells whether a list holds one of some words.
fn holds(value: &Value, words: &[String]) -> bool {
    let items = value.as_array().into_iter().flatten().filter_map(Value::as_str);
    items.into_iter().any(|item| words.iter().any(|word| word == item))
}

fn quoted(name: &str) -> String {
    format!("\"{name}\"")
}

fn number(text: &str) -> Option<Value> {
    let text = text.trim();
    text.parse::<i64>().map(Value::Integer).or_else(|_| text.parse::<f64>().map(Value::Float)).ok()
}

/// Returns the items of a list that a variable holds.
fn items(text: &str, split: Option<&str>) -> Value {
    let parts: Vec<&str> = split.map_or_else(|| vec![text], |split| text.split(split).collect());
    let items = parts.into_iter().map(str::trim).filter(|item| !item.is_empty());
    Value::Array(items.map(|item| Value::String(item.to_owned())).collect())
}

/// Tells whether a number is neither too small nor too large; anything else is.
fn in_range(rule: &SettingRule, value: &Value) -> bool {
    #[expect(clippy::cast_precision_loss, reason = "limits are far below what a double holds exactly")]
    let number = value.as_float().or_else(|| value.as_integer().map(|number| number as f64));
    number.is_none_or(|number| rule.min.is_none_or(|min| number >= min) && rule.max.is_none_or(|max| number <= max))
}

/// Makes paths in rules whole: they start at the file's folder.
fn with_whole_paths(value: &Value, file: &Path) -> Value {
    let mut value = value.clone();
    let folder = file.parent().unwrap_or(Path::new("/"));
    for rule in value.as_array_mut().into_iter().flatten() {
        if let Some(path) = rule.get("path").and_then(Value::as_str).filter(|path| !path.starts_with(['~', '/'])) {
            let whole = folder.join(path).to_string_lossy().into_owned();
            if let Value::Table(table) = rule {
                table.insert("path".to_owned(), Value::String(whole));
            }
        }
    }
    value
}

/// Joins the values of a setting: the last wins, or they add up.
fn combine(rule: &SettingRule, values: Vec<Setting>) -> Option<Setting> {
    if !rule.adds_up {
        return values.into_iter().next_back();
    }
    values.into_iter().reduce(|below, above| match (below.value, above.value) {
        (Value::Table(mut all), Value::Table(more)) => {
            all.extend(more);
            Setting { value: Value::Table(all), origin: above.origin }
        }
        (Value::Array(mut all), Value::Array(more)) => {
            all.extend(more);
            Setting { value: Value::Array(all), origin: above.origin }
        }
        (_, value) => Setting { value, origin: above.origin },
    })
}
