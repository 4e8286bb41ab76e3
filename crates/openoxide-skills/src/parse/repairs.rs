//! Reads repaired frontmatter, and reports each repair at its place in the original file.

use super::fields::Collected;
use super::parsed::Source;
use super::reader::{Reader, repair_cause};
use crate::diagnostic::{Code, Diagnostic, Fix, Place};
use crate::frontmatter::EditedText;
use crate::text::yaml;
use crate::text::yaml_file::yaml_problem;

impl Reader<'_> {
    /// Reads repaired text; with `report`, each repair becomes a finding.
    pub(super) fn read_repaired(
        &mut self,
        source: Source<'_>,
        text: &str,
        edited: &EditedText,
        report: bool,
    ) -> Result<(), Diagnostic> {
        self.taken = Collected::default();
        let kept = self.parsed.problems.len();
        let outcome = yaml::parse(&edited.text)
            .map_err(|error| yaml_problem(source.file, source.offset, &error))
            .and_then(|root| self.judge(source, text, &root, None));
        match &outcome {
            Ok(()) => {
                self.place_in_original(source, edited, kept);
                if report {
                    self.report_repairs(source, text, edited);
                }
            }
            Err(_) => self.parsed.problems.truncate(kept),
        }
        outcome
    }

    /// Moves findings about the edited text to their places in the original file.
    ///
    /// Fixes are dropped: their spans and texts are those of the edited text and would damage the original.
    pub(super) fn place_in_original(&mut self, source: Source<'_>, edited: &EditedText, from: usize) {
        for problem in &mut self.parsed.problems[from..] {
            if matches!(problem.fix, Some(Fix::Replace { .. })) {
                problem.fix = None;
            }
            if let Some(place) = problem.place.take() {
                let move_back = |at: usize| source.offset + edited.original(at.saturating_sub(source.offset));
                problem.place =
                    Some(Place::locate(source.file, move_back(place.span.start)..move_back(place.span.end)));
            }
        }
    }

    fn report_repairs(&mut self, source: Source<'_>, text: &str, edited: &EditedText) {
        for (range, replacement) in edited.edits.iter().filter(|(_, replacement)| !replacement.trim().is_empty()) {
            let span = source.span(range);
            self.parsed.problems.push(
                Diagnostic::warning(Code::Repaired, "this value is not valid YAML unless it is quoted")
                    .at(source.file, span.clone())
                    .label(format!("`{}` ends a key in YAML", repair_cause(&text[range.clone()])))
                    .help("put quotes around the value")
                    .fix(Fix::Replace { span, text: replacement.clone() }),
            );
        }
        if edited.edits.is_empty() {
            self.parsed.problems.push(
                Diagnostic::warning(Code::Repaired, "tabs indent the frontmatter; they were read as spaces")
                    .at(source.file, source.span(&(0..text.len())))
                    .help("indent with spaces"),
            );
        }
    }
}
