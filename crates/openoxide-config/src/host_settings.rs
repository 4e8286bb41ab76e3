//! What a host's own program keeps about skills: its settings and its plugins. These files are never written.

mod limit;
pub(crate) mod plugins;
pub(crate) mod reader;
pub(crate) mod value;

use std::sync::Arc;

use openoxide_skills::host::{ActivePlugins, PluginSource};
use openoxide_skills::prelude::{Host, HostSettings, HostSpec, Surroundings};
use openoxide_skills::settings::Plugin;

use crate::{Config, ConfigProblem};
use plugins::PluginFinder;
use reader::Reader;

/// Reads every setting of a host, and its plugins. Returns them and the problems with the files.
pub(crate) fn read_host_settings(
    spec: &HostSpec,
    host: &Host,
    around: &Surroundings,
    config: &Config,
) -> (HostSettings, Vec<ConfigProblem>) {
    let mut reader = Reader::new(spec, host, around, config);
    let mut settings = reader.settings();
    if host.strict_files && reader.drop_bad_files() {
        settings = reader.settings();
    }
    let mut problems = reader.problems;
    problems.extend(limit::cut_lists(host, &mut settings));
    for (name, rule) in &host.settings {
        if let Some(source) = &rule.plugins {
            let (plugins, found) = find_plugins(source, host, &settings, around);
            settings.plugins.insert(name.clone(), plugins);
            for problem in found {
                // Several sources read the same list.
                if !problems.contains(&problem) {
                    problems.push(problem);
                }
            }
        }
    }
    (settings, problems)
}

fn find_plugins(
    source: &PluginSource,
    host: &Host,
    settings: &HostSettings,
    around: &Surroundings,
) -> (Vec<Arc<Plugin>>, Vec<ConfigProblem>) {
    let enabled = settings.get(&source.enabled);
    let finder = PluginFinder::new(source, host, around);
    let plugins = match source.active {
        ActivePlugins::SwitchedOn | ActivePlugins::Named => finder.enabled(enabled),
        _ => finder.installed(enabled, source.user_switch.as_ref().is_none_or(|name| host.is_on(name, settings))),
    };
    (plugins, finder.into_problems())
}
