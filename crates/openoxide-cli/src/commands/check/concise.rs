//! Findings on one line each, in the form that editors jump to.

use std::fmt::Write as _;

use openoxide_app::{SkillFinding, Workspace, check::CheckReport, paths};

use crate::ui::safe;

/// Writes one line for each finding.
pub(super) fn report(workspace: &Workspace, report: &CheckReport) -> String {
    let mut text = String::new();
    for finding in report.findings() {
        let diagnostic = &finding.diagnostic;
        let (level, code, message) = (diagnostic.level, diagnostic.code, safe(&diagnostic.message));
        let help = diagnostic.help.as_deref().map(|help| format!("; help: {}", safe(help))).unwrap_or_default();
        let _ = writeln!(text, "{}: {level}[{code}]: {message}{help}", place(workspace, finding));
    }
    text
}

/// Writes where a finding is, as `path:line:column`.
pub(super) fn place(workspace: &Workspace, finding: &SkillFinding) -> String {
    let path = paths::short(workspace, &finding.path);
    match &finding.diagnostic.place {
        Some(place) => format!("{path}:{}:{}", place.line, place.column),
        None => path,
    }
}
