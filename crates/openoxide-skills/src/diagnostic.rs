//! Findings about skills: what is wrong, where, and what to do about it.
//!
//! A diagnostic is a value. Faces print it.

use std::fmt;
use std::ops::Range;

pub use crate::code::Code;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Worth knowing; nothing is lost.
    Note,
    /// The skill loads, but not everywhere or not as written.
    Warning,
    /// The skill is ignored.
    Error,
}

impl Level {
    /// Returns the word used in text and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Level::Note => "note",
            Level::Warning => "warning",
            Level::Error => "error",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Longest text that a place keeps for showing it.
const LINES_MAX: usize = 16 * 1024;

/// A place in a file: bytes, the line and column people count, and the lines themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Bytes from the start of the file, half open.
    pub span: Range<usize>,
    /// Line, counted from 1.
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
    /// The whole lines that the span touches, as they were read: nobody has to open the file again to show them. Empty
    /// where they are not known, or too long to be shown.
    pub lines: String,
}

impl Place {
    /// Locates `span` in `text`; a span outside is moved to the nearest end.
    pub fn locate(text: &str, span: Range<usize>) -> Place {
        let start = text.floor_char_boundary(span.start);
        let end = text.floor_char_boundary(span.end).max(start);
        let before = &text[..start];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = text[end..].find('\n').map_or(text.len(), |newline| end + newline);
        let lines = Some(&text[line_start..line_end]).filter(|lines| lines.len() <= LINES_MAX);
        Place {
            span: start..end,
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            lines: lines.unwrap_or_default().to_owned(),
        }
    }
}

/// A change that fixes a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fix {
    /// Replaces the bytes of `span` in the file.
    Replace {
        /// Bytes from the start of the file.
        span: Range<usize>,
        /// What stands there afterwards.
        text: String,
    },
    /// Renames the file within its folder to this.
    RenameFile(String),
    /// Renames the skill's folder within its parent to this.
    RenameFolder(String),
}

impl Fix {
    /// Tells whether a file or folder gets another name.
    pub fn is_rename(&self) -> bool {
        matches!(self, Fix::RenameFile(_) | Fix::RenameFolder(_))
    }
}

/// One finding about one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What kind of finding it is; `explain` has the long form.
    pub code: Code,
    /// How much it matters.
    pub level: Level,
    /// Where it is, if it has a place inside the file.
    pub place: Option<Place>,
    /// What is so, in one sentence without a full stop.
    pub message: String,
    /// What stands at the place, said beside it.
    pub label: Option<String>,
    /// The next step.
    pub help: Option<String>,
    /// The change that fixes it, where one is certain.
    pub fix: Option<Fix>,
}

impl Diagnostic {
    /// Makes a finding without a place.
    pub fn new(code: Code, level: Level, message: impl Into<String>) -> Diagnostic {
        Diagnostic { code, level, place: None, message: message.into(), label: None, help: None, fix: None }
    }

    /// Makes a finding that keeps the skill from counting.
    pub fn error(code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, Level::Error, message)
    }

    /// Makes a finding that does not keep the skill from counting.
    pub fn warning(code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, Level::Warning, message)
    }

    /// Makes the finding about a link that leads nowhere, or around in a circle.
    pub(crate) fn dead_link(code: Code) -> Diagnostic {
        Diagnostic::warning(code, "the link leads nowhere").help("fix or remove the link")
    }

    /// Points at bytes of `text`.
    #[must_use]
    pub fn at(mut self, text: &str, span: Range<usize>) -> Diagnostic {
        self.place = Some(Place::locate(text, span));
        self
    }

    /// Says what stands at the place.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Diagnostic {
        self.label = Some(label.into());
        self
    }

    /// Says the next step.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// Attaches the change that fixes it.
    #[must_use]
    pub fn fix(mut self, fix: Fix) -> Diagnostic {
        self.fix = Some(fix);
        self
    }

    /// Tells whether the finding keeps the skill from counting.
    pub fn is_error(&self) -> bool {
        self.level == Level::Error
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_lines_and_characters_from_one() {
        let text = "---\nname: hé\u{301}llo\n";
        let place = Place::locate(text, 10..17);
        assert_eq!((place.line, place.column), (2, 7));
        let place = Place::locate(text, 999..1000);
        assert_eq!((place.span, place.line, place.column), (text.len()..text.len(), 3, 1));
    }
}
