//! Problems with added hosts, and with settings under `[hosts]`.

use openoxide_skills::prelude::{Code, Diagnostic, HostError, Hosts};
use openoxide_skills::text::near;

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
    let help = "mend the file; the host is left out until then";
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

fn unknown_host(hosts: &Hosts, name: &str) -> Diagnostic {
    let help = match near(name, hosts.names()).first() {
        Some(near) => format!("did you mean `hosts.{near}`?"),
        None => "`openoxide hosts` lists the hosts".to_owned(),
    };
    Diagnostic::warning(Code::ConfigUnknownKey, format!("`hosts.{name}` is for a host that is not there")).help(help)
}
