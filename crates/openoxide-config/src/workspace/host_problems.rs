//! Problems with added hosts, and with settings that name hosts or a model.

use openoxide_skills::diagnostic::Place;
use openoxide_skills::prelude::{Code, Diagnostic, HostError, Hosts};
use openoxide_skills::text::near;

use super::error::WorkspaceError;
use crate::host_settings::{reader::fits, value::expected};
use crate::settings::layer::{Layer, Problems};
use crate::{Config, ConfigProblem, suggestion::did_you_mean};

pub(super) fn unusable_host(error: &HostError) -> ConfigProblem {
    let path = match error {
        HostError::Invalid { path, .. } | HostError::Unreadable { path, .. } => Some(path.clone()),
        _ => None,
    };
    let message = match error {
        HostError::Invalid { message, .. } => format!("the host is not usable: {}", message.trim_end()),
        other => other.to_string(),
    };
    let help = "fix the file; the host is left out until then";
    ConfigProblem { path, diagnostic: Diagnostic::warning(Code::HostInvalid, message).help(help) }
}

/// Returns the problems with settings under `[hosts]` whose host, or whose setting of that host, does not exist.
pub(super) fn unknown_host_settings(config: &Config, hosts: &Hosts) -> Vec<ConfigProblem> {
    let mut problems = Vec::new();
    for layer in &config.layers {
        let tables = layer.document.get("hosts").and_then(toml::Value::as_table);
        let found = tables.into_iter().flatten().flat_map(|(name, table)| unknown_settings(hosts, name, table));
        problems.extend(told(layer, found));
    }
    problems
}

/// Returns the problems with the names in a table of `[hosts]`.
fn unknown_settings(hosts: &Hosts, name: &str, table: &toml::Value) -> Vec<Diagnostic> {
    let Ok(host) = hosts.get(name).and_then(|spec| spec.host()) else { return vec![unknown_host(hosts, name)] };
    let keys = table.as_table().into_iter().flat_map(toml::Table::keys);
    let unknown = keys.filter(|key| !host.settings.contains_key(*key)).map(|key| {
        let otherwise = format!("`openoxide roots --host {name}` lists the settings");
        let help = did_you_mean(key, host.settings.keys().map(String::as_str), otherwise);
        let message = format!("there is no setting `hosts.{name}.{key}`");
        Diagnostic::warning(Code::ConfigUnknownKey, message).help(help)
    });
    unknown.collect()
}

/// Returns what is wrong with the names and values in `[hosts]`.
pub(super) fn unusable_host_settings(hosts: &Hosts, tables: &toml::Table) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    for (name, table) in tables {
        problems.extend(unknown_settings(hosts, name, table));
        let Ok(spec) = hosts.get(name) else { continue };
        let Ok(host) = spec.host() else { continue };
        for (key, value) in table.as_table().into_iter().flatten() {
            let rule = host.settings.get(key).filter(|_| !fits(&spec, &host, key, value));
            problems.extend(rule.map(|rule| {
                let message = format!("`hosts.{name}.{key}` must be {}", expected(rule));
                Diagnostic::warning(Code::ConfigType, message).help(rule.about.clone())
            }));
        }
    }
    problems
}

/// Returns what is wrong with a list of codes.
pub(super) fn unknown_codes(key: &str, value: &toml::Value) -> Vec<Diagnostic> {
    let texts = value.as_array().into_iter().flatten().filter_map(toml::Value::as_str);
    let unknown = texts.filter(|text| Code::parse(text).is_none()).map(|text| {
        let known = Code::ALL.iter().map(|code| code.as_str());
        let help = did_you_mean(&text.to_uppercase(), known, "a code is a letter and four digits, such as `S0110`");
        Diagnostic::warning(Code::ConfigType, format!("`{key}`: there is no code `{text}`")).help(help)
    });
    unknown.collect()
}

/// Returns the problems with names in `my_agents` that no host has.
pub(super) fn unknown_agents(config: &Config, hosts: &Hosts) -> Vec<ConfigProblem> {
    let mut problems = Vec::new();
    for layer in &config.layers {
        let Some(value) = layer.document.get("my_agents") else { continue };
        let place = |line| Place { span: 0..0, line, column: 1, lines: String::new() };
        let at_its_line = |diagnostic| Diagnostic { place: layer.document.line("my_agents").map(place), ..diagnostic };
        problems.extend(told(layer, unusable_names(hosts, "my_agents", value).into_iter().map(at_its_line)));
    }
    problems
}

/// Returns the problems with a default model that is none of the models.
pub(super) fn unknown_default(config: &Config) -> Vec<ConfigProblem> {
    let mut problems = Vec::new();
    for layer in &config.layers {
        let Some(value) = layer.document.get("model") else { continue };
        let place = |line| Place { span: 0..0, line, column: 1, lines: String::new() };
        let at_its_line = |diagnostic| Diagnostic { place: layer.document.line("model").map(place), ..diagnostic };
        problems.extend(told(layer, unknown_model(config, value).into_iter().map(at_its_line)));
    }
    problems
}

/// Returns what is wrong with the name of a default model.
pub(super) fn unknown_model(config: &Config, value: &toml::Value) -> Option<Diagnostic> {
    let models = config.models();
    let names = || models.iter().map(|model| model.name.as_str());
    let name = value.as_str().filter(|name| !names().any(|known| known == *name))?;
    let help = did_you_mean(name, names(), "name the address of its server first, as `models.NAME.url`");
    Some(Diagnostic::warning(Code::ConfigType, format!("`model`: there is no model `{name}`")).help(help))
}

/// Returns the problems of a layer as a report has them.
fn told(layer: &Layer, found: impl Iterator<Item = Diagnostic>) -> impl Iterator<Item = ConfigProblem> {
    let mut problems = Problems::default();
    for diagnostic in found {
        problems.add(diagnostic.code, || diagnostic);
    }
    problems.into_diagnostics().map(|diagnostic| ConfigProblem { path: layer.path.clone(), diagnostic })
}

/// Returns what is wrong with the names of hosts in a value: a name, or a list of them.
pub(super) fn unusable_names(hosts: &Hosts, key: &str, value: &toml::Value) -> Vec<Diagnostic> {
    let names = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    let unusable = |name: &str| {
        let error = WorkspaceError::Host(hosts.get(name).err()?);
        let problem = Diagnostic::warning(Code::ConfigType, format!("`{key}`: {error}"));
        Some(match error.hint() {
            Some(hint) => problem.help(hint),
            None => problem,
        })
    };
    names.iter().filter_map(toml::Value::as_str).filter_map(unusable).collect()
}

fn unknown_host(hosts: &Hosts, name: &str) -> Diagnostic {
    let help = match near(name, hosts.names()).first() {
        Some(near) => format!("did you mean `hosts.{near}`?"),
        None => "`openoxide hosts` lists the hosts".to_owned(),
    };
    Diagnostic::warning(Code::ConfigUnknownKey, format!("`hosts.{name}` is for a host that is not there")).help(help)
}
