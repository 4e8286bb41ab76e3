//! The text of a skill when it is called: arguments, commands and names of files are found in one pass.
//!
//! Nothing is read or run here. [`expand`] returns pieces: text, and commands that somebody may run; [`Expanded`] puts
//! their output into place. What arguments say and what commands print is never looked through again.

mod code;
mod command;
mod file;
mod placeholder;
mod readers;
mod refusal;
mod script;
mod spot;
mod walk;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::ops::Range;

pub(crate) use self::command::last;
pub use self::refusal::Refusal;
use crate::arguments::Arguments;
use crate::host::{ArgumentRules, BlockForm, Callers, FileRules, Host, ShellRules, Variable};
use crate::text::fill;

/// Most names of arguments that count.
const MOST_NAMES: usize = 64;

/// Known values, by what they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variables {
    values: BTreeMap<Variable, String>,
}

impl Variables {
    /// Adds a value. A placeholder for one that was not added stays as it is written.
    #[must_use]
    pub fn with(mut self, variable: Variable, value: impl Into<String>) -> Variables {
        self.values.insert(variable, value.into());
        self
    }

    /// Returns a value.
    pub fn get(&self, variable: Variable) -> Option<&str> {
        self.values.get(&variable).map(String::as_str)
    }
}

/// The rules by which one skill's text is read for one caller.
#[derive(Clone, Debug, Default)]
pub struct Expansion<'h> {
    arguments: Option<&'h ArgumentRules>,
    shell: Option<&'h ShellRules>,
    files: Option<&'h FileRules>,
    /// Names of arguments, in the order of the arguments.
    names: Vec<&'h str>,
}

impl Host {
    /// Returns the rules by which a skill's text is read, when the user or the model calls it.
    ///
    /// `names` are what the skill's frontmatter lists under `arguments`.
    pub fn expansion<'h>(&'h self, by_user: bool, names: &'h [String]) -> Expansion<'h> {
        let counts = |callers| by_user || callers == Callers::Anyone;
        let arguments = self.arguments.as_ref().filter(|rules| counts(rules.callers));
        let named = arguments.is_some_and(|rules| rules.named);
        Expansion {
            arguments,
            shell: self.shell.as_ref().filter(|rules| counts(rules.callers)),
            files: self.files.as_ref().filter(|rules| counts(rules.callers)),
            names: names.iter().filter(|name| named && is_name(name)).take(MOST_NAMES).map(String::as_str).collect(),
        }
    }
}

impl Expansion<'_> {
    /// Tells whether code is read like any other text, so that it need not be found.
    fn looks_into_code(&self) -> bool {
        self.arguments.is_none_or(|rules| rules.in_code)
            && self.shell.is_none_or(|rules| rules.in_code && rules.block != BlockForm::Fence)
            && self.files.is_none_or(|rules| rules.in_code)
    }
}

/// Tells whether an argument can have a name; one of digits alone would be its number.
fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.bytes().all(|byte| byte.is_ascii_digit())
}

/// A text in pieces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expanded {
    /// Text and commands, in order.
    pub pieces: Vec<Piece>,
    /// Files that the text names, each once, in order.
    pub files: Vec<FileRef>,
    /// What looks like a placeholder, a command or a file, and was left alone.
    pub left_alone: Vec<LeftAlone>,
    /// What follows the text because no placeholder took the arguments.
    pub appended: Option<String>,
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Text as the model gets it.
    Text(String),
    /// A command whose output takes its place.
    Shell(ShellPiece),
}

/// A command in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellPiece {
    /// The whole mark as it stands in the text.
    pub written: String,
    /// The command as its author wrote it.
    pub command: String,
    /// What a shell is given: arguments and known values are references to `env`.
    pub script: String,
    /// Variables that the script refers to.
    pub env: Vec<(String, String)>,
    /// Why it must not be run with these arguments, if so.
    pub refused: Option<Refusal>,
    /// The line it begins on, counted from 1.
    pub line: usize,
}

/// The name of a file in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRef {
    /// As it stands in the text, with the mark.
    pub written: String,
    /// The path alone.
    pub path: String,
    /// Where it stands in the text that was read, in bytes.
    pub place: Range<usize>,
    /// The line, counted from 1.
    pub line: usize,
}

/// Something that was left alone although it looks as if it meant something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftAlone {
    /// As it stands in the text.
    pub written: String,
    /// The line, counted from 1.
    pub line: usize,
    /// Why.
    pub why: WhyLeft,
}

/// Why something was left alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhyLeft {
    /// It stands in a code span or a code fence.
    Code,
    /// It stands in a comment.
    Comment,
    /// It stands where a shell takes every character for itself.
    QuotedText,
    /// Commands are switched off; the host's text for that took its place.
    SwitchedOff,
    /// More files or commands are named than are taken.
    TooMany,
    /// The text would become too long.
    TooLong,
}

/// Reads a text by a host's rules. Without arguments, placeholders are treated as if nothing had been typed.
pub fn expand(body: &str, rules: &Expansion<'_>, arguments: Option<&Arguments>, variables: &Variables) -> Expanded {
    let none = Arguments::default();
    let arguments = arguments.unwrap_or(&none);
    let regions = if rules.looks_into_code() { Vec::new() } else { code::regions(body, rules.shell) };
    let found = placeholder::Placeholders::new(rules, arguments, variables, body, &regions);
    let mut walk = walk::Walk::new(body, rules, &found, &regions);
    walk.run();
    let (mut expanded, took) = walk.finish();
    if !took && !arguments.is_empty() {
        let append = rules.arguments.and_then(|rules| rules.append.as_deref());
        expanded.appended = append.map(|text| fill(text, &[("arguments", arguments.raw())]));
    }
    expanded
}

impl Expanded {
    /// Returns the commands, in order.
    pub fn commands(&self) -> impl Iterator<Item = &ShellPiece> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Shell(shell) => Some(shell),
            Piece::Text(_) => None,
        })
    }

    /// Returns the text with the output of each command in its place, and what follows it.
    pub fn assemble<O: AsRef<str>>(&self, outputs: &[O]) -> String {
        let mut text = self.body(outputs);
        text.push_str(self.appended.as_deref().unwrap_or_default());
        text
    }

    /// Returns the text with the output of each command in its place. A command without one stays as it is written.
    pub fn body<O: AsRef<str>>(&self, outputs: &[O]) -> String {
        let mut outputs = outputs.iter();
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(part) => text.push_str(part),
                Piece::Shell(shell) => text.push_str(outputs.next().map_or(&shell.written, AsRef::as_ref)),
            }
        }
        text
    }
}
