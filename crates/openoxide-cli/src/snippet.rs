//! Findings in rustc's shape: the line, what is wrong with it, and the next step.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use openoxide_app::{Level as Severity, SkillFinding, Workspace, check::CheckReport, deceptive_characters, paths};
use unicode_width::UnicodeWidthStr;

use crate::table::fill;
use crate::ui::{Ui, safe};

/// Renders one finding, with the agents that mind it where there are several.
pub(crate) fn render(ui: &Ui, workspace: &Workspace, report: &CheckReport, finding: &SkillFinding) -> String {
    let diagnostic = &finding.diagnostic;
    let level = match diagnostic.level {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let path = paths::short(workspace, &finding.path);
    let broken =
        |lead: &str, text: &str| fill("", text, ui.width.map(|width| width.saturating_sub(lead.len()).max(20)));
    let message = broken("warning[S0102]: ", &safe(&diagnostic.message));
    let source = source(finding);
    let source = source.map(|(text, span)| clamped(ui, text, span));
    let mut label = diagnostic.label.as_deref().map(safe).unwrap_or_default();
    // A label that does not fit beside its marks stands below.
    let is_long =
        source.as_ref().is_some_and(|(text, span)| ui.width.is_some_and(|all| ends(text, span) + label.width() > all));
    let below = (is_long && !label.is_empty()).then(|| broken("   = note: ", &std::mem::take(&mut label)));
    let title = level.primary_title(message.as_str()).id(diagnostic.code.as_str());
    let mut group = match (&source, &diagnostic.place) {
        (Some((text, span)), Some(place)) => {
            let annotation = AnnotationKind::Primary.span(span.clone()).label(label.as_str());
            Group::with_title(title).element(
                Snippet::source(text.as_str()).line_start(place.line).path(path.as_str()).annotation(annotation),
            )
        }
        (_, place) => {
            let origin = annotate_snippets::Origin::path(path.as_str());
            let origin = match place {
                Some(place) => origin.line(place.line).char_column(place.column),
                None => origin,
            };
            Group::with_title(title).element(origin)
        }
    };
    let minded = if report.one_host { Vec::new() } else { minded_by(&finding.dropped_by, &finding.differs_in) };
    let minded: Vec<(&str, String)> =
        minded.into_iter().map(|(label, titles)| (label, broken(&format!("   = {label}: "), &safe(&titles)))).collect();
    let help = help(workspace, report, finding).map(|help| broken("   = help: ", &help));
    let lines = below.iter().map(|text| (Level::NOTE, text));
    let lines = lines.chain(minded.iter().map(|(label, text)| (Level::NOTE.with_name(*label), text)));
    for (level, text) in lines.chain(help.iter().map(|text| (Level::HELP, text))) {
        group = group.element(level.message(text.as_str()));
    }
    let renderer = Renderer::styled().term_width(ui.width.unwrap_or(140));
    renderer.render(&[group]) + "\n\n"
}

/// What is shown in place of a tab.
const TAB: &str = "→";
/// The columns that line numbers and marks need.
const GUTTER: usize = 6;

/// Returns the column in which the marks for a span end.
fn ends(text: &str, span: &std::ops::Range<usize>) -> usize {
    let line = text.get(..span.start).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1);
    GUTTER + text.get(line..span.end).map_or(0, UnicodeWidthStr::width)
}

fn clamped(ui: &Ui, text: String, span: std::ops::Range<usize>) -> (String, std::ops::Range<usize>) {
    let room = ui.width.map_or(usize::MAX, |all| all.saturating_sub(GUTTER + 12).max(10));
    let marked = text.get(span.clone()).unwrap_or_default();
    let end = marked.char_indices().nth(room).map_or(span.end, |(at, _)| span.start + at);
    (text, span.start..end)
}

/// Returns the marked lines, and the span in them.
///
/// Only lines of plain characters are shown: anything that could hide or reorder text would move the marks.
fn source(finding: &SkillFinding) -> Option<(String, std::ops::Range<usize>)> {
    let place = finding.diagnostic.place.as_ref().filter(|place| !place.lines.is_empty())?;
    let before = place.lines.char_indices().nth(place.column - 1).map_or(place.lines.len(), |(at, _)| at);
    let shown = place.lines.trim_start_matches('\u{feff}');
    if deceptive_characters(shown).any(|character| !matches!(character, '\n' | '\r' | '\t')) {
        return None;
    }
    let start = before.saturating_sub(place.lines.len() - shown.len());
    let end = (start + place.span.len()).min(shown.len());
    // A tab would look like spaces, and may be what is wrong.
    let moved = |at: usize| at + shown.get(..at).map_or(0, |before| before.matches('\t').count() * (TAB.len() - 1));
    Some((shown.replace('\t', TAB), moved(start.min(end))..moved(end)))
}

/// Returns the next step, safe to print, with the flags that take it.
pub(crate) fn help(workspace: &Workspace, report: &CheckReport, finding: &SkillFinding) -> Option<String> {
    let help = safe(finding.diagnostic.help.as_deref()?);
    Some(match fixing_flags(workspace, report, finding) {
        Some(flags) => format!("{help}   ({flags} does this)"),
        None => help,
    })
}

/// Returns the flags that fix a finding, if it can be fixed, with the path where `--fix` alone does not reach it.
pub(crate) fn fixing_flags(workspace: &Workspace, report: &CheckReport, finding: &SkillFinding) -> Option<String> {
    let flags = if report.fix_of(finding)?.is_rename() { "--fix --rename" } else { "--fix" };
    let folder = finding.path.parent().filter(|_| report.is_elsewhere(finding));
    Some(folder.map_or_else(|| flags.to_owned(), |folder| format!("{flags} {}", paths::short(workspace, folder))))
}

/// Says which agents drop a skill because of a finding, and which read it differently.
pub(crate) fn minded_by(dropped_by: &[String], differs_in: &[String]) -> Vec<(&'static str, String)> {
    let lines = [("dropped by", dropped_by), ("read differently by", differs_in)];
    lines
        .into_iter()
        .filter(|(_, titles)| !titles.is_empty())
        .map(|(label, titles)| (label, titles.join(", ")))
        .collect()
}
