//! Writes what a shell is given for a command: each placeholder becomes a reference to an environment variable.
//!
//! The author's text is followed from quote to quote, so that a value is one word where a word is meant. A value itself
//! is never part of the script: if the guess about quotes is wrong, a reference is not expanded or splits into words,
//! and still nothing of it is run. Two places remain where a shell, or another program, would read a value as code:
//! inside arithmetic, and in text that is handed on as a program. There only harmless values are let through.

use std::collections::BTreeMap;

use super::placeholder::{Placeholders, Value, What};
use super::readers::Readers;
use super::refusal::{MOST_NESTED, Refusal};
use super::spot::Spot;

/// Longest value that is taken for a plain word.
const MOST_PLAIN: usize = 1000;

/// A command for a shell.
#[derive(Debug, Default)]
pub(super) struct Script {
    pub(super) text: String,
    pub(super) env: Vec<(String, String)>,
    pub(super) refused: Option<Refusal>,
    /// Placeholders that were left alone, and where they stand in the command.
    pub(super) kept: Vec<(usize, String)>,
    /// Whether a placeholder took an argument.
    pub(super) took: bool,
}

/// What the text around a place is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Frame {
    /// Words, at the top or in `(…)`, `$(…)`.
    Words,
    /// Words in backticks.
    Backticks,
    /// Double quotes.
    Double,
    /// Single quotes.
    Single,
    /// Single quotes after a dollar sign, in which a backslash counts.
    Escapes,
    /// `$((…))`, with the number of open parentheses.
    Arithmetic(usize),
    /// `${…}`.
    Braces,
    /// A comment.
    Comment,
    /// The text of a here-document that the shell fills in.
    Document,
    /// The text of a here-document that the shell leaves as it is.
    QuotedDocument,
}

impl Frame {
    fn is_words(self) -> bool {
        matches!(self, Frame::Words | Frame::Backticks)
    }
}

/// A here-document whose text is still to come.
struct Pending {
    end: String,
    tabs: bool,
    quoted: bool,
}

struct Writer<'c> {
    command: &'c str,
    placeholders: &'c Placeholders<'c>,
    readers: Readers<'c>,
    frames: Vec<Frame>,
    /// The plain command that is being read in each frame of words.
    spots: Vec<Spot>,
    pending: Vec<Pending>,
    /// Where the text of the here-document that is being read ends, and the one after it begins.
    document_end: Option<usize>,
    at: usize,
    /// How many bytes values may still take.
    room: usize,
    env: BTreeMap<String, String>,
    script: Script,
}

/// Writes the script for a command. Its values may take so many bytes together.
pub(super) fn write(command: &str, placeholders: &Placeholders<'_>, room: usize) -> Script {
    let mut writer = Writer {
        command,
        placeholders,
        readers: Readers::of(command),
        frames: vec![Frame::Words],
        spots: vec![Spot::default()],
        pending: Vec::new(),
        document_end: None,
        at: 0,
        room,
        env: BTreeMap::new(),
        script: Script::default(),
    };
    while writer.at < command.len() {
        writer.step();
    }
    let mut script = writer.script;
    script.text = script.text.trim().to_owned();
    script.env = writer.env.into_iter().collect();
    script
}

impl Writer<'_> {
    fn frame(&self) -> Frame {
        self.frames.last().copied().unwrap_or(Frame::Words)
    }

    fn step(&mut self) {
        if self.document_end.is_some_and(|end| self.at >= end) {
            self.document_over();
            self.match_spots();
        }
        let rest = &self.command[self.at..];
        if rest.is_empty() {
            return;
        }
        if rest.starts_with('$') && self.placeholder() {
            return;
        }
        let frame = self.frame();
        let taken = match frame {
            Frame::Single => self.quoted(rest, '\'', false),
            Frame::Escapes => self.quoted(rest, '\'', true),
            Frame::Comment | Frame::QuotedDocument => self.plain(rest),
            Frame::Arithmetic(open) => self.arithmetic(rest, open),
            Frame::Words | Frame::Backticks => self.words(rest),
            Frame::Double | Frame::Document | Frame::Braces => self.text(rest),
        };
        self.script.text.push_str(&rest[..taken]);
        if let Some(spot) = self.spots.last_mut().filter(|_| frame.is_words()) {
            spot.see(self.command, self.at, &rest[..taken]);
        }
        self.at += taken;
        self.match_spots();
    }

    /// Begins and leaves plain commands with the frames that they are in.
    fn match_spots(&mut self) {
        let depth = self.frames.iter().filter(|frame| frame.is_words()).count();
        self.spots.resize_with(depth, Spot::default);
    }

    fn push(&mut self, frame: Frame) {
        if self.frames.len() >= MOST_NESTED {
            self.script.refused.get_or_insert(Refusal::Nested);
        } else {
            self.frames.push(frame);
        }
    }

    fn pop(&mut self) {
        if self.frames.len() > 1 {
            self.frames.pop();
        }
    }

    /// Reads a placeholder, if there is one.
    fn placeholder(&mut self) -> bool {
        let Some(found) = self.placeholders.at(self.command, self.at) else { return false };
        let written = &self.command[found.span.clone()];
        match found.what {
            What::Stays => self.script.text.push_str(written),
            What::Escaped => {
                // The backslash has been written already.
                self.script.text.pop();
                self.script.text.push_str(&written[1..]);
            }
            What::Value(_) if self.frame() == Frame::QuotedDocument => {
                self.script.kept.push((found.span.start, written.to_owned()));
                self.script.text.push_str(written);
            }
            What::Value(value) => self.reference(written, &value),
        }
        if let Some(spot) = self.spots.last_mut().filter(|_| self.frames.last().is_some_and(|frame| frame.is_words())) {
            spot.begin_word(self.at);
        }
        self.at = found.span.end;
        true
    }

    fn reference(&mut self, written: &str, value: &Value<'_>) {
        let name = &value.variable;
        let reference = match self.frame() {
            Frame::Single => format!("'\"${{{name}}}\"'"),
            Frame::Escapes => format!("'\"${{{name}}}\"$'"),
            Frame::Words | Frame::Backticks => format!("\"${{{name}}}\""),
            _ => format!("${{{name}}}"),
        };
        self.script.text.push_str(&reference);
        self.script.took |= value.is_argument;
        if let Some(refusal) = self.as_code(written, value) {
            self.script.refused.get_or_insert(refusal);
        } else if !is_plain(value.text) {
            self.judge(written);
        } else if let Some(program) = self.readers.of_input(self.frames.contains(&Frame::Document))
            && value.is_argument
            && self.frame() != Frame::Comment
        {
            let refusal = Refusal::Text { placeholder: written.to_owned(), program: program.to_owned() };
            self.script.refused.get_or_insert(refusal);
        }
        if !self.env.contains_key(name) {
            self.keep(name, value.text);
        }
    }

    /// Puts a value into the environment, if there is room.
    fn keep(&mut self, name: &str, value: &str) {
        match self.room.checked_sub(value.len()) {
            Some(room) => {
                self.room = room;
                // An environment cannot hold the character that ends its texts.
                self.env.insert(name.to_owned(), value.replace('\0', ""));
            }
            None => drop(self.script.refused.get_or_insert(Refusal::TooLong)),
        }
    }

    /// Refuses a value that would be read as code where it stands.
    fn judge(&mut self, written: &str) {
        let placeholder = || written.to_owned();
        let calculated = self.frames.iter().any(|frame| matches!(frame, Frame::Arithmetic(_) | Frame::Braces));
        let within = matches!(self.frame(), Frame::Single | Frame::Double | Frame::Escapes | Frame::Document)
            && !self.is_alone(written.len());
        let refusal = if self.frame() == Frame::Comment {
            None
        } else if calculated {
            Some(Refusal::Arithmetic { placeholder: placeholder() })
        } else {
            let program = self.readers.of_place(self.at, within);
            program.map(|program| Refusal::Program { placeholder: placeholder(), program: program.to_owned() })
        };
        if let Some(refusal) = refusal {
            self.script.refused.get_or_insert(refusal);
        }
    }

    /// Tells why an argument would be a program, or its text, whatever its value is.
    fn as_code(&self, written: &str, value: &Value<'_>) -> Option<Refusal> {
        let is_in_word = !matches!(self.frame(), Frame::Comment | Frame::Document | Frame::QuotedDocument);
        if !value.is_argument || !is_in_word {
            return None;
        }
        if self.is_command() {
            return Some(Refusal::Command { placeholder: written.to_owned() });
        }
        self.spots.last()?.refuses(self.command, self.at, written, value.text, is_plain(value.text))
    }

    /// Tells whether the name of a program is expected here.
    fn is_command(&self) -> bool {
        let before = &self.command[..self.at];
        let before = match self.frame() {
            Frame::Words | Frame::Backticks => before,
            Frame::Double | Frame::Single if before.ends_with(['"', '\'']) => &before[..self.at - 1],
            _ => return false,
        };
        let mut before = before.trim_end_matches([' ', '\t']);
        while let Some(continued) = before.strip_suffix("\\\n") {
            before = continued.trim_end_matches([' ', '\t']);
        }
        before.chars().next_back().is_none_or(|c| "\n;&|(`{!".contains(c))
    }

    /// Tells whether a placeholder is all that stands between its quotes.
    fn is_alone(&self, length: usize) -> bool {
        let quote = |c: char| matches!(c, '"' | '\'');
        self.command[..self.at].ends_with(quote) && self.command[self.at + length..].starts_with(quote)
    }

    fn quoted(&mut self, rest: &str, quote: char, escapes: bool) -> usize {
        if escapes && rest.starts_with('\\') {
            return two(rest);
        }
        if rest.starts_with(quote) {
            self.pop();
        }
        one(rest)
    }

    /// Reads a character that means nothing but itself; the line's end ends a comment.
    fn plain(&mut self, rest: &str) -> usize {
        if rest.starts_with('\n') && self.frame() == Frame::Comment {
            self.pop();
            return self.line_end();
        }
        one(rest)
    }

    fn arithmetic(&mut self, rest: &str, open: usize) -> usize {
        let open = match rest.as_bytes()[0] {
            b'(' => open + 1,
            b')' => open - 1,
            _ => return self.substitution(rest).unwrap_or_else(|| one(rest)),
        };
        self.pop();
        if open > 0 {
            self.push(Frame::Arithmetic(open));
        }
        1
    }

    /// Reads what double quotes, here-documents and braces have in common.
    fn text(&mut self, rest: &str) -> usize {
        match (self.frame(), rest.as_bytes()[0]) {
            (_, b'\\') => return two(rest),
            (Frame::Double, b'"') | (Frame::Braces, b'}') => self.pop(),
            (Frame::Braces, b'"') => self.push(Frame::Double),
            (Frame::Braces, b'\'') => self.push(Frame::Single),
            _ => return self.substitution(rest).unwrap_or_else(|| one(rest)),
        }
        1
    }

    fn words(&mut self, rest: &str) -> usize {
        match rest.as_bytes()[0] {
            b'\\' => return two(rest),
            b'\'' => self.push(Frame::Single),
            b'"' => self.push(Frame::Double),
            b'(' if rest.starts_with("((") => {
                self.push(Frame::Arithmetic(2));
                return 2;
            }
            b'(' => self.push(Frame::Words),
            b')' => self.pop(),
            b'#' if self.command[..self.at].chars().next_back().is_none_or(starts_comment) => self.push(Frame::Comment),
            b'<' if rest.starts_with("<<<") => return 3,
            b'<' if rest.starts_with("<<") => return self.document(rest),
            b'\n' => return self.line_end(),
            b'$' if rest.starts_with("$'") => {
                self.push(Frame::Escapes);
                return 2;
            }
            _ => return self.substitution(rest).unwrap_or_else(|| one(rest)),
        }
        1
    }

    /// Reads the start of something that the shell fills in, or the end of backticks.
    fn substitution(&mut self, rest: &str) -> Option<usize> {
        if rest.starts_with('`') {
            match self.frames.iter().rposition(|frame| *frame == Frame::Backticks) {
                Some(open) => self.frames.truncate(open.max(1)),
                None => self.push(Frame::Backticks),
            }
            return Some(1);
        }
        let (frame, length) = match rest {
            _ if rest.starts_with("$((") => (Frame::Arithmetic(2), 3),
            _ if rest.starts_with("$[") => (Frame::Arithmetic(1), 2),
            _ if rest.starts_with("$(") => (Frame::Words, 2),
            _ if rest.starts_with("${") => (Frame::Braces, 2),
            _ => return None,
        };
        self.push(frame);
        Some(length)
    }

    /// Reads the mark of a here-document: `<<END`, `<<-END`, `<<'END'`.
    fn document(&mut self, rest: &str) -> usize {
        let tabs = rest[2..].starts_with('-');
        let mark = rest[2 + usize::from(tabs)..].trim_start_matches([' ', '\t']);
        let word = mark.find(|c: char| c.is_whitespace() || matches!(c, ';' | '&' | '|' | '<' | '>' | '(' | ')'));
        let word = &mark[..word.unwrap_or(mark.len())];
        let quote = |c: char| matches!(c, '\'' | '"' | '\\');
        if !word.is_empty() {
            self.pending.push(Pending { end: word.replace(quote, ""), tabs, quoted: word.contains(quote) });
        }
        rest.len() - mark.len() + word.len()
    }

    /// Goes over the end of a line, after which the text of here-documents begins.
    fn line_end(&mut self) -> usize {
        if !self.pending.is_empty() {
            self.document_begins(self.at + 1);
        }
        1
    }

    fn document_begins(&mut self, at: usize) {
        let pending = self.pending.remove(0);
        let mut end = at.min(self.command.len());
        for line in self.command[end..].split_inclusive('\n') {
            let bare = line.trim_end_matches('\n');
            let bare = if pending.tabs { bare.trim_start_matches('\t') } else { bare };
            if bare == pending.end {
                break;
            }
            end += line.len();
        }
        self.document_end = Some(end);
        // The frame must be there for the text to be safe, however deep it is.
        self.frames.push(if pending.quoted { Frame::QuotedDocument } else { Frame::Document });
    }

    /// Leaves a here-document and whatever was left open in it, and copies the line that ends it.
    fn document_over(&mut self) {
        self.document_end = None;
        let is_document = |frame: &Frame| matches!(frame, Frame::Document | Frame::QuotedDocument);
        if let Some(open) = self.frames.iter().rposition(is_document) {
            self.frames.truncate(open.max(1));
        }
        let line = self.command[self.at..].split_inclusive('\n').next().unwrap_or_default();
        self.script.text.push_str(line);
        self.at += line.len();
        if !self.pending.is_empty() {
            self.document_begins(self.at);
        }
    }
}

fn one(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

fn two(text: &str) -> usize {
    let first = one(text);
    // A dollar sign stays to be looked at: the host decides what a backslash before it means.
    if text[first..].starts_with('$') { first } else { first + one(&text[first..]) }
}

fn starts_comment(before: char) -> bool {
    before.is_whitespace() || matches!(before, ';' | '&' | '|' | '(' | ')')
}

/// Tells whether a value means nothing but itself wherever it stands.
fn is_plain(value: &str) -> bool {
    value.len() <= MOST_PLAIN && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_./:@%+,-".contains(&byte))
}
