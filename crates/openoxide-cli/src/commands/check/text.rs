//! Findings for people: the worst first, each with its line; repeats are grouped.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use openoxide_app::{Code, Level, SkillFinding, Workspace, check::CheckReport, count};

use super::{args::CheckArgs, concise::place};
use crate::table::{cut, fill};
use crate::ui::{Role, Ui, paint, safe};
use crate::{snippet, typed};

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

impl Group<'_> {
    /// Returns the help that most of the findings have, if several have the same.
    fn common_help(&self) -> Option<&str> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for help in self.findings.iter().filter_map(|finding| finding.diagnostic.help.as_deref()) {
            *counts.entry(help).or_default() += 1;
        }
        let most = counts.into_iter().max_by_key(|(_, count)| *count);
        most.filter(|(_, count)| *count > 1).map(|(help, _)| help)
    }
}

/// Draws the findings: errors, then warnings, then notes.
pub(super) fn report(ui: &Ui, args: &CheckArgs, workspace: &Workspace, report: &CheckReport) -> String {
    let mut text = String::new();
    for group in groups(report) {
        if group.skills < GROUPED_FROM || ui.common.verbose {
            let snippets = group.findings.iter();
            text.extend(snippets.map(|finding| snippet::render(ui, workspace, report, finding)));
        } else {
            draw(&mut text, (ui, args), (workspace, report), &group);
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

/// Draws a group: how often it was found, the first places, the agents that mind, and the next step. What has a help of its
/// own comes first: it says more than what all others have in common.
fn draw(
    text: &mut String,
    (ui, args): (&Ui, &CheckArgs),
    (workspace, report): (&Workspace, &CheckReport),
    group: &Group<'_>,
) {
    let role = match group.level {
        Level::Error => Role::Error,
        Level::Warning => Role::Warning,
        Level::Note => Role::Strong,
    };
    let head = paint(role, &format!("{}[{}]", group.level, group.code));
    let _ = writeln!(text, "{head} {}: {}", count(group.findings.len(), "time"), group.code.title());
    let common = group.common_help();
    let is_common = |finding: &&SkillFinding| finding.diagnostic.help.as_deref() == common;
    let (usual, own): (Vec<_>, Vec<_>) = group.findings.iter().copied().partition(is_common);
    for finding in own.iter().chain(&usual).take(SHOWN) {
        let line = format!("  --> {}  {}", place(workspace, finding), safe(&finding.diagnostic.message));
        let _ = writeln!(text, "{}", ui.width.map_or_else(|| line.clone(), |width| cut(&line, width)));
        let own_help = snippet::help(workspace, report, finding).filter(|_| !is_common(finding));
        if let Some(help) = own_help {
            let _ = writeln!(text, "{}", fill("      = help: ", &help, ui.width));
        }
    }
    let more = group.findings.len().saturating_sub(SHOWN);
    if more > 0 {
        let _ = writeln!(text, "  … and {more} more: {}", every_one(ui, args, group.code));
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
    let fixing_flags = |finding: &&SkillFinding| snippet::fixing_flags(workspace, report, finding);
    let with_flags = usual.iter().find(|finding| fixing_flags(finding).is_some());
    let help = common.and_then(|_| snippet::help(workspace, report, with_flags.or(usual.first())?));
    if let Some(help) = help {
        let _ = writeln!(text, "{}", fill("  = help: ", &help, ui.width));
    } else if let Some(flags) = group.findings.iter().find_map(fixing_flags) {
        let _ = writeln!(text, "  = help: {flags} fixes this");
    }
    text.push('\n');
}

/// Writes the command that shows each finding with a code.
fn every_one(ui: &Ui, args: &CheckArgs, code: Code) -> String {
    let paths: Vec<String> = args.paths.iter().map(|path| typed::shown_word(&path.to_string_lossy())).collect();
    let mut options = format!("--select {code} --format concise");
    for (is_given, flag) in [(args.all_hosts, " --all-hosts"), (args.strict, " --strict")] {
        options.push_str(if is_given { flag } else { "" });
    }
    typed::command(&ui.common, "check", (!paths.is_empty()).then(|| paths.join(" ")).as_deref(), &options)
}
