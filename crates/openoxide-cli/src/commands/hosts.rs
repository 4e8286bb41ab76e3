//! `hosts`: the hosts, and which skills each of them sees.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use openoxide_config::{Workspace, detect_host};
use openoxide_runtime::{Rows, hosts_answer, hosts_matrix};
use openoxide_skills::{Catalog, Depth, Standing, View, load};
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
    let rows = if args.no_matrix { Rows::new() } else { hosts_matrix(&catalogs) };
    if common.json {
        ui.json(&hosts_answer(&views, &catalogs, &rows))?;
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
        |view: &View| !detect_host(&view.host, &view.around).is_empty() || view.spec.name == workspace.default_host();
    let each =
        |(view, catalog): (&'s View, &'s Catalog)| Shown { id: view.spec.id(), view, catalog, found: found(view) };
    views.iter().zip(catalogs).map(each).collect()
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
