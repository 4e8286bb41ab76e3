//! Writes the shell script for a command: each placeholder becomes a reference to an environment variable.
//!
//! The author's text is followed from quote to quote, so that a value is one word where a word is meant. A value itself
//! is never part of the script: if the guess about quotes is wrong, a reference is not expanded or splits into words,
//! and still nothing of it is run. Two places remain where a shell, or another program, would read a value as code:
//! inside arithmetic, and in text that is handed on as a program. There only harmless values are let through.

use std::collections::BTreeMap;

use openoxide_permissions::{Frame, Lexer, ShellToken};

use super::placeholder::{Placeholders, Replacement, Value};
use super::simple_command::{SimpleCommand, is_plain};
use super::{pieces::CommandRefusal, readers::Readers};

#[derive(Debug, Default)]
pub(super) struct Script {
    pub(super) text: String,
    pub(super) env: Vec<(String, String)>,
    pub(super) refused: Option<CommandRefusal>,
    /// Placeholders that were left alone, and where they stand in the command.
    pub(super) kept: Vec<(usize, String)>,
    /// Whether a placeholder took an argument.
    pub(super) took: bool,
}

struct Writer<'c> {
    command: &'c str,
    placeholders: &'c Placeholders<'c>,
    readers: Readers<'c>,
    lexer: Lexer<'c>,
    /// The simple command that is being read in each frame of words.
    commands: Vec<SimpleCommand>,
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
        lexer: Lexer::new(command),
        commands: vec![SimpleCommand::default()],
        room,
        env: BTreeMap::new(),
        script: Script::default(),
    };
    while !writer.lexer.rest().is_empty() {
        writer.step();
    }
    let mut script = writer.script;
    script.text = script.text.trim().to_owned();
    script.env = writer.env.into_iter().collect();
    script
}

impl Writer<'_> {
    fn step(&mut self) {
        let may_be_placeholder = self.lexer.rest().starts_with('$') && !self.lexer.is_at_document_end();
        if may_be_placeholder && self.placeholder() {
            return;
        }
        let Some(ShellToken { start, text, frame }) = self.lexer.next() else { return };
        self.script.text.push_str(text);
        if let Some(command) = self.commands.last_mut().filter(|_| frame.is_words()) {
            command.see(self.command, start, text);
        }
        if self.lexer.is_too_deep() {
            self.script.refused.get_or_insert(CommandRefusal::Nested);
        }
        // Simple commands begin and end with the frames that they are in.
        let depth = self.lexer.frames().iter().filter(|frame| frame.is_words()).count();
        self.commands.resize_with(depth, SimpleCommand::default);
    }

    fn placeholder(&mut self) -> bool {
        let Some(found) = self.placeholders.at(self.command, self.lexer.at()) else { return false };
        let written = &self.command[found.span.clone()];
        match found.what {
            Replacement::Stays => self.script.text.push_str(written),
            Replacement::Escaped => {
                // The backslash has been written already.
                self.script.text.pop();
                self.script.text.push_str(&written[1..]);
            }
            Replacement::Value(_) if self.lexer.frame() == Frame::QuotedDocument => {
                self.script.kept.push((found.span.start, written.to_owned()));
                self.script.text.push_str(written);
            }
            Replacement::Value(value) => self.reference(written, &value),
        }
        if let Some(command) = self.commands.last_mut().filter(|_| self.lexer.frame().is_words()) {
            command.begin_word(self.lexer.at());
        }
        self.lexer.skip_to(found.span.end);
        true
    }

    fn reference(&mut self, written: &str, value: &Value<'_>) {
        let name = &value.variable;
        let reference = match self.lexer.frame() {
            Frame::Single => format!("'\"${{{name}}}\"'"),
            Frame::Escapes => format!("'\"${{{name}}}\"$'"),
            Frame::Words | Frame::Backticks => format!("\"${{{name}}}\""),
            _ => format!("${{{name}}}"),
        };
        self.script.text.push_str(&reference);
        self.script.took |= value.is_argument;
        if let Some(refusal) = self.as_code(written, value).or_else(|| self.as_input(written, value)) {
            self.script.refused.get_or_insert(refusal);
        }
        if !self.env.contains_key(name) {
            self.keep(name, value.text);
        }
    }

    fn keep(&mut self, name: &str, value: &str) {
        match self.room.checked_sub(value.len()) {
            Some(room) => {
                self.room = room;
                // An environment cannot hold the character that ends its texts.
                self.env.insert(name.to_owned(), value.replace('\0', ""));
            }
            None => drop(self.script.refused.get_or_insert(CommandRefusal::TooLong)),
        }
    }

    /// Tells why a value would be read as code where it stands: a plain word only if it is all that a program reads.
    fn as_input(&self, written: &str, value: &Value<'_>) -> Option<CommandRefusal> {
        let placeholder = written.to_owned();
        if self.lexer.frame() == Frame::Comment {
            return None;
        }
        if is_plain(value.text) {
            let program = self.readers.of_input(self.lexer.frames().contains(&Frame::Document));
            let program = program.filter(|_| value.is_argument)?.to_owned();
            return Some(CommandRefusal::Text { placeholder, program });
        }
        if self.lexer.frames().iter().any(|frame| matches!(frame, Frame::Arithmetic(_) | Frame::Braces)) {
            return Some(CommandRefusal::Arithmetic(placeholder));
        }
        let within = matches!(self.lexer.frame(), Frame::Single | Frame::Double | Frame::Escapes | Frame::Document)
            && !self.is_alone(written.len());
        let program = self.readers.of_place(self.lexer.at(), within)?.to_owned();
        Some(CommandRefusal::Program { placeholder, program })
    }

    /// Tells why an argument would be a program, or its text, whatever its value is.
    fn as_code(&self, written: &str, value: &Value<'_>) -> Option<CommandRefusal> {
        let is_in_word = !matches!(self.lexer.frame(), Frame::Comment | Frame::Document | Frame::QuotedDocument);
        if !value.is_argument || !is_in_word {
            return None;
        }
        if self.is_command() {
            return Some(CommandRefusal::Command(written.to_owned()));
        }
        self.commands.last()?.refuses(self.command, self.lexer.at(), written, value.text)
    }

    /// Tells whether the name of a program is expected here.
    fn is_command(&self) -> bool {
        let before = &self.command[..self.lexer.at()];
        let before = match self.lexer.frame() {
            Frame::Words | Frame::Backticks => before,
            Frame::Double | Frame::Single if before.ends_with(['"', '\'']) => &before[..self.lexer.at() - 1],
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
        self.command[..self.lexer.at()].ends_with(quote) && self.command[self.lexer.at() + length..].starts_with(quote)
    }
}
