//! `hosts`: the hosts, and which skills each of them sees.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use openoxide_skills::{Catalog, Depth, Standing, View, load};
use openoxide_wire::{HostLine, HostsAnswer, MatrixRow, SchemaVersion};

use crate::ExitStatus;
use crate::args::Common;
use crate::session::open_workspace;
use crate::table::{cut, pad, pad_left, widest};
use crate::ui::{Role, Ui, count, paint, safe};

/// Show the hosts, and which skills each of them sees
#[derive(Debug, clap::Args)]
pub(crate) struct HostsArgs {
    /// Show only the hosts, not the skills
    #[arg(long)]
    no_matrix: bool,
}

pub(crate) fn hosts(ui: &Ui, common: &Common, args: &HostsArgs) -> anyhow::Result<ExitStatus> {
    let workspace = open_workspace(ui, common)?;
    let views = match &common.host {
        Some(host) => vec![workspace.view(host)?.0],
        None => workspace.views()?,
    };
    let catalogs = load(&views, Depth::Quick);
    let rows = if args.no_matrix { BTreeMap::new() } else { matrix(&catalogs) };
    if common.json {
        ui.json(&answer(&views, &catalogs, &rows))?;
        return Ok(ExitStatus::Done);
    }
    for problem in &workspace.config.problems {
        if problem.diagnostic.code == openoxide_skills::Code::HostInvalid {
            ui.warn(&crate::session::problem_line(&workspace, problem));
        }
    }
    ui.data(&hosts_text(&views, &catalogs))?;
    if !rows.is_empty() {
        ui.data(&matrix_text(ui, &views, &rows))?;
        ui.say("\u{25cf} counts  \u{25cb} found, does not count  \u{b7} not found; why: openoxide explain SKILL");
    }
    Ok(ExitStatus::Done)
}

/// The name of a file, and its standing in each host that found it.
type Rows = BTreeMap<PathBuf, (String, BTreeMap<String, Standing>)>;

fn matrix(catalogs: &[Catalog]) -> Rows {
    let mut rows: Rows = BTreeMap::new();
    for catalog in catalogs {
        for entry in catalog.entries() {
            let row =
                rows.entry(entry.canonical().to_owned()).or_insert_with(|| (entry.skill.name.clone(), BTreeMap::new()));
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

fn answer(views: &[View], catalogs: &[Catalog], rows: &Rows) -> HostsAnswer {
    let hosts = views.iter().zip(catalogs).map(|(view, catalog)| HostLine {
        name: view.spec.id(),
        title: view.host.title.clone(),
        program: view.host.program.clone(),
        editions: view.spec.editions().map(str::to_owned).collect(),
        sees: catalog.skills.len(),
        others: catalog.others.len(),
        folder: view.spec.folder.as_ref().map(|folder| folder.to_string_lossy().into_owned()),
        deviations: view
            .host
            .deviations
            .iter()
            .map(|deviation| format!("{} {}", deviation.what, deviation.why))
            .collect(),
    });
    let matrix = rows.iter().map(|(path, (name, standings))| MatrixRow {
        name: name.clone(),
        path: path.to_string_lossy().into_owned(),
        standings: standings.iter().map(|(host, standing)| (host.clone(), standing.as_str().to_owned())).collect(),
    });
    HostsAnswer { schema: SchemaVersion::default(), hosts: hosts.collect(), matrix: matrix.collect() }
}

fn hosts_text(views: &[View], catalogs: &[Catalog]) -> String {
    let ids: Vec<String> = views.iter().map(|view| view.spec.id()).collect();
    let (first, second) = (
        widest(ids.iter().map(String::as_str), 24).max(4),
        widest(views.iter().map(|view| view.host.program.as_str()), 30).max(6),
    );
    let mut text = format!("{}  {}   sees  not  editions\n", pad("host", first), pad("states", second));
    for ((view, catalog), id) in views.iter().zip(catalogs).zip(&ids) {
        let editions: Vec<&str> = view.spec.editions().collect();
        let sees = pad_left(&catalog.skills.len().to_string(), 5);
        let others = pad_left(&catalog.others.len().to_string(), 3);
        let program = pad(&safe(&view.host.program), second);
        let line = format!("{}  {program}  {sees}  {others}  {}", pad(&safe(id), first), safe(&editions.join(", ")));
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

fn matrix_text(ui: &Ui, views: &[View], rows: &Rows) -> String {
    let names: Vec<String> = rows.values().map(|(name, _)| safe(name)).collect();
    let headings: Vec<String> = views.iter().map(|view| view.spec.id()).collect();
    let columns: usize = headings.iter().map(|heading| heading.len() + 2).sum();
    let room = ui.width().map_or(40, |width| width.saturating_sub(columns).max(12));
    let first = widest(names.iter().map(String::as_str), room).max(5);
    let mut text = format!("\n{}", pad(&count(rows.len(), "skill"), first));
    for heading in &headings {
        let _ = write!(text, "  {heading}");
    }
    text.push('\n');
    for (name, (_, standings)) in names.iter().zip(rows.values()) {
        let mut line = pad(&cut(name, first), first);
        for heading in &headings {
            let mark = match standings.get(heading) {
                Some(Standing::Active) => paint(Role::Good, "\u{25cf}"),
                Some(_) => paint(Role::Warning, "\u{25cb}"),
                None => paint(Role::Dim, "\u{b7}"),
            };
            let _ = write!(line, "  {mark}{}", " ".repeat(heading.len().saturating_sub(1)));
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}
