//! Reads a host's settings from the program's own files, never writing them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use openoxide_skills::{
    Code, Diagnostic, Host, HostSettings, HostSpec, Origin, Setting, SettingKind, SettingRule, SettingSource,
    Surroundings, YesWords,
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
            let values = values.into_iter().filter(is_set).collect::<Vec<Setting>>();
            if rule.adds_up && !values.is_empty() {
                settings.parts.insert(name.clone(), values.clone());
            }
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
        for source in rule.from.iter().flat_map(|source| self.layered(source)).collect::<Vec<_>>() {
            values.extend(self.source(rule, &source));
        }
        let ids = std::iter::once(self.spec.name.clone()).chain(self.spec.edition.is_some().then(|| self.spec.id()));
        for key in ids.map(|id| format!("hosts.{}.{name}", quoted(&id))) {
            values.extend(match rule.kind {
                SettingKind::Permissions => self.config.values_outside_project(&key),
                _ => self.config.values(&key),
            });
        }
        values
    }

    /// Returns the places that a source stands for: itself, or each of its layers with its key.
    fn layered(&self, source: &SettingSource) -> Vec<SettingSource> {
        let Some(name) = &source.layers else { return vec![source.clone()] };
        let keyed = |layer: &SettingSource| SettingSource {
            key: source.key.clone(),
            negate: source.negate,
            holds: source.holds.clone(),
            ..layer.clone()
        };
        self.host.layers.get(name).into_iter().flatten().map(keyed).collect()
    }

    fn source(&mut self, rule: &SettingRule, source: &SettingSource) -> Vec<Setting> {
        if source.needs.as_ref().is_some_and(|name| !self.is_on(name)) {
            return Vec::new();
        }
        let mut values = match (&source.env, &source.config) {
            (Some(name), _) => self.read_variable(rule, source, name).into_iter().collect(),
            (_, Some(key)) => self.config.values(key),
            _ => self.paths(source).into_iter().filter_map(|path| self.read_file(rule, source, path)).collect(),
        };
        if !source.holds.is_empty() {
            for setting in &mut values {
                setting.value = Value::Boolean(holds(&setting.value, &source.holds));
            }
        }
        for setting in
            values.iter_mut().filter(|setting| source.negate && !(source.env.is_some() && setting.value.is_str()))
        {
            setting.value = Value::Boolean(setting.value.as_bool() != Some(true));
        }
        if rule.kind == SettingKind::Permissions {
            for setting in &mut values {
                spell_out(&mut setting.value);
            }
        }
        values
    }

    /// Tells whether a switch that other places depend on is on.
    fn is_on(&mut self, name: &str) -> bool {
        let Some(rule) = self.host.settings.get(name) else { return false };
        let default = rule.default.as_ref().and_then(Value::as_bool).unwrap_or(false);
        // A switch that depends on a switch could depend on itself.
        let free: Vec<&SettingSource> = rule.from.iter().filter(|source| source.needs.is_none()).collect();
        let values = free.into_iter().flat_map(|source| self.source(rule, source));
        values.filter_map(|setting| setting.value.as_bool()).last().unwrap_or(default)
    }

    /// Returns the files of a source, weakest first.
    fn paths(&self, source: &SettingSource) -> Vec<PathBuf> {
        let vars = &self.host.vars;
        if let Some(file) = &source.file {
            return self.around.expand(file, vars).into_iter().collect();
        }
        let folders = source.folder.iter().flat_map(|folder| self.around.places(folder, vars));
        folders.flat_map(|folder| source.files.iter().map(move |file| folder.join(file))).collect()
    }

    fn read_file(&mut self, rule: &SettingRule, source: &SettingSource, path: PathBuf) -> Option<Setting> {
        let key = source.key.as_deref().unwrap_or_default();
        let document = self.document(&path, source.comments)?;
        let value = document.get(key)?;
        let line = document.line(key);
        let value = if rule.kind == SettingKind::Rules { with_whole_paths(value, &path) } else { value.clone() };
        Some(Setting { value, origin: Origin::File { path, line } })
    }

    fn document(&mut self, path: &Path, comments: bool) -> Option<Document> {
        if let Some(known) = self.files.get(path) {
            return known.clone();
        }
        let document = document::read_with(path, Code::HostFile, comments).unwrap_or_else(|diagnostic| {
            self.problems.push(ConfigProblem { path: Some(path.to_owned()), diagnostic });
            None
        });
        self.files.insert(path.to_owned(), document.clone());
        document
    }

    fn read_variable(&mut self, rule: &SettingRule, source: &SettingSource, name: &str) -> Option<Setting> {
        let text = self.around.variables.get(name).filter(|text| !text.is_empty())?;
        let value = match rule.kind {
            _ if source.key.is_some() || rule.kind == SettingKind::Permissions => {
                let document = document::read_json(text, source.comments);
                let document = document.map_err(|message| self.bad_variable(name, &message)).ok()?;
                match &source.key {
                    Some(key) => document.get(key)?.clone(),
                    None => Value::Table(document.table),
                }
            }
            SettingKind::Bool => yes_or_no(text, source.yes),
            SettingKind::Number => number(text)?,
            SettingKind::List => items(text, source.split.as_deref()),
            _ => Value::String(text.clone()),
        };
        Some(Setting { value, origin: Origin::Environment(name.to_owned()) })
    }

    fn bad_variable(&mut self, name: &str, message: &str) {
        let diagnostic = Diagnostic::warning(Code::HostFile, format!("`${name}` is not {message}"))
            .help("mend the variable, or unset it");
        let problem = ConfigProblem { path: None, diagnostic };
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    /// Tells whether a value is of its type and its rule can hold it; says so otherwise.
    fn accepts(&mut self, name: &str, rule: &SettingRule, setting: &Setting) -> bool {
        let right_type = match rule.kind {
            SettingKind::Bool => setting.value.is_bool(),
            SettingKind::Number => setting.value.is_integer() || setting.value.is_float(),
            SettingKind::Text => setting.value.is_str(),
            SettingKind::List | SettingKind::Rules => setting.value.is_array(),
            SettingKind::Table | SettingKind::Permissions => setting.value.is_table(),
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

/// Reads a yes or no from a variable; a text that is neither stays a text, and is refused as such.
fn yes_or_no(text: &str, words: YesWords) -> Value {
    let is_yes = match words {
        YesWords::NotNo => !matches!(text, "0" | "false" | "no" | "off"),
        YesWords::True => text.eq_ignore_ascii_case("true") || text == "1",
        YesWords::Listed => match text {
            "true" | "yes" | "on" | "1" | "y" => true,
            "false" | "no" | "off" | "0" | "n" => false,
            _ => return Value::String(text.to_owned()),
        },
    };
    Value::Boolean(is_yes)
}

/// Writes a permission for everything as a table, and yes and no as the words they stand for.
fn spell_out(value: &mut Value) {
    if let Value::String(word) = value {
        *value = Value::Table([("*".to_owned(), Value::String(std::mem::take(word)))].into_iter().collect());
    }
    for inner in value.as_table_mut().into_iter().flat_map(toml::Table::iter_mut).map(|(_, inner)| inner) {
        if let Value::Boolean(is_allowed) = *inner {
            *inner = Value::String(if is_allowed { "allow" } else { "deny" }.to_owned());
        }
    }
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

/// Joins the values of a setting: the last wins, or the last no does, or they add up.
fn combine(rule: &SettingRule, values: Vec<Setting>) -> Option<Setting> {
    if rule.strictest
        && let Some(no) = values.iter().rfind(|setting| setting.value.as_bool() == Some(false))
    {
        return Some(no.clone());
    }
    if !rule.adds_up {
        return values.into_iter().next_back();
    }
    values.into_iter().reduce(|below, above| match (below.value, above.value) {
        (Value::Table(all), Value::Table(more)) if rule.kind == SettingKind::Permissions => {
            Setting { value: Value::Table(merged(all, more)), origin: above.origin }
        }
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

/// Puts one table over another, table by table; a key that is already there keeps its place.
fn merged(mut all: toml::Table, more: toml::Table) -> toml::Table {
    for (key, value) in more {
        let value = match (all.get_mut(&key), value) {
            (Some(Value::Table(below)), Value::Table(above)) => Value::Table(merged(std::mem::take(below), above)),
            (_, value) => value,
        };
        all.insert(key, value);
    }
    all
}
