//! The limit on what one list of plugins or folders can make the program search: a project can bring such a list.

use std::path::PathBuf;

use openoxide_skills::diagnostic::{Code, Diagnostic, Place};
use openoxide_skills::host::Host;
use openoxide_skills::settings::{HostSettings, Origin, Setting};
use toml::Value;

use crate::ConfigProblem;

/// The most plugins or folders of one list that are used.
pub(super) const MAX: usize = 1000;

/// Says that only the first of `what` are used.
pub(super) fn reached(path: Option<PathBuf>, what: &str, help: &str) -> ConfigProblem {
    let code = Code::EntryLimit;
    let message = format!("{}: only the first 1,000 {what} are used", code.title());
    ConfigProblem { path, diagnostic: Diagnostic::warning(code, message).help(help) }
}

/// Cuts settings that list folders to search, and says which it has cut.
pub(super) fn cut_lists(host: &Host, settings: &mut HostSettings) -> Vec<ConfigProblem> {
    let mut problems = Vec::new();
    for name in host.roots.iter().filter_map(|rule| rule.listed.as_ref()) {
        if settings.values.get_mut(name).is_some_and(cut) {
            problems.push(list_reached(name, &settings.values[name].origin));
        }
        for part in settings.parts.get_mut(name).into_iter().flatten() {
            cut(part);
        }
    }
    problems
}

/// Cuts a list. Returns whether it was too long.
fn cut(setting: &mut Setting) -> bool {
    match &mut setting.value {
        Value::Array(items) if items.len() > MAX => {
            items.truncate(MAX);
            true
        }
        _ => false,
    }
}

fn list_reached(name: &str, origin: &Origin) -> ConfigProblem {
    let (path, line) = match origin {
        Origin::File { path, line } => (Some(path.clone()), *line),
        Origin::Default | Origin::Environment(_) | Origin::CommandLine => (None, None),
    };
    let mut problem =
        reached(path, &format!("entries of the setting `{name}`"), "name a folder that holds several of them instead");
    problem.diagnostic.place = line.map(|line| Place { span: 0..0, line, column: 1, lines: String::new() });
    problem
}
