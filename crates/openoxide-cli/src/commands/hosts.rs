//! `hosts`: the hosts, and which skills each of them sees.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use openoxide_config::{Workspace, find_host};
use openoxide_skills::{Catalog, Depth, Standing, View, load, path_text};
use openoxide_wire::{HostLine, HostsAnswer, MatrixRow, SchemaVersion};
use unicode_width::UnicodeWidthStr as _;

use crate::ExitStatus;
use crate::args::Common;
use crate::paths;
use crate::session::open_workspace;
use crate::table::{cut, fill, pad, pad_left, widest};
use crate::typed;
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
    let shown: Vec<Shown<'_>> = shown(&workspace, &views, &catalogs);
    ui.data(&hosts_text(ui, &shown))?;
    if !rows.is_empty() {
        ui.data(&matrix_text(ui, &workspace, &shown, &rows))?;
        let why = typed::command(&typed::for_all(common), "explain SKILL", None, "");
        ui.say(&format!("\u{25cf} counts  \u{25cb} found, does not count  \u{b7} not found; why: {why}"));
    }
    Ok(ExitStatus::Done)
}

/// A host as it is shown.
struct Shown<'s> {
    id: String,
    view: &'s View,
    catalog: &'s Catalog,
    /// Whether its program is on this machine, or configured in this project.
    found: bool,
}

fn shown<'s>(workspace: &Workspace, views: &'s [View], catalogs: &'s [Catalog]) -> Vec<Shown<'s>> {
    let found =
        |view: &View| !find_host(&view.host, &view.around).is_empty() || view.spec.name == workspace.default_host();
    let each =
        |(view, catalog): (&'s View, &'s Catalog)| Shown { id: view.spec.id(), view, catalog, found: found(view) };
    views.iter().zip(catalogs).map(each).collect()
}

/// The name of a file, and its standing in each host that found it.
type Rows = BTreeMap<PathBuf, (String, BTreeMap<String, Standing>)>;

fn matrix(catalogs: &[Catalog]) -> Rows {
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

fn answer(views: &[View], catalogs: &[Catalog], rows: &Rows) -> HostsAnswer {
    let hosts = views.iter().zip(catalogs).map(|(view, catalog)| HostLine {
        name: view.spec.id(),
        title: view.host.title.clone(),
        program: view.host.program.clone(),
        editions: view.spec.editions().map(str::to_owned).collect(),
        found: found_paths(view),
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

/// Returns what shows that a host's program is there.
fn found_paths(view: &View) -> Vec<String> {
    let found = find_host(&view.host, &view.around);
    found.program.iter().chain(&found.home).chain(&found.project).map(|path| path_text(path)).collect()
}

fn hosts_text(ui: &Ui, shown: &[Shown<'_>]) -> String {
    let first = widest(shown.iter().map(|host| host.id.as_str()), 24).max(4);
    let mut text = format!("  #  {}  here  sees  not  states\n", pad("host", first));
    for (number, host) in shown.iter().enumerate() {
        let here = if host.found { paint(Role::Good, "yes ") } else { paint(Role::Dim, "no  ") };
        let lead = format!(
            "{}  {}  {here}  {}  {}  ",
            pad_left(&(number + 1).to_string(), 3),
            pad(&safe(&host.id), first),
            pad_left(&host.catalog.skills.len().to_string(), 4),
            pad_left(&host.catalog.others.len().to_string(), 3),
        );
        let editions: Vec<String> = host.view.spec.editions().map(|edition| format!("@{}", safe(edition))).collect();
        let states = format!("{}  {}", safe(&host.view.host.program), editions.join(" "));
        let _ = writeln!(text, "{}", fill(&lead, states.trim_end(), ui.width()));
    }
    text
}

/// The narrowest that the names of skills are made.
const NAMES_MIN: usize = 16;

fn matrix_text(ui: &Ui, workspace: &Workspace, shown: &[Shown<'_>], rows: &Rows) -> String {
    let width = ui.width().unwrap_or(80);
    let names: Vec<String> = row_names(workspace, rows);
    let by_name: Vec<String> = shown.iter().map(|host| safe(&host.id)).collect();
    let by_number: Vec<String> = (1..=shown.len()).map(|number| pad(&number.to_string(), 2)).collect();
    let takes = |headings: &[String]| headings.iter().map(|heading| heading.width() + 2).sum::<usize>();
    let fits = NAMES_MIN + takes(&by_name) <= width;
    let (headings, gap) = if fits { (&by_name, "  ") } else { (&by_number, " ") };
    // More hosts than a line holds are shown in several blocks.
    let most = if fits { shown.len() } else { (width.saturating_sub(NAMES_MIN) / 3).max(1) };
    let blocks = shown.chunks(most.max(1)).zip(headings.chunks(most.max(1)));
    blocks.map(|(hosts, headings)| block_text(width, &names, rows, hosts, headings, gap)).collect()
}

fn block_text(
    width: usize,
    names: &[String],
    rows: &Rows,
    hosts: &[Shown<'_>],
    headings: &[String],
    gap: &str,
) -> String {
    let taken: usize = headings.iter().map(|heading| heading.width() + gap.len()).sum();
    let first = widest(names.iter().map(String::as_str), width.saturating_sub(taken).max(NAMES_MIN)).max(9);
    let heads: String = headings.iter().flat_map(|heading| [gap, heading.as_str()]).collect();
    let mut text = format!("\n{}\n", format!("{}{heads}", pad(&count(rows.len(), "skill"), first)).trim_end());
    for (name, (_, standings)) in names.iter().zip(rows.values()) {
        let mut line = pad(&cut(name, first), first);
        for (host, heading) in hosts.iter().zip(headings) {
            let mark = match standings.get(&host.id) {
                Some(Standing::Active) => paint(Role::Good, "\u{25cf}"),
                Some(_) => paint(Role::Warning, "\u{25cb}"),
                None => paint(Role::Dim, "\u{b7}"),
            };
            let _ = write!(line, "{gap}{mark}{}", " ".repeat(heading.width().saturating_sub(1)));
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

/// Returns what each row is called; where a name stands twice, also where it is.
fn row_names(workspace: &Workspace, rows: &Rows) -> Vec<String> {
    let same = |name: &String| rows.values().filter(|(other, _)| other == name).take(2).count();
    let place = |path: &PathBuf| path.parent().and_then(Path::parent).map(|place| paths::short(workspace, place));
    let called = |(path, (name, _)): (&PathBuf, &(String, _))| match same(name) {
        1 => safe(name),
        _ => format!("{} in {}", safe(name), place(path).unwrap_or_default()),
    };
    rows.iter().map(called).collect()
}
