//! Use case: lists what is wrong at a place, and the limits that were reached.

use openoxide_config::{ConfigProblem, Workspace};
use openoxide_live::Snapshot;
use openoxide_skills::diagnostic::Code;
use openoxide_wire::{LimitLine, ProblemLine};

/// Returns what is wrong with the settings of a project and its user.
pub fn of_settings(workspace: &Workspace) -> &[ConfigProblem] {
    &workspace.config.problems
}

/// Returns those problems of settings that are news: an untrusted project is the usual state.
pub fn news(problems: &[ConfigProblem]) -> impl Iterator<Item = &ConfigProblem> {
    problems.iter().filter(|problem| problem.diagnostic.code != Code::ConfigUntrusted)
}

/// Returns what is wrong with folders of hosts.
pub fn of_hosts(workspace: &Workspace) -> impl Iterator<Item = &ConfigProblem> {
    of_settings(workspace).iter().filter(|problem| problem.diagnostic.code == Code::HostInvalid)
}

/// Returns what is wrong with the file of what the user trusts, and with folders that are listed as trusted.
pub fn of_trust(workspace: &Workspace) -> Vec<ConfigProblem> {
    let file = workspace.config.trust.path();
    let of_file = of_settings(workspace).iter().filter(|problem| problem.path.as_deref() == file).cloned();
    of_file.chain(workspace.config.foreign_folders()).collect()
}

/// Lists the findings of a catalog, by path, and the limits that were reached.
pub fn problems(snapshot: &Snapshot) -> (Vec<ProblemLine>, Vec<LimitLine>) {
    let catalog = &snapshot.catalog;
    (catalog.problems.iter().map(Into::into).collect(), catalog.limits.iter().map(Into::into).collect())
}
