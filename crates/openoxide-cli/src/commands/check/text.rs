//! Findings for people: the worst first, each with its line; repeats are grouped.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use openoxide_app::{Code, Level, SkillFinding, Workspace, check::CheckReport, count};

use super::concise::place;
use crate::snippet;
use crate::table::{cut, fill};
use crate::ui::{Role, Ui, paint, safe};

/// As many skills with the same finding are one group.
const GROUPED_FROM: usize = 4;
/// The places of a group that are shown.
const SHOWN: usize = 3;

/// Findings of one level and code, in as many skills.
struct Group<'g> {
    level: Level,
    code: Code,
    findings: Vec<&'g SkillFinding>,
    skills: usize,
}

/// Draws the findings: errors, then warnings, then notes.
pub(super) fn report(ui: &Ui, workspace: &Workspace, report: &CheckReport) -> String {
    let mut text = String::new();
    for group in groups(report) {
        if group.skills < GROUPED_FROM || ui.common.verbose {
            let snippets = group.findings.iter();
            text.extend(snippets.map(|finding| snippet::render(ui, workspace, report, finding)));
        } else {
            draw(&mut text, ui, (workspace, report), &group);
        }
    }
    text
}

fn groups(report: &CheckReport) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for judged in &report.judged {
        let mut seen = BTreeSet::new();
        for finding in &judged.findings {
            let (level, code) = (finding.diagnostic.level, finding.diagnostic.code);
            let at = groups.iter().position(|group| (group.level, group.code) == (level, code));
            let at = at.unwrap_or_else(|| {
                groups.push(Group { level, code, findings: Vec::new(), skills: 0 });
                groups.len() - 1
            });
            groups[at].findings.push(finding);
            groups[at].skills += usize::from(seen.insert((level, code)));
        }
    }
    groups.sort_by_key(|group| std::cmp::Reverse(group.level));
    groups
}

/// Draws a group: how many skills have it, the first places, the agents that mind, and the next step.
fn draw(text: &mut String, ui: &Ui, (workspace, report): (&Workspace, &CheckReport), group: &Group<'_>) {
    let role = match group.level {
        Level::Error => Role::Error,
        Level::Warning => Role::Warning,
        Level::Note => Role::Strong,
    };
    let head = paint(role, &format!("{}[{}]", group.level, group.code));
    let _ = writeln!(text, "{head} in {}: {}", count(group.skills, "skill"), group.code.title());
    for finding in group.findings.iter().take(SHOWN) {
        let line = format!("  --> {}  {}", place(workspace, finding), safe(&finding.diagnostic.message));
        let _ = writeln!(text, "{}", ui.width.map_or_else(|| line.clone(), |width| cut(&line, width)));
    }
    let more = group.findings.len().saturating_sub(SHOWN);
    if more > 0 {
        let _ = writeln!(text, "  … and {more} more: --select {} --format concise", group.code);
    }
    let all = |hosts: fn(&SkillFinding) -> &[String]| {
        let mut titles: Vec<String> = Vec::new();
        for title in group.findings.iter().flat_map(|finding| hosts(finding)) {
            if !titles.contains(title) {
                titles.push(title.clone());
            }
        }
        titles
    };
    for (label, text_of) in snippet::minded_by(&all(|found| &found.dropped_by), &all(|found| &found.differs_in)) {
        let _ = writeln!(text, "{}", fill(&format!("  = {label}: "), &safe(&text_of), ui.width));
    }
    let helps: BTreeSet<String> =
        group.findings.iter().filter_map(|found| snippet::help(workspace, report, found)).collect();
    if let Some(help) = helps.first().filter(|_| helps.len() == 1) {
        let _ = writeln!(text, "{}", fill("  = help: ", help, ui.width));
    } else if let Some(flags) = group.findings.iter().find_map(|found| snippet::fixing_flags(workspace, report, found))
    {
        let _ = writeln!(text, "  = help: {flags} fixes this");
    }
    text.push('\n');
}
