//! `hosts`: your agents and the other hosts, and which skills each of them sees.

use std::{collections::HashMap, fmt::Write as _, path::Path};

use openoxide_app::{Workspace, agents_list, hosts, paths, problems};
use openoxide_wire::{HostLine, HostsAnswer, MatrixRow};
use unicode_width::UnicodeWidthStr as _;

use crate::session::{open_workspace, say_no_agent, warn_of};
use crate::table::{cut, fill, pad, pad_left, widest};
use crate::ui::{ExitStatus, Role, Ui, count, paint, safe};

/// Show your agents, and which skills each of them sees
///
/// Your agents are those found on this machine and in this project, or those in the setting `my_agents`.
#[derive(Debug, clap::Args)]
pub(crate) struct HostsArgs {
    /// Show every host that is known, your agents first
    #[arg(long)]
    all_hosts: bool,
    /// Show only the hosts, not the skills
    #[arg(long)]
    no_matrix: bool,
}

pub(crate) fn hosts(ui: &Ui, args: &HostsArgs) -> anyhow::Result<ExitStatus> {
    let workspace = open_workspace(ui)?;
    let answer = hosts::hosts(&workspace, args.all_hosts, !args.no_matrix)?;
    if ui.common.json {
        return ui.json(&answer);
    }
    if agents_list::no_agent_found(&workspace)? {
        say_no_agent(ui, &workspace);
    }
    warn_of(ui, &workspace, problems::of_hosts(&workspace));
    ui.data(&hosts_text(ui, &answer.hosts))?;
    for note in answer.hosts.iter().filter_map(|host| host.installed.as_ref()?.note.as_ref()) {
        ui.say(&safe(note));
    }
    if !answer.matrix.is_empty() {
        ui.data(&matrix_text(ui, &workspace, &answer))?;
        let why = ui.command("explain SKILL");
        ui.say(&format!("\u{25cf} active  \u{25cb} ignored  \u{b7} not found   why: {why}"));
    }
    let others = workspace.hosts.names().count().saturating_sub(answer.hosts.len());
    if others > 0 {
        ui.say_command(&count(others, "other host"), &ui.command("hosts --all-hosts"));
    }
    Ok(ExitStatus::Done)
}

fn hosts_text(ui: &Ui, hosts: &[HostLine]) -> String {
    let first = widest(hosts.iter().map(|host| host.name.as_str()), 24).max(4);
    let mut text = format!("  #  {}  found  active  ignored  rules of\n", pad("host", first));
    for (number, host) in hosts.iter().enumerate() {
        let here = if host.found.is_empty() { paint(Role::Dim, "no   ") } else { paint(Role::Good, "yes  ") };
        let (number, name) = (pad_left(&(number + 1).to_string(), 3), pad(&safe(&host.name), first));
        let number_of = |count: Option<usize>, width| pad_left(&count.unwrap_or_default().to_string(), width);
        let (sees, others) = (number_of(host.sees, 6), number_of(host.others, 7));
        let lead = format!("{number}  {name}  {here}  {sees}  {others}  ");
        let editions: Vec<String> = host.editions.iter().map(|edition| format!("@{}", safe(edition))).collect();
        let version = format!("{}  {}", safe(&host.program), editions.join(" "));
        let _ = writeln!(text, "{}", fill(&lead, version.trim_end(), ui.width));
    }
    text
}

/// The narrowest that the names of skills are made.
const NAMES_MIN: usize = 16;

fn matrix_text(ui: &Ui, workspace: &Workspace, answer: &HostsAnswer) -> String {
    let HostsAnswer { hosts, matrix, .. } = answer;
    let width = ui.width.unwrap_or(80);
    let names: Vec<String> = row_names(workspace, matrix);
    let by_name: Vec<String> = hosts.iter().map(|host| safe(&host.name)).collect();
    let by_number: Vec<String> = (1..=hosts.len()).map(|number| pad(&number.to_string(), 2)).collect();
    let takes = |headings: &[String]| headings.iter().map(|heading| heading.width() + 2).sum::<usize>();
    let fits = NAMES_MIN + takes(&by_name) <= width;
    let (headings, gap) = if fits { (&by_name, "  ") } else { (&by_number, " ") };
    // More hosts than a line holds are shown in several blocks.
    let most = if fits { hosts.len() } else { (width.saturating_sub(NAMES_MIN) / 3).max(1) };
    let blocks = hosts.chunks(most.max(1)).zip(headings.chunks(most.max(1)));
    blocks.map(|(block, headings)| block_text(width, &names, matrix, block, headings, gap)).collect()
}

fn block_text(
    width: usize,
    names: &[String],
    rows: &[MatrixRow],
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
            let mark = match row.statuses.get(&host.name).map(String::as_str) {
                Some("active") => paint(Role::Good, "\u{25cf}"),
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
fn row_names(workspace: &Workspace, rows: &[MatrixRow]) -> Vec<String> {
    let mut rows_of: HashMap<&str, usize> = HashMap::new();
    for row in rows {
        *rows_of.entry(&row.name).or_default() += 1;
    }
    let place =
        |path: &str| Path::new(path).parent().and_then(Path::parent).map(|place| paths::short(workspace, place));
    let called = |row: &MatrixRow| match rows_of[row.name.as_str()] {
        1 => safe(&row.name),
        _ => format!("{} in {}", safe(&row.name), place(&row.path).unwrap_or_default()),
    };
    rows.iter().map(called).collect()
}
