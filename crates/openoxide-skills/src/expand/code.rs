//! Finds code and comments in Markdown: what the default rules leave alone.

use std::collections::HashMap;
use std::ops::Range;

use super::command;
use crate::host::{BlockForm, ShellRules};

/// A part of a text that is not prose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Region {
    /// Where it stands.
    pub(super) span: Range<usize>,
    pub(super) kind: RegionKind,
}

/// What a part of a text is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RegionKind {
    /// A code span or a code fence.
    Code,
    /// A comment.
    Comment,
    /// A fence whose content is a command, and where that stands.
    Command(Range<usize>),
}

/// Finds all regions of a text, in order; they do not overlap.
pub(super) fn regions(text: &str, shell: Option<&ShellRules>) -> Vec<Region> {
    let mut scan = Scan { text, shell, found: Vec::new() };
    let mut at = 0;
    let mut fresh = true;
    while at < text.len() {
        let fence = if fresh { Fence::open(scan.line(at), at) } else { None };
        let end = match fence {
            Some(fence) => scan.fence(&fence),
            None => scan.paragraph(at),
        };
        fresh = text[..end].ends_with('\n');
        at = end;
    }
    scan.found
}

/// The opening line of a code fence.
struct Fence<'t> {
    start: usize,
    content: usize,
    mark: char,
    length: usize,
    info: &'t str,
}

impl Fence<'_> {
    fn open(line: &str, at: usize) -> Option<Fence<'_>> {
        let bare = line.trim_start_matches([' ', '\t', '>']);
        let item = bare.trim_start_matches(['-', '*', '+']);
        let bare = if item.len() < bare.len() && item.starts_with(' ') { item.trim_start() } else { bare };
        let mark = bare.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let info = bare.trim_start_matches(mark);
        let length = bare.len() - info.len();
        let opens = length >= 3 && !(mark == '`' && info.contains('`'));
        let start = at + line.len() - bare.len();
        opens.then(|| Fence { start, content: at + line.len(), mark, length, info: info.trim() })
    }

    fn is_closed_by(&self, line: &str) -> bool {
        let bare = line.trim_start_matches([' ', '\t', '>']).trim_end();
        bare.len() >= self.length && bare.chars().all(|c| c == self.mark)
    }
}

struct Scan<'t> {
    text: &'t str,
    shell: Option<&'t ShellRules>,
    found: Vec<Region>,
}

impl<'t> Scan<'t> {
    /// Returns the line that begins at a place, with its end.
    fn line(&self, at: usize) -> &'t str {
        self.text[at..].split_inclusive('\n').next().unwrap_or_default()
    }

    /// Reads a fence to its end, or to the text's if nothing closes it.
    fn fence(&mut self, open: &Fence<'_>) -> usize {
        let mut at = open.content;
        while at < self.text.len() {
            let line = self.line(at);
            if open.is_closed_by(line) {
                let end = at + line.trim_end_matches(['\n', '\r']).len();
                let kind =
                    if self.is_command(open, at) { RegionKind::Command(open.content..at) } else { RegionKind::Code };
                self.found.push(Region { span: open.start..end, kind });
                return at + line.len();
            }
            at += line.len();
        }
        self.found.push(Region { span: open.start..at, kind: RegionKind::Code });
        at
    }

    fn is_command(&self, open: &Fence<'_>, content_end: usize) -> bool {
        self.shell.is_some_and(|rules| rules.block == BlockForm::Fence)
            && (open.mark, open.info) == ('`', "!")
            && !self.text[open.content..content_end].trim().is_empty()
    }

    /// Reads prose up to a blank line or a fence, or to the end of a comment that goes further.
    fn paragraph(&mut self, start: usize) -> usize {
        let end = self.paragraph_end(start);
        let runs = Runs::of(self.text, start..end);
        let bytes = self.text.as_bytes();
        let mut at = start;
        while at < end {
            at = match bytes[at] {
                b'\\' => at + 2,
                b'`' => self.backticks(&runs, at),
                b'!' => {
                    let mark = self.shell.and_then(|rules| command::inline(self.text, at, rules));
                    mark.map_or(at + 1, |mark| mark.span.end)
                }
                b'<' if bytes[at..].starts_with(b"<!--") => self.comment(at),
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
            if line.trim().is_empty() || Fence::open(line, end).is_some() {
                break;
            }
            end += line.len();
        }
        end
    }

    fn backticks(&mut self, runs: &Runs, at: usize) -> usize {
        let (run, close) = runs.at(at);
        let Some(close) = close else { return run.end };
        self.found.push(Region { span: at..close, kind: RegionKind::Code });
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
        // What is left of a run after an escaped backtick, or after a command, opens nothing.
        let close = close.filter(|_| run.start == at);
        (run, close)
    }
}
