//! Keeps findings about one skill from contradicting each other.

use super::SkillFinding;
use crate::diagnostic::{Code, Diagnostic, Fix};
use crate::text::TerminalText;

/// Findings about the shape of a name.
const SHAPE: [Code; 5] =
    [Code::NameLength, Code::NameCase, Code::NameHyphenEdge, Code::NameHyphenDouble, Code::NameCharacters];

/// A folder is not to get the name that another finding asks to change.
pub(super) fn reconcile(findings: &mut [SkillFinding], folder: &str) {
    let is_misshapen = |finding: &SkillFinding| SHAPE.contains(&finding.diagnostic.code);
    if !findings.iter().any(is_misshapen) {
        return;
    }
    let about_folder = findings.iter_mut().map(|finding| &mut finding.diagnostic);
    for diagnostic in about_folder.filter(|diagnostic| diagnostic.code == Code::NameFolder) {
        rename_skill(diagnostic, folder);
    }
}

fn rename_skill(diagnostic: &mut Diagnostic, folder: &str) {
    if matches!(diagnostic.fix, Some(Fix::RenameFolder(_))) {
        diagnostic.fix = None;
    }
    let is_plain = |character: char| character.is_ascii_lowercase() || character.is_ascii_digit() || character == '-';
    diagnostic.help = Some(match folder.chars().all(is_plain) {
        true => format!("write `name: {}`", TerminalText(folder)),
        false => "give the skill a name that every agent allows, and its folder the same".to_owned(),
    });
}
