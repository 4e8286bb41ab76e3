//! `hosts`: the hosts, and which skills each of them sees.

use std::fmt::Write as _;
use std::path::Path;

use openoxide_app::hosts::{Hosts, HostsInput, SkillRow};
use openoxide_app::paths;
use openoxide_app::{Code, Status, Workspace};
use openoxide_wire::HostLine;
use unicode_width::UnicodeWidthStr as _;

use crate::args::Common;
use crate::exit::ExitStatus;
use crate::session::{open_workspace, problem_line};
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
    let input = HostsInput { host: common.host.clone(), matrix: !args.no_matrix };
    let hosts = openoxide_app::hosts::hosts(&workspace, &input)?;
    if common.json {
        ui.json(&hosts.into_answer())?;
        return Ok(ExitStatus::Done);
    }
    for problem in &workspace.config.problems {
        if problem.diagnostic.code == Code::HostInvalid {
            ui.warn(&problem_line(&workspace, problem));
        }
    }
    ui.data(&hosts_text(ui, &hosts))?;
    if !hosts.skills.is_empty() {
        ui.data(&matrix_text(ui, &workspace, &hosts))?;
        let why = typed::command(&typed::for_all(common), "explain SKILL", None, "");
        ui.say(&format!("\u{25cf} counts  \u{25cb} found, does not count  \u{b7} not found; why: {why}"));
    }
    Ok(ExitStatus::Done)
}

fn hosts_text(ui: &Ui, hosts: &Hosts) -> String {
    let first = widest(hosts.hosts.iter().map(|host| host.name.as_str()), 24).max(4);
    let mut text = format!("  #  {}  here  sees  not  states\n", pad("host", first));
    for (number, (host, here)) in hosts.hosts.iter().zip(&hosts.here).enumerate() {
        let here = if *here { paint(Role::Good, "yes ") } else { paint(Role::Dim, "no  ") };
        let lead = format!(
            "{}  {}  {here}  {}  {}  ",
            pad_left(&(number + 1).to_string(), 3),
            pad(&safe(&host.name), first),
            pad_left(&host.sees.to_string(), 4),
            pad_left(&host.others.to_string(), 3),
        );
        let editions: Vec<String> = host.editions.iter().map(|edition| format!("@{}", safe(edition))).collect();
        let states = format!("{}  {}", safe(&host.program), editions.join(" "));
        let _ = writeln!(text, "{}", fill(&lead, states.trim_end(), ui.width()));
    }
    text
}

/// The narrowest that the names of skills are made.
const NAMES_MIN: usize = 16;

fn matrix_text(ui: &Ui, workspace: &Workspace, hosts: &Hosts) -> String {
    let width = ui.width().unwrap_or(80);
    let names: Vec<String> = row_names(workspace, &hosts.skills);
    let by_name: Vec<String> = hosts.hosts.iter().map(|host| safe(&host.name)).collect();
    let by_number: Vec<String> = (1..=hosts.hosts.len()).map(|number| pad(&number.to_string(), 2)).collect();
    let takes = |headings: &[String]| headings.iter().map(|heading| heading.width() + 2).sum::<usize>();
    let fits = NAMES_MIN + takes(&by_name) <= width;
    let (headings, gap) = if fits { (&by_name, "  ") } else { (&by_number, " ") };
    // More hosts than a line holds are shown in several blocks.
    let most = if fits { hosts.hosts.len() } else { (width.saturating_sub(NAMES_MIN) / 3).max(1) };
    let blocks = hosts.hosts.chunks(most.max(1)).zip(headings.chunks(most.max(1)));
    blocks.map(|(block, headings)| block_text(width, &names, &hosts.skills, block, headings, gap)).collect()
}

fn block_text(
    width: usize,
    names: &[String],
    rows: &[SkillRow],
    hosts: &[HostLine],
    headings: &[String],
    gap: &str,
) -> String {
    let taken: usize = headings.iter().map(|heading| heading.width() + gap.len()).sum();
    let first = widest(names.iter().map(String::as_str), width.saturating_sub(taken).max(NAMES_MIN)).max(9);
    let heads: String = headings.iter().flat_map(|heading| [gap, heading.as_str()]).collect();
    let mut text = format!("\n{}\n", format!("{}{heads}", pad(&count(rows.len(), "skill"), first)).trim_end());
    for (name, row) in names.iter().zip(rows) {
        let mut line = pad(&cut(name, first), first);
        for (host, heading) in hosts.iter().zip(headings) {
            let mark = match row.statuses.get(&host.name) {
                Some(Status::Active) => paint(Role::Good, "\u{25cf}"),
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
fn row_names(workspace: &Workspace, rows: &[SkillRow]) -> Vec<String> {
    let same = |name: &String| rows.iter().filter(|other| other.name == *name).take(2).count();
    let place = |path: &Path| path.parent().and_then(Path::parent).map(|place| paths::short(workspace, place));
    let called = |row: &SkillRow| match same(&row.name) {
        1 => safe(&row.name),
        _ => format!("{} in {}", safe(&row.name), place(&row.path).unwrap_or_default()),
    };
    rows.iter().map(called).collect()
}
