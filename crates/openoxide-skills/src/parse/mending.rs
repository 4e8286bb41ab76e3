//! Reads frontmatter that was mended, and says so where the file stands.

use super::{Collected, Reader, Source, frontmatter_problem};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Fix};
use crate::frontmatter::Mended;
use crate::yaml;

impl Reader<'_> {
    /// Reads mended text; what was mended is reported if the original could not be read.
    pub(super) fn read_mended(
        &mut self,
        source: Source<'_>,
        text: &str,
        mended: &Mended,
        report: bool,
    ) -> Result<(), Diagnostic> {
        self.taken = Collected::default();
        let kept = self.parsed.problems.len();
        let outcome = yaml::parse(&mended.text)
            .map_err(|error| frontmatter_problem(source, &error))
            .and_then(|root| self.judge(source, text, &root, None));
        match &outcome {
            Ok(()) => {
                self.place_in_original(source, mended, kept);
                if report {
                    self.report_repairs(source, text, mended);
                }
            }
            Err(_) => self.parsed.problems.truncate(kept),
        }
        outcome
    }

    /// Moves findings about the mended text to where they stand in the file; a fix for the one would harm the other.
    pub(super) fn place_in_original(&mut self, source: Source<'_>, mended: &Mended, from: usize) {
        for problem in &mut self.parsed.problems[from..] {
            if matches!(problem.fix, Some(Fix::Replace { .. })) {
                problem.fix = None;
            }
            if let Some(place) = problem.place.take() {
                let move_back = |at: usize| source.offset + mended.original(at.saturating_sub(source.offset));
                problem.place =
                    Some(crate::Place::locate(source.file, move_back(place.span.start)..move_back(place.span.end)));
            }
        }
    }

    fn report_repairs(&mut self, source: Source<'_>, text: &str, mended: &Mended) {
        for (range, replacement) in mended.edits.iter().filter(|(_, replacement)| !replacement.trim().is_empty()) {
            let span = source.span(range);
            self.parsed.problems.push(
                Diagnostic::warning(Code::Repaired, "this value is not valid YAML unless it is quoted")
                    .at(source.file, span.clone())
                    .label(format!("`{}` ends a key in YAML", repair_cause(&text[range.clone()])))
                    .help("put quotes around the value")
                    .fix(Fix::Replace { span, text: replacement.clone() }),
            );
        }
        if mended.edits.is_empty() {
            self.parsed.problems.push(
                Diagnostic::warning(Code::Repaired, "tabs indent the frontmatter; they were read as spaces")
                    .at(source.file, source.span(&(0..text.len())))
                    .help("indent with spaces"),
            );
        }
    }
}

/// Returns what made a value need a repair.
pub(super) fn repair_cause(value: &str) -> &str {
    if value.contains(": ") { ": " } else { value.get(..1).unwrap_or(value) }
}
