//! Use case: lists your agents and the other hosts, tells what of each is here, and which skills each of them sees.

use std::{collections::BTreeMap, path::Path};

use openoxide_config::{HostInstallation, Workspace, detect_host};
use openoxide_live::Snapshot;
use openoxide_skills::prelude::{Catalog, Depth, Status, View, load};
use openoxide_skills::text::path_text;
use openoxide_wire::{HostLine, HostsAnswer, MatrixRow, SchemaVersion};

use crate::error::Error;

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
pub fn for_programs(mut answer: HostsAnswer) -> HostsAnswer {
    for host in &mut answer.hosts {
        (host.sees, host.others) = (None, None);
    }
    answer
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
    let mut rows: BTreeMap<&Path, (&str, BTreeMap<&str, Status>)> = BTreeMap::new();
    for catalog in catalogs {
        for entry in catalog.entries() {
            let (_, statuses) = rows.entry(entry.canonical()).or_insert((&*entry.skill.name, BTreeMap::new()));
            // A file that was found twice is active if one of its finds is.
            let status = statuses.entry(&catalog.host).or_insert(entry.status);
            *status = (*status).min(entry.status);
        }
    }
    rows.retain(|_, (_, statuses)| statuses.len() > 1 || statuses.values().any(|status| *status != Status::Invalid));
    let word = |(host, status): (&str, Status)| (host.to_owned(), status.as_str().to_owned());
    let row = |(path, (name, statuses)): (&Path, (&str, BTreeMap<&str, Status>))| MatrixRow {
        name: name.to_owned(),
        path: path.to_string_lossy().into_owned(),
        statuses: statuses.into_iter().map(word).collect(),
    };
    rows.into_iter().map(row).collect()
}

fn host_line(view: &View, catalog: &Catalog, mine: bool) -> HostLine {
    let deviations = view.host.deviations.iter().map(|deviation| format!("{} {}", deviation.what, deviation.why));
    HostLine {
        name: view.spec.id(),
        title: view.host.title.clone(),
        mine,
        program: view.host.program.clone(),
        editions: view.spec.editions().map(str::to_owned).collect(),
        found: found_paths(&detect_host(&view.host, &view.around)),
        sees: Some(catalog.skills.len()),
        others: Some(catalog.others.len()),
        folder: view.spec.folder.as_ref().map(|folder| folder.to_string_lossy().into_owned()),
        deviations: deviations.collect(),
    }
}

/// Returns the files and folders that show that a host's program is here.
pub(crate) fn found_paths(found: &HostInstallation) -> Vec<String> {
    found.program.iter().chain(&found.home).chain(&found.project).map(|path| path_text(path)).collect()
}
