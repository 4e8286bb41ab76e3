//! Use case: lists your agents and the other hosts, tells what of each is here, and which skills each of them sees.

use std::collections::{BTreeMap, HashMap};
use std::{ffi::OsStr, path::Path};

use openoxide_config::{HostInstallation, Workspace, detect_host};
use openoxide_live::Snapshot;
use openoxide_skills::prelude::{Catalog, Depth, Status, View, load};
use openoxide_skills::text::path_text;
use openoxide_wire::{HostLine, HostsAnswer, InstalledLine, MatrixRow, SchemaVersion};

use crate::{error::Error, list::ignored};

/// Lists your agents, and with `all_hosts` every other host after them. With `matrix`, tells what each makes of each skill.
pub fn hosts(workspace: &Workspace, all_hosts: bool, matrix: bool) -> Result<HostsAnswer, Error> {
    let mut views: Vec<View> = workspace.my_agents()?.hosts.into_iter().map(|host| host.view).collect();
    let mine = views.len();
    if all_hosts {
        let others = workspace.views()?.into_iter();
        let others: Vec<View> =
            others.filter(|view| !views.iter().any(|own| own.spec.name == view.spec.name)).collect();
        views.extend(others);
    }
    Ok(hosts_of(&views, mine, matrix))
}

/// Returns the answer for a program, without the number of skills that it may not see.
pub fn for_programs(answer: Result<HostsAnswer, Error>) -> Result<HostsAnswer, Error> {
    let mut answer = answer.map_err(Error::for_programs)?;
    for host in &mut answer.hosts {
        (host.sees, host.others) = (None, None);
    }
    Ok(answer)
}

/// Lists the host of a snapshot alone, and which skills it sees.
pub fn host_of(snapshot: &Snapshot, matrix: bool) -> HostsAnswer {
    hosts_of(std::slice::from_ref(&snapshot.view), 1, matrix)
}

fn hosts_of(views: &[View], mine: usize, matrix: bool) -> HostsAnswer {
    let found = load(views, Depth::Quick).into_iter().zip(views);
    let catalogs: Vec<Catalog> = found.map(|(catalog, view)| catalog.as_model_sees(view)).collect();
    let lines = views.iter().zip(&catalogs).enumerate();
    HostsAnswer {
        schema: SchemaVersion::default(),
        hosts: lines.map(|(at, (view, catalog))| host_line(view, catalog, at < mine)).collect(),
        matrix: if matrix { matrix_rows(&catalogs) } else { Vec::new() },
    }
}

/// Returns what each host makes of each file. A file that one host finds and cannot read, and that no other host finds, is
/// left out.
fn matrix_rows(catalogs: &[Catalog]) -> Vec<MatrixRow> {
    let mut at: HashMap<&OsStr, usize> = HashMap::new();
    let mut rows: Vec<(&Path, &str, BTreeMap<&str, Status>)> = Vec::new();
    for catalog in catalogs {
        for entry in catalog.entries() {
            let path = entry.canonical();
            let row = *at.entry(path.as_os_str()).or_insert_with(|| {
                rows.push((path, &*entry.skill.name, BTreeMap::new()));
                rows.len() - 1
            });
            // A file that was found twice is active if one of its finds is.
            let status = rows[row].2.entry(&catalog.host).or_insert(entry.status);
            *status = (*status).min(entry.status);
        }
    }
    rows.retain(|(_, _, statuses)| statuses.len() > 1 || statuses.values().any(|status| *status != Status::Invalid));
    let word = |(host, status): (&str, Status)| (host.to_owned(), status.as_str().to_owned());
    rows.sort_unstable_by_key(|(path, ..)| *path);
    let row = |(path, name, statuses): (&Path, &str, BTreeMap<&str, Status>)| MatrixRow {
        name: name.to_owned(),
        path: path.to_string_lossy().into_owned(),
        statuses: statuses.into_iter().map(word).collect(),
    };
    rows.into_iter().map(row).collect()
}

fn host_line(view: &View, catalog: &Catalog, mine: bool) -> HostLine {
    let deviations = view.host.deviations.iter().map(|deviation| format!("{} {}", deviation.what, deviation.why));
    let installation = detect_host(&view.host, &view.around);
    HostLine {
        name: view.spec.id(),
        title: view.host.title.clone(),
        mine,
        program: view.host.program.clone(),
        editions: view.spec.editions().map(str::to_owned).collect(),
        found: found_paths(&installation),
        installed: installed_line(view, &installation),
        sees: Some(catalog.skills.len()),
        others: Some(ignored(catalog)),
        folder: view.spec.folder.as_ref().map(|folder| folder.to_string_lossy().into_owned()),
        deviations: deviations.collect(),
    }
}

/// Returns the version that is installed, and what to know if the rules of the view are for other versions.
pub(crate) fn installed_line(view: &View, installation: &HostInstallation) -> Option<InstalledLine> {
    let (spec, host) = (&view.spec, &view.host);
    let version = installation.version.clone()?;
    let edition = spec.for_version(&version).map(|spec| spec.id());
    let is_used = edition.as_ref() == Some(&spec.id());
    // An edition that the user named is meant, whatever is installed.
    let note = (spec.edition.is_none() && spec.states_versions() && !is_used).then(|| match &edition {
        Some(edition) => format!(
            "{} {version} is installed, and these rules are of {}; those of {version} are `{edition}`",
            host.title, host.program
        ),
        None => format!(
            "{} {version} is installed, and these rules are of {}, so details may differ",
            host.title, host.program
        ),
    });
    Some(InstalledLine { version, edition, note })
}

/// Returns the files and folders that show that a host's program is here.
pub(crate) fn found_paths(found: &HostInstallation) -> Vec<String> {
    found.program.iter().chain(&found.home).chain(&found.project).map(|path| path_text(path)).collect()
}

#[cfg(test)]
mod tests {
    use openoxide_testkit::TestContext;

    use super::*;
    use crate::testing::snapshot;

    /// Returns the edition for the version of Claude Code that is installed, and the note on it, as `hosts` does.
    fn installed(version: &str, agent: &str) -> (String, Option<String>, Option<String>) {
        let context = TestContext::new();
        let binary = format!("home/.local/share/claude/versions/{version}");
        context.tree(&format!(
            "//- home/.claude/local/claude -> ../../.local/share/claude/versions/{version}\n\
             //- {binary} exec\n#!/bin/sh\nexit 9\n\
             //- home/.openoxide/config.toml\nmy_agents = [\"{agent}\"]\n"
        ));
        let answer = hosts(&snapshot(&context).workspace, false, false).unwrap();
        let host = answer.hosts.into_iter().next().unwrap();
        let installed = host.installed.unwrap();
        assert_eq!(installed.version, version);
        (host.name, installed.edition, installed.note)
    }

    #[test]
    fn a_version_without_an_edition_is_said() {
        let named = |name: &str| Some(name.to_owned());
        let newest = installed("2.1.325", "claude-code");
        assert_eq!(newest, ("claude-code".to_owned(), named("claude-code"), None));
        let older = installed("2.1.240", "claude-code");
        assert_eq!(older, ("claude-code@2.1.240".to_owned(), named("claude-code@2.1.240"), None));
        let (name, edition, note) = installed("9.0.0", "claude-code");
        assert_eq!((name.as_str(), edition), ("claude-code", None));
        let expected =
            "Claude Code 9.0.0 is installed, and these rules are of claude-code 2.1.325, so details may differ";
        assert_eq!(note.as_deref(), Some(expected));
        assert_eq!(installed("9.0.0", "claude-code@seed").2, None, "an edition that is named is meant");
    }
}
