//! Finds what in Markdown is not prose: code fences, code spans and comments.
//!
//! The time it takes grows with the length of the text and with nothing else, whatever the text is.

use std::{collections::HashMap, ops::Range};

/// Whose reading of Markdown is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// Everything that any program might take for code: a fence stands after any indentation, and inside quotes and list
    /// items; a backslash takes any character back; comments are found too.
    Widest,
    /// A fence stands after at most three spaces, and a backslash takes back a backtick that stands alone.
    Margin,
}

/// A part of a text that is not prose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Region {
    pub(crate) span: Range<usize>,
    pub(crate) kind: RegionKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RegionKind {
    /// Code between backticks.
    Span,
    Comment,
    /// Code in a fence, to the end of the text if nothing closes it.
    Fence(Fence),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fence {
    pub(crate) mark: char,
    /// What stands behind the opening marks, without blanks around it.
    pub(crate) info: Range<usize>,
    /// The lines between the fences; absent if nothing closes it.
    pub(crate) content: Option<Range<usize>>,
}

/// Finds all regions of a text, in order; they do not overlap.
///
/// `skip` is asked at each exclamation mark in prose: if something begins there that is not Markdown, it returns its end.
pub(crate) fn regions(text: &str, dialect: Dialect, skip: impl Fn(usize) -> Option<usize>) -> Vec<Region> {
    let mut scanner = Scanner { text, dialect, skip, found: Vec::new() };
    let mut at = 0;
    let mut is_line_start = true;
    while at < text.len() {
        let open = if is_line_start { Opening::read(scanner.line(at), at, dialect) } else { None };
        let end = match open {
            Some(open) => scanner.fence(&open),
            None => scanner.paragraph(at),
        };
        is_line_start = text[..end].ends_with('\n');
        at = end;
    }
    scanner.found
}

struct Opening {
    start: usize,
    content: usize,
    mark: char,
    length: usize,
    info: Range<usize>,
}

impl Opening {
    fn read(line: &str, at: usize, dialect: Dialect) -> Option<Opening> {
        let bare = unindented(line, dialect)?;
        let bare = match dialect {
            Dialect::Margin => bare,
            Dialect::Widest => {
                let item = bare.trim_start_matches(['-', '*', '+']);
                if item.len() < bare.len() && item.starts_with(' ') { item.trim_start() } else { bare }
            }
        };
        let mark = bare.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let after = bare.trim_start_matches(mark);
        let length = bare.len() - after.len();
        // Backticks with more backticks behind them in the line are a span.
        let opens = length >= 3 && !(mark == '`' && after.contains('`'));
        let start = at + line.len() - bare.len();
        let info_start = at + line.len() - after.trim_start().len();
        let info = info_start..info_start + after.trim().len();
        opens.then_some(Opening { start, content: at + line.len(), mark, length, info })
    }

    fn is_closed_by(&self, line: &str, dialect: Dialect) -> bool {
        let Some(bare) = unindented(line, dialect).map(str::trim_end) else { return false };
        bare.len() >= self.length && bare.chars().all(|c| c == self.mark)
    }
}

/// Returns a line without what may stand before a fence; `None` if more stands there.
fn unindented(line: &str, dialect: Dialect) -> Option<&str> {
    match dialect {
        Dialect::Widest => Some(line.trim_start_matches([' ', '\t', '>'])),
        Dialect::Margin => {
            let bare = line.trim_start_matches(' ');
            (line.len() - bare.len() <= 3).then_some(bare)
        }
    }
}

struct Scanner<'t, S> {
    text: &'t str,
    dialect: Dialect,
    skip: S,
    found: Vec<Region>,
}

impl<'t, S: Fn(usize) -> Option<usize>> Scanner<'t, S> {
    /// Returns the line that begins at a place, with its end.
    fn line(&self, at: usize) -> &'t str {
        self.text[at..].split_inclusive('\n').next().unwrap_or_default()
    }

    /// Reads a fence to its end, or to the text's if nothing closes it.
    fn fence(&mut self, open: &Opening) -> usize {
        let fence = |content| RegionKind::Fence(Fence { mark: open.mark, info: open.info.clone(), content });
        let mut at = open.content;
        while at < self.text.len() {
            let line = self.line(at);
            if open.is_closed_by(line, self.dialect) {
                let end = at + line.trim_end_matches(['\n', '\r']).len();
                self.found.push(Region { span: open.start..end, kind: fence(Some(open.content..at)) });
                return at + line.len();
            }
            at += line.len();
        }
        self.found.push(Region { span: open.start..at, kind: fence(None) });
        at
    }

    /// Reads prose up to a blank line or a fence, or to the end of a comment that goes further.
    fn paragraph(&mut self, start: usize) -> usize {
        let end = self.paragraph_end(start);
        let runs = Runs::of(self.text, start..end);
        let bytes = self.text.as_bytes();
        let mut at = start;
        while at < end {
            at = match bytes[at] {
                b'\\' if self.dialect == Dialect::Widest => at + 2,
                b'`' => self.backticks(&runs, at),
                b'!' => (self.skip)(at).unwrap_or(at + 1),
                b'<' if self.dialect == Dialect::Widest && bytes[at..].starts_with(b"<!--") => self.comment(at),
                _ => at + 1,
            };
        }
        // A backslash may stand before a character of several bytes.
        while !self.text.is_char_boundary(at.min(self.text.len())) {
            at += 1;
        }
        at.min(self.text.len())
    }

    fn paragraph_end(&self, start: usize) -> usize {
        let mut end = start + self.line(start).len();
        while end < self.text.len() {
            let line = self.line(end);
            if line.trim().is_empty() || Opening::read(line, end, self.dialect).is_some() {
                break;
            }
            end += line.len();
        }
        end
    }

    /// Reads a run of backticks, and the span that it opens, if it does.
    fn backticks(&mut self, runs: &Runs, at: usize) -> usize {
        let (run, close) = runs.at(at);
        let is_escaped = self.dialect == Dialect::Margin && run.len() == 1 && self.text[..run.start].ends_with('\\');
        let Some(close) = close.filter(|_| !is_escaped) else { return run.end };
        self.found.push(Region { span: at..close, kind: RegionKind::Span });
        close
    }

    fn comment(&mut self, at: usize) -> usize {
        let end = self.text[at..].find("-->").map_or(self.text.len(), |end| at + end + 3);
        self.found.push(Region { span: at..end, kind: RegionKind::Comment });
        end
    }
}

/// The runs of backticks of a paragraph, each with the end of the next one of its length.
struct Runs(Vec<(Range<usize>, Option<usize>)>);

impl Runs {
    fn of(text: &str, span: Range<usize>) -> Runs {
        let mut runs: Vec<(Range<usize>, Option<usize>)> = Vec::new();
        for (at, _) in text[span.clone()].match_indices('`') {
            let at = span.start + at;
            match runs.last_mut() {
                Some((run, _)) if run.end == at => run.end += 1,
                _ => runs.push((at..at + 1, None)),
            }
        }
        let mut later = HashMap::new();
        for (run, close) in runs.iter_mut().rev() {
            *close = later.insert(run.len(), run.end);
        }
        Runs(runs)
    }

    /// Returns the run that a place is in, and where the code ends that it opens, if it does.
    fn at(&self, at: usize) -> (Range<usize>, Option<usize>) {
        let index = self.0.partition_point(|(run, _)| run.end <= at);
        let (run, close) = self.0.get(index).cloned().unwrap_or((at..at + 1, None));
        // What is left of a run after an escaped backtick, or after what was skipped, opens nothing.
        let close = close.filter(|_| run.start == at);
        (run, close)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the code that is found, with `|` between its parts.
    fn check_with(dialect: Dialect, text: &str, expected: &str) {
        let regions = regions(text, dialect, |_| None);
        let found: Vec<&str> = regions.into_iter().map(|region| text[region.span].trim_end()).collect();
        assert_eq!(found.join("|"), expected, "{text:?}");
    }

    fn check(text: &str, expected: &str) {
        check_with(Dialect::Margin, text, expected);
    }

    #[test]
    fn spans_and_fences() {
        check("a `b` c ``d ` e`` f", "`b`|``d ` e``");
        check("a `b c", "");
        check("a `b\n\nc` d", "");
        check("a `b\nc` d", "`b\nc`");
        check("\\`a `b`", "`b`");
        check("a\n```sh\nb `c`\n```\nd `e`", "```sh\nb `c`\n```|`e`");
        check("~~~\na\n```\n~~~~ \nb", "~~~\na\n```\n~~~~");
        check("```\nnever closed", "```\nnever closed");
        check("    ```\nfour spaces in", "");
        check("```a``` in a line", "```a```");
    }

    #[test]
    fn fences_in_lists_and_quotes_and_comments() {
        let check = |text: &str, expected: &str| check_with(Dialect::Widest, text, expected);
        check("- ```\n  a\n  ```\nb", "```\n  a\n  ```");
        check("> ```\n> a\n> ```\nb", "```\n> a\n> ```");
        check("a <!-- `b --> c `d`", "<!-- `b -->|`d`");
        check("\\``a``", "");
    }
}
