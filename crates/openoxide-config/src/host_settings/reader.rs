//! Reads the settings of a host from every place that its rules name.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use openoxide_skills::diagnostic::Place;
use openoxide_skills::host::{Combine, STATES, SettingDoes, SettingKind, SettingLayer, SettingRule, SettingSource};
use openoxide_skills::prelude::{Code, Diagnostic, Host, HostSettings, HostSpec, Surroundings};
use openoxide_skills::root::Boundary;
use openoxide_skills::settings::{Origin, Setting};
use toml::Value;

use super::value::{
    combine, contains_any, expected, is_in_range, is_of_type, normalize_permissions, parse_number, parse_switch,
    split_list, with_absolute_paths,
};
use crate::document::json::{JsonDialect, parse_json};
use crate::document::{self, Document, Writers, dotted_key};
use crate::{Config, ConfigProblem, document::dotted_key::quote_part};

/// Reads settings, each file once.
pub(super) struct Reader<'r> {
    spec: &'r HostSpec,
    host: &'r Host,
    around: &'r Surroundings,
    config: &'r Config,
    files: HashMap<PathBuf, Option<Rc<Document>>>,
    pub(super) problems: Vec<ConfigProblem>,
}

impl<'r> Reader<'r> {
    pub(super) fn new(spec: &'r HostSpec, host: &'r Host, around: &'r Surroundings, config: &'r Config) -> Reader<'r> {
        Reader { spec, host, around, config, files: HashMap::new(), problems: Vec::new() }
    }

    pub(super) fn settings(&mut self) -> HostSettings {
        let mut settings = HostSettings::default();
        for (name, rule) in &self.host.settings {
            let mut values = self.values(name, rule);
            for setting in &mut values {
                self.switch_off_unknown_states(name, setting);
            }
            values.retain(|setting| self.accepts(name, rule, setting));
            if rule.empty_is_unset {
                values.retain(|setting| setting.value.as_array().is_none_or(|list| !list.is_empty()));
            }
            if rule.combine == Combine::AddUp && !values.is_empty() {
                settings.parts.insert(name.clone(), values.clone());
            }
            if let Some(setting) = combine(rule, values) {
                settings.values.insert(name.clone(), setting);
            }
        }
        settings
    }

    /// Ignores the files that have a problem from now on. Returns whether there are any.
    pub(super) fn drop_bad_files(&mut self) -> bool {
        let bad: Vec<PathBuf> = self.problems.iter().filter_map(|problem| problem.path.clone()).collect();
        let mut dropped = false;
        for path in bad {
            dropped |= self.files.get_mut(&path).is_some_and(|document| document.take().is_some());
        }
        dropped
    }

    /// Returns every value of a setting, weakest first.
    fn values(&mut self, name: &str, rule: &SettingRule) -> Vec<Setting> {
        let mut values: Vec<Setting> = Vec::new();
        for source in &rule.from {
            for layer in self.layers(source) {
                values.extend(self.source_values(rule, source, &layer));
            }
        }
        let ids = std::iter::once(self.spec.name.clone()).chain(self.spec.edition.is_some().then(|| self.spec.id()));
        for key in ids.map(|id| format!("hosts.{}.{name}", quote_part(&id))) {
            values.extend(match rule.kind {
                SettingKind::Permissions => self.config.values_outside_project(&key),
                _ => self.config.values(&key),
            });
        }
        values
    }

    /// Returns the layers that a source refers to, or the source itself as a layer.
    fn layers(&self, source: &SettingSource) -> Vec<SettingLayer> {
        let Some(name) = &source.layers else { return vec![source.layer()] };
        self.host.layers.get(name).cloned().unwrap_or_default()
    }

    fn source_values(&mut self, rule: &SettingRule, source: &SettingSource, layer: &SettingLayer) -> Vec<Setting> {
        if layer.needs.as_ref().is_some_and(|name| !self.is_on(name)) {
            return Vec::new();
        }
        let mut values: Vec<Setting> = match (&layer.env, &source.config) {
            (Some(name), _) => self.read_variable(rule, source, layer, name).into_iter().collect(),
            (_, Some(key)) => self.config.values(key),
            _ => layer_files(layer, self.host, self.around)
                .into_iter()
                .filter_map(|path| self.read_file(rule, source, layer, path))
                .collect(),
        };
        for value in values.iter_mut().map(|setting| &mut setting.value) {
            if !source.holds.is_empty() {
                *value = Value::Boolean(contains_any(value, &source.holds));
            }
            if let (true, Some(table)) = (source.keys, value.as_table()) {
                *value = Value::Array(table.keys().map(|key| Value::from(key.as_str())).collect());
            }
            if source.negate && !(layer.env.is_some() && value.is_str()) {
                *value = Value::Boolean(value.as_bool() != Some(true));
            }
            if rule.kind == SettingKind::Permissions {
                normalize_permissions(value);
            }
        }
        values
    }

    /// Tells whether a switch that other sources depend on is on.
    fn is_on(&mut self, name: &str) -> bool {
        let Some(rule) = self.host.settings.get(name) else { return false };
        let default = rule.default.as_ref().and_then(Value::as_bool).unwrap_or(false);
        // Layers of the switch are left out, because they can depend on a switch: it could be this one.
        let independent: Vec<&SettingSource> = rule.from.iter().filter(|source| source.layers.is_none()).collect();
        let values = independent.into_iter().flat_map(|source| self.source_values(rule, source, &source.layer()));
        values.filter_map(|setting| setting.value.as_bool()).last().unwrap_or(default)
    }

    fn read_file(
        &mut self,
        rule: &SettingRule,
        source: &SettingSource,
        layer: &SettingLayer,
        path: PathBuf,
    ) -> Option<Setting> {
        let key = self.key(source).unwrap_or_default();
        let document = self.document(&path, dialect(layer))?;
        let value = document.get(&key)?;
        let line = document.line(&key);
        let value = if rule.kind == SettingKind::Rules { with_absolute_paths(value, &path) } else { value.clone() };
        Some(Setting { value, origin: Origin::File { path, line } })
    }

    /// Returns the key of a source, with the conversation's agent in it.
    fn key(&self, source: &SettingSource) -> Option<String> {
        let first = self.host.agents.as_ref().map(|agents| &agents.first);
        let agent = self.around.agent.as_ref().or(first).map(|name| quote_part(name)).unwrap_or_default();
        source.key.as_ref().map(|key| key.replace("{agent}", &agent))
    }

    fn document(&mut self, path: &Path, dialect: JsonDialect) -> Option<Rc<Document>> {
        if let Some(known) = self.files.get(path) {
            return known.clone();
        }
        let boundary = || self.boundary(path);
        let planned = self.config.planned.as_ref();
        let read = document::read(path, Code::HostFile, dialect, Writers::Anyone(&boundary), planned);
        let document = read.unwrap_or_else(|diagnostic| {
            self.problems.push(ConfigProblem { path: Some(path.to_owned()), diagnostic });
            None
        });
        let document = document.map(Rc::new);
        self.files.insert(path.to_owned(), document.clone());
        document
    }

    /// Returns where links may lead on the way to a settings file.
    fn boundary(&self, path: &Path) -> Boundary {
        let layers: Vec<SettingLayer> = setting_layers(self.host).collect();
        let templates = layers.iter().flat_map(|layer| &layer.files).map(String::as_str);
        self.around.boundary_of_file(path, templates, &self.host.vars)
    }

    fn read_variable(
        &mut self,
        rule: &SettingRule,
        source: &SettingSource,
        layer: &SettingLayer,
        name: &str,
    ) -> Option<Setting> {
        let Setting { value, origin } = self.variable(name)?;
        let text = value.as_str().filter(|text| !text.is_empty())?;
        let value = match rule.kind {
            _ if source.key.is_some() || rule.kind == SettingKind::Permissions => {
                let table = parse_json(text, dialect(layer));
                let table = table.map_err(|message| self.add_bad_variable(name, &message)).ok()?;
                match self.key(source) {
                    Some(key) => dotted_key::get(&table, &key)?.clone(),
                    None => Value::Table(table),
                }
            }
            SettingKind::Bool => parse_switch(text, source.yes),
            SettingKind::Number => parse_number(text)?,
            SettingKind::List => split_list(text, source.split.as_deref()),
            _ => Value::String(text.to_owned()),
        };
        Some(Setting { value, origin })
    }

    /// Returns the text of an environment variable: what the program's settings set it to, or else the shell.
    fn variable(&mut self, name: &str) -> Option<Setting> {
        self.variable_of_settings(name).or_else(|| {
            let text = self.around.variables.get(name)?;
            Some(Setting { value: text.as_str().into(), origin: Origin::Environment(name.to_owned()) })
        })
    }

    fn variable_of_settings(&mut self, name: &str) -> Option<Setting> {
        let key = format!("{}.{}", self.host.variables.as_ref()?, quote_part(name));
        let files = self.host.layers.values().flatten().flat_map(|layer| {
            layer_files(layer, self.host, self.around).into_iter().map(move |path| (path, dialect(layer)))
        });
        let strongest = files.collect::<Vec<_>>().into_iter().rev();
        strongest.into_iter().find_map(|(path, dialect)| {
            let document = self.document(&path, dialect)?;
            let text = match document.get(&key)? {
                Value::String(text) => text.clone(),
                value @ (Value::Integer(_) | Value::Float(_) | Value::Boolean(_)) => value.to_string(),
                _ => return None,
            };
            let origin = Origin::File { line: document.line(&key), path };
            Some(Setting { value: text.into(), origin })
        })
    }

    fn add_bad_variable(&mut self, name: &str, message: &str) {
        let diagnostic = Diagnostic::warning(Code::HostFile, format!("`${name}` is not {message}"))
            .help("fix the variable, or unset it");
        self.add_problem(ConfigProblem { path: None, diagnostic });
    }

    /// Switches off the skills of a table of states whose state is not known, and reports them. The other states hold: a slip
    /// must not switch on what another line switches off. A file that its program ignores as a whole is left alone.
    fn switch_off_unknown_states(&mut self, name: &str, setting: &mut Setting) {
        if self.ignores_whole_file(&setting.origin) {
            return;
        }
        let Some(message) = state_objection(self.host, name, &setting.value) else { return };
        for state in setting.value.as_table_mut().into_iter().flat_map(toml::Table::iter_mut).map(|(_, state)| state) {
            if !is_state(state) {
                *state = Value::from("off");
            }
        }
        self.report(setting, message, "A skill with another state is off until it is fixed.".to_owned());
    }

    /// Tells whether a setting is in a file that the host's program ignores for one mistake.
    fn ignores_whole_file(&self, origin: &Origin) -> bool {
        matches!(origin, Origin::File { path, .. } if self.host.strict_files && self.files.contains_key(path))
    }

    /// Tells whether a value is of its type and within the limits of its rule. Reports it otherwise.
    fn accepts(&mut self, name: &str, rule: &SettingRule, setting: &Setting) -> bool {
        let Some(wrong) = objection(self.spec, self.host, name, &setting.value) else { return true };
        let ignored = if self.ignores_whole_file(&setting.origin) { "whole file" } else { "value" };
        self.report(setting, wrong, format!("{} The {ignored} is ignored.", rule.about));
        false
    }

    /// Reports what is wrong with a setting, at its place.
    fn report(&mut self, setting: &Setting, wrong: String, help: String) {
        let (path, line, message) = match &setting.origin {
            Origin::File { path, line } => (Some(path.clone()), *line, wrong),
            origin => (None, None, format!("{wrong} ({origin})")),
        };
        let place = line.map(|line| Place { span: 0..0, line, column: 1, lines: String::new() });
        let diagnostic = Diagnostic::warning(Code::ConfigType, message).help(help);
        self.add_problem(ConfigProblem { path, diagnostic: Diagnostic { place, ..diagnostic } });
    }

    /// Adds a problem, once: several settings read a variable, and all are read again where a file is dropped.
    fn add_problem(&mut self, problem: ConfigProblem) {
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }
}

/// Tells whether a host's setting takes a value.
pub(crate) fn fits(spec: &HostSpec, host: &Host, name: &str, value: &Value) -> bool {
    objection(spec, host, name, value).is_none()
}

/// Returns why a host's setting does not take a value. The value itself is not in the text: it can be long, and it can have
/// names of skills that not everyone may see.
fn objection(spec: &HostSpec, host: &Host, name: &str, value: &Value) -> Option<String> {
    let Some(rule) = host.settings.get(name) else { return Some(format!("there is no setting `{name}`")) };
    if let Some(wrong) = state_objection(host, name, value) {
        return Some(wrong);
    }
    let setting = Setting { value: value.clone(), origin: Origin::Default };
    let alone = HostSettings { values: [(name.to_owned(), setting)].into(), ..HostSettings::default() };
    let is_usable =
        is_of_type(rule, value) && is_in_range(rule, value) && (rule.sets.is_none() || spec.with(&alone).is_ok());
    (!is_usable).then(|| format!("the setting `{name}` must be {}", expected(rule)))
}

/// Returns what is wrong with a table of states: the first key whose state is not known.
fn state_objection(host: &Host, name: &str, value: &Value) -> Option<String> {
    host.setting_that(SettingDoes::SetStates).filter(|(states, _)| *states == name)?;
    let (key, _) = value.as_table()?.iter().find(|(_, state)| !is_state(state))?;
    Some(format!("`{key}` in the setting `{name}` must be one of `{}`", STATES.join("`, `")))
}

fn is_state(value: &Value) -> bool {
    value.as_str().is_some_and(|state| STATES.contains(&state))
}

fn dialect(layer: &SettingLayer) -> JsonDialect {
    if layer.comments { JsonDialect::WithComments } else { JsonDialect::Strict }
}

/// Returns every place where a host's program keeps settings.
pub(crate) fn setting_layers(host: &Host) -> impl Iterator<Item = SettingLayer> {
    let own = host.settings.values().flat_map(|rule| &rule.from).map(SettingSource::layer);
    own.chain(host.layers.values().flatten().cloned())
}

/// Returns the files of a layer, weakest first, whether or not they exist.
///
/// Files that walk take turns at each folder of the walk, so that a nearer folder is stronger than any file of another.
pub(crate) fn layer_files(layer: &SettingLayer, host: &Host, around: &Surroundings) -> Vec<PathBuf> {
    let files: Vec<Vec<PathBuf>> = layer.files.iter().map(|file| around.places(file, &host.vars)).collect();
    let steps = files.iter().map(Vec::len).max().unwrap_or_default();
    (0..steps).flat_map(|step| files.iter().filter_map(move |places| places.get(step).cloned())).collect()
}
