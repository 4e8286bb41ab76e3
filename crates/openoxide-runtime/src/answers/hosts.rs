//! The hosts, and which skills each of them sees.

use std::collections::BTreeMap;
use std::path::PathBuf;

use openoxide_config::detect_host;
use openoxide_skills::{Catalog, Standing, View, path_text};
use openoxide_wire::{HostLine, HostsAnswer, MatrixRow, SchemaVersion};

/// The name of a file, and its standing in each host that found it.
pub type Rows = BTreeMap<PathBuf, (String, BTreeMap<String, Standing>)>;

/// Returns what each host makes of each file; what all of them but one pass over and that one cannot read is left out.
pub fn hosts_matrix(catalogs: &[Catalog]) -> Rows {
    let mut rows: Rows = BTreeMap::new();
    for catalog in catalogs {
        for entry in catalog.entries() {
            let row = rows
                .entry(entry.canonical().to_owned())
                .or_insert_with(|| (entry.skill.name.to_string(), BTreeMap::new()));
            // A file that was found twice counts if one of its finds does.
            let standing = row.1.entry(catalog.host.clone()).or_insert(entry.standing);
            *standing = (*standing).min(entry.standing);
        }
    }
    rows.retain(|_, (_, standings)| {
        standings.values().any(|standing| *standing != Standing::Invalid) || standings.len() > 1
    });
    rows
}

/// Returns the hosts, and which skills each of them sees.
pub fn hosts_answer(views: &[View], catalogs: &[Catalog], rows: &Rows) -> HostsAnswer {
    let hosts = views.iter().zip(catalogs).map(|(view, catalog)| host_line(view, catalog));
    let matrix = rows.iter().map(|(path, (name, standings))| MatrixRow {
        name: name.clone(),
        path: path.to_string_lossy().into_owned(),
        standings: standings.iter().map(|(host, standing)| (host.clone(), standing.as_str().to_owned())).collect(),
    });
    HostsAnswer { schema: SchemaVersion::default(), hosts: hosts.collect(), matrix: matrix.collect() }
}

fn host_line(view: &View, catalog: &Catalog) -> HostLine {
    let deviations = view.host.deviations.iter().map(|deviation| format!("{} {}", deviation.what, deviation.why));
    HostLine {
        name: view.spec.id(),
        title: view.host.title.clone(),
        program: view.host.program.clone(),
        editions: view.spec.editions().map(str::to_owned).collect(),
        found: found_paths(view),
        sees: catalog.skills.len(),
        others: catalog.others.len(),
        folder: view.spec.folder.as_ref().map(|folder| folder.to_string_lossy().into_owned()),
        deviations: deviations.collect(),
    }
}

/// Returns what shows that a host's program is there.
fn found_paths(view: &View) -> Vec<String> {
    let found = detect_host(&view.host, &view.around);
    found.program.iter().chain(&found.home).chain(&found.project).map(|path| path_text(path)).collect()
}
