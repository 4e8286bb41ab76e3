//! Use case: lists the hosts, tells whether each one's program is here, and which skills each of them sees.

use std::collections::BTreeMap;
use std::path::PathBuf;

use openoxide_config::{Workspace, detect_host};
use openoxide_live::Snapshot;
use openoxide_skills::catalog::{Catalog, Depth, Status, View, load};
use openoxide_skills::text::path_text;
use openoxide_wire::{HostLine, HostsAnswer, MatrixRow, SchemaVersion};

use crate::error::Error;

/// Which hosts to list.
#[derive(Clone, Debug, Default)]
pub struct HostsInput {
    /// One host, as `name` or `name@edition`; absent: all of them.
    pub host: Option<String>,
    /// Whether to say what each host makes of each skill.
    pub matrix: bool,
}

/// The hosts, and what each of them makes of each skill.
#[derive(Clone, Debug)]
pub struct Hosts {
    /// The hosts, in their order.
    pub hosts: Vec<HostLine>,
    /// Whether each host is here: its program is on this machine, it is configured in this project, or it is the default.
    pub here: Vec<bool>,
    /// The skills, by path; none if they were not asked for.
    pub skills: Vec<SkillRow>,
}

/// One skill, and its status in each host that finds it.
#[derive(Clone, Debug)]
pub struct SkillRow {
    /// The file without links.
    pub path: PathBuf,
    /// The skill's name in the first host that finds it.
    pub name: String,
    /// Its status, by host.
    pub statuses: BTreeMap<String, Status>,
}

/// Lists hosts, and which skills each of them sees.
pub fn hosts(workspace: &Workspace, input: &HostsInput) -> Result<Hosts, Error> {
    let views = match &input.host {
        Some(host) => vec![workspace.view(host)?.0],
        None => workspace.views()?,
    };
    Ok(hosts_of(workspace, &views, input.matrix))
}

/// Lists the host of a snapshot alone, and which skills it sees.
pub fn host_of(snapshot: &Snapshot, matrix: bool) -> Hosts {
    hosts_of(&snapshot.workspace, std::slice::from_ref(&snapshot.view), matrix)
}

/// Returns the names of the hosts that come with OpenOxide.
pub fn builtin_names() -> Vec<String> {
    openoxide_skills::host::Hosts::builtin().names().map(str::to_owned).collect()
}

/// Lists the hosts of some views, and which skills each of them sees.
pub fn hosts_of(workspace: &Workspace, views: &[View], matrix: bool) -> Hosts {
    let catalogs = load(views, Depth::Quick);
    let is_default = |view: &View| view.spec.name == workspace.default_host();
    let hosts: Vec<HostLine> = views.iter().zip(&catalogs).map(|(view, catalog)| host_line(view, catalog)).collect();
    let here = views.iter().zip(&hosts).map(|(view, line)| !line.found.is_empty() || is_default(view)).collect();
    Hosts { hosts, here, skills: if matrix { skill_rows(&catalogs) } else { Vec::new() } }
}

impl Hosts {
    /// Returns the answer as JSON has it.
    pub fn into_answer(self) -> HostsAnswer {
        let word = |(host, standing): (String, Status)| (host, standing.as_str().to_owned());
        let matrix = self.skills.into_iter().map(|row| MatrixRow {
            name: row.name,
            path: row.path.to_string_lossy().into_owned(),
            statuses: row.statuses.into_iter().map(word).collect(),
        });
        HostsAnswer { schema: SchemaVersion::default(), hosts: self.hosts, matrix: matrix.collect() }
    }
}

/// Returns what each host makes of each file. A file that one host finds and cannot read, and that no other host finds, is
/// left out.
fn skill_rows(catalogs: &[Catalog]) -> Vec<SkillRow> {
    let mut rows: BTreeMap<PathBuf, (String, BTreeMap<String, Status>)> = BTreeMap::new();
    for catalog in catalogs {
        for entry in catalog.entries() {
            let row = rows
                .entry(entry.canonical().to_owned())
                .or_insert_with(|| (entry.skill.name.to_string(), BTreeMap::new()));
            // A file that was found twice is active if one of its finds is.
            let standing = row.1.entry(catalog.host.clone()).or_insert(entry.status);
            *standing = (*standing).min(entry.status);
        }
    }
    rows.retain(|_, (_, statuses)| {
        statuses.values().any(|standing| *standing != Status::Invalid) || statuses.len() > 1
    });
    rows.into_iter().map(|(path, (name, statuses))| SkillRow { path, name, statuses }).collect()
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

/// Returns the files and folders that show that a host's program is here.
fn found_paths(view: &View) -> Vec<String> {
    let found = detect_host(&view.host, &view.around);
    found.program.iter().chain(&found.home).chain(&found.project).map(|path| path_text(path)).collect()
}
