//! Walks over a text once, and splits it into text, commands and names of files.

use std::{collections::HashSet, ops::Range};

use super::mark::{self, Mark};
use super::placeholder::{Placeholder, Placeholders, Replacement, is_escaped};
use super::script;
use super::{Expanded, Expansion, FileRef, LeftAlone, LeftAloneReason, Piece, ShellPiece};
use crate::host::{BlockForm, Escape};
use crate::text::markdown::{Region, RegionKind};

/// Most bytes that values may add to a text.
const MOST_ADDED: usize = 8 * 1024 * 1024;

const MOST_COMMANDS: usize = 100;

const MOST_LEFT: usize = 1000;

/// Splits a text; also returns whether a placeholder took an argument.
pub(super) fn walk(
    body: &str,
    rules: &Expansion<'_>,
    placeholders: &Placeholders<'_>,
    regions: &[Region],
) -> (Expanded, bool) {
    let mut walk = Walk {
        body,
        rules,
        placeholders,
        regions: regions.iter().peekable(),
        at: 0,
        copied: 0,
        text: String::new(),
        line: (0, 1),
        named: HashSet::new(),
        spent: 0,
        commands: 0,
        took: false,
        expanded: Expanded::default(),
    };
    walk.run();
    walk.text.push_str(&body[walk.copied..]);
    walk.flush();
    (walk.expanded, walk.took)
}

struct Walk<'w> {
    body: &'w str,
    rules: &'w Expansion<'w>,
    placeholders: &'w Placeholders<'w>,
    regions: std::iter::Peekable<std::slice::Iter<'w, Region>>,
    /// Up to where the text was looked at.
    at: usize,
    /// Up to where the text was copied.
    copied: usize,
    text: String,
    /// A place, and its line.
    line: (usize, usize),
    named: HashSet<&'w str>,
    spent: usize,
    commands: usize,
    took: bool,
    expanded: Expanded,
}

impl<'w> Walk<'w> {
    fn run(&mut self) {
        while let Some(found) = self.body.as_bytes()[self.at..].windows(2).position(may_mean) {
            self.at += found;
            let region = self.region();
            let command = region.and_then(|region| mark::fenced(self.body, region, self.rules.shell));
            if let Some(mark) = command.filter(|mark| !self.body[mark.command.clone()].trim().is_empty()) {
                self.command(&mark);
                continue;
            }
            let why = region.map(|region| {
                if region.kind == RegionKind::Comment { LeftAloneReason::Comment } else { LeftAloneReason::Code }
            });
            self.at = match self.body.as_bytes()[self.at] {
                b'$' => self.dollar(why),
                b'@' => self.file(why),
                _ => self.mark(why),
            };
        }
    }

    fn region(&mut self) -> Option<&'w Region> {
        while self.regions.next_if(|region| region.span.end <= self.at).is_some() {}
        self.regions.peek().copied().filter(|region| region.span.start <= self.at)
    }

    fn dollar(&mut self, why: Option<LeftAloneReason>) -> usize {
        let Some(Placeholder { span, what }) = self.placeholders.at(self.body, self.at) else { return self.at + 1 };
        let why = why.filter(|_| !self.rules.in_code);
        match (what, why) {
            (Replacement::Stays, _) | (Replacement::Escaped, Some(_)) => {}
            (Replacement::Value(value), Some(why)) => {
                if self.body[span.clone()] != *value.text {
                    self.leave(span.clone(), why);
                }
            }
            (Replacement::Escaped, None) => self.replace(span.start..span.start + 1, ""),
            (Replacement::Value(value), None) if self.spend(value.text.len()) => {
                self.took |= value.is_argument;
                self.replace(span.clone(), value.text);
            }
            (Replacement::Value(_), None) => self.leave(span.clone(), LeftAloneReason::TooLong),
        }
        span.end
    }

    fn file(&mut self, why: Option<LeftAloneReason>) -> usize {
        let Some(rules) = self.rules.files else { return self.at + 1 };
        let before = &self.body[..self.at];
        if self.escape() == Escape::Everything && is_escaped(before) {
            let bare = before.chars().rev().nth(1).is_none_or(char::is_whitespace);
            if bare && why.is_none() {
                self.replace(self.at - 1..self.at, "");
            }
            return self.at + 1;
        }
        let (span, path) = match mark::file(self.body, self.at, rules) {
            Ok(found) => found,
            Err(next) => return next,
        };
        let path = &self.body[path];
        match why.filter(|_| !self.rules.in_code) {
            Some(why) => self.leave(span.clone(), why),
            None if self.named.contains(path) => {}
            None if self.named.len() >= rules.max => self.leave(span.clone(), LeftAloneReason::TooMany),
            None => {
                self.named.insert(path);
                let line = self.line_of(span.start);
                let written = self.body[span.clone()].to_owned();
                self.expanded.files.push(FileRef { written, path: path.to_owned(), line });
            }
        }
        span.end
    }

    /// Reads what stands at an exclamation mark or a backtick.
    fn mark(&mut self, why: Option<LeftAloneReason>) -> usize {
        let Some(rules) = self.rules.shell else { return self.at + 1 };
        let escaped = || mark::escaped(self.body, self.at, rules).filter(|_| self.escape() == Escape::Everything);
        if let Some(mark) = escaped() {
            if why.is_none() {
                self.replace(self.at - 1..self.at, "");
            }
            return mark.span.end;
        }
        let mark = mark::inline(self.body, self.at, rules).or_else(|| mark::block(self.body, self.at, rules));
        let Some(mark) = mark else { return self.at + 1 };
        let is_block = self.body[mark.span.clone()].starts_with('`');
        match why.filter(|_| !self.rules.in_code) {
            Some(why) => self.leave(mark.span.clone(), why),
            // A fence of its own has been found before, with the other regions.
            None if is_block && rules.block == BlockForm::Fence => return self.at + 1,
            None => self.command(&mark),
        }
        mark.span.end
    }

    fn command(&mut self, mark: &Mark) {
        let written = &self.body[mark.span.clone()];
        let line = self.line_of(mark.span.start);
        self.at = mark.span.end;
        if self.rules.shell.is_some_and(|rules| !rules.run) {
            self.leave(mark.span.clone(), LeftAloneReason::SwitchedOff);
            return self.replace(mark.span.clone(), self.rules.off);
        }
        self.commands += 1;
        if self.commands > MOST_COMMANDS {
            return self.leave(mark.span.clone(), LeftAloneReason::TooMany);
        }
        let command = &self.body[mark.command.clone()];
        let script = script::write(command, self.placeholders, MOST_ADDED - self.spent);
        self.spent += script.env.iter().map(|(_, value)| value.len()).sum::<usize>();
        self.took |= script.took;
        for (at, text) in script.kept {
            let line = line + lines(&self.body[mark.span.start..mark.command.start + at]);
            self.expanded.left_alone.push(LeftAlone { written: text, line, why: LeftAloneReason::QuotedText });
        }
        self.replace(mark.span.clone(), "");
        self.flush();
        self.expanded.pieces.push(Piece::Shell(ShellPiece {
            written: written.to_owned(),
            command: command.trim().to_owned(),
            script: script.text,
            env: script.env,
            refused: script.refused,
        }));
    }

    /// Counts what values add to the text; tells whether there is room for it.
    fn spend(&mut self, bytes: usize) -> bool {
        let fits = self.spent.saturating_add(bytes) <= MOST_ADDED;
        self.spent += if fits { bytes } else { 0 };
        fits
    }

    fn escape(&self) -> Escape {
        self.rules.arguments.map_or(Escape::Nothing, |rules| rules.escape)
    }

    fn replace(&mut self, span: Range<usize>, text: &str) {
        self.text.push_str(&self.body[self.copied..span.start]);
        self.text.push_str(text);
        self.copied = span.end;
    }

    fn flush(&mut self) {
        if !self.text.is_empty() {
            self.expanded.pieces.push(Piece::Text(std::mem::take(&mut self.text)));
        }
    }

    fn leave(&mut self, span: Range<usize>, why: LeftAloneReason) {
        if self.expanded.left_alone.len() >= MOST_LEFT {
            return;
        }
        let line = self.line_of(span.start);
        self.expanded.left_alone.push(LeftAlone { written: self.body[span].to_owned(), line, why });
    }

    /// Returns the line of a place that is not before an earlier one.
    fn line_of(&mut self, at: usize) -> usize {
        let (from, line) = self.line;
        self.line = (at.max(from), line + lines(&self.body[from..at.max(from)]));
        self.line.1
    }
}

/// Tells whether something may stand where these two bytes do; most marks alone are ruled out by it.
fn may_mean(bytes: &[u8]) -> bool {
    match bytes[0] {
        b'$' => bytes[1] != b'$',
        b'!' | b'`' => bytes[1] == b'`',
        b'@' => true,
        _ => false,
    }
}

fn lines(text: &str) -> usize {
    text.matches('\n').count()
}
