//! Problems with added hosts, and with settings that name hosts.

use openoxide_skills::diagnostic::Place;
use openoxide_skills::prelude::{Code, Diagnostic, HostError, Hosts};
use openoxide_skills::text::near;

use super::error::WorkspaceError;
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
        let mut add = |diagnostic| problems.push(ConfigProblem { path: layer.path.clone(), diagnostic });
        let Some(toml::Value::Table(tables)) = layer.document.get("hosts") else { continue };
        for (name, table) in tables {
            let Ok(host) = hosts.get(name).and_then(|spec| spec.host()) else {
                add(unknown_host(hosts, name));
                continue;
            };
            let keys = table.as_table().into_iter().flat_map(toml::Table::keys);
            for key in keys.filter(|key| !host.settings.contains_key(*key)) {
                let message = format!("there is no setting `hosts.{name}.{key}`");
                let otherwise = format!("`openoxide roots --host {name}` lists the settings");
                let help = did_you_mean(key, host.settings.keys().map(String::as_str), otherwise);
                add(Diagnostic::warning(Code::ConfigUnknownKey, message).help(help));
            }
        }
    }
    problems
}

/// Returns the problems with names in `my_agents` that no host has.
pub(super) fn unknown_agents(config: &Config, hosts: &Hosts) -> Vec<ConfigProblem> {
    let mut problems = Vec::new();
    for layer in &config.layers {
        let Some(value) = layer.document.get("my_agents") else { continue };
        for mut diagnostic in unusable_names(hosts, "my_agents", value) {
            let line = layer.document.line("my_agents");
            diagnostic.place = line.map(|line| Place { span: 0..0, line, column: 1, lines: String::new() });
            problems.push(ConfigProblem { path: layer.path.clone(), diagnostic });
        }
    }
    problems
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
