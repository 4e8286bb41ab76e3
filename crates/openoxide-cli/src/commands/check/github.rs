//! Findings as GitHub's workflow commands, which become annotations.

use std::fmt::Write as _;

use openoxide_app::{Level, Workspace, check::CheckReport, paths};

use crate::ui::safe;

/// Writes one workflow command for each finding.
pub(super) fn report(workspace: &Workspace, report: &CheckReport) -> String {
    let mut text = String::new();
    for finding in report.findings() {
        let diagnostic = &finding.diagnostic;
        let level = if diagnostic.level == Level::Note { "notice" } else { diagnostic.level.as_str() };
        let file = property(&paths::short(workspace, &finding.path));
        let place = diagnostic.place.as_ref().map(|place| format!(",line={},col={}", place.line, place.column));
        let (place, help) = (place.unwrap_or_default(), diagnostic.help.as_ref().map(|help| format!("\n{help}")));
        let title = property(&format!("{}: {}", diagnostic.code, diagnostic.code.title()));
        let message = data(&format!("{}{}", diagnostic.message, help.unwrap_or_default()));
        let _ = writeln!(text, "::{level} file={file}{place},title={title}::{message}");
    }
    text
}

fn data(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(safe).collect();
    lines.join("\n").replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
