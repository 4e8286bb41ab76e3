//! Follows the words of one simple command, to tell what a placeholder in it would be: data, or a program.
//!
//! A value is always one word, or part of one. It must still not be the name of a program, nor a program's text: `env`,
//! `timeout` or `if` run what stands after them, and `awk`, `sed` or `python3` read it. Where it is not certain which word
//! that is, because an option may take the next one, both count.

use openoxide_permissions::{Leading, leading};

use super::pieces::CommandRefusal;
use super::readers::{FILTERS, INTERPRETERS, program};

/// Beside interpreters: what runs a file or a text that is named after it, or after a first word of another kind.
const RUNNERS: &[&str] = &["source", ".", "trap", "ssh", "su", "chroot", "flock", "taskset"];

/// Options of `find` after which a command stands.
const COMMAND_OPTIONS: &[&str] = &["-exec", "-execdir", "-ok", "-okdir"];

/// Options of filters whose value is data.
const DATA_OPTIONS: &[&str] = &["-v", "-F", "--assign", "--field-separator"];

/// Options of interpreters whose value is not the program yet.
const VALUE_OPTIONS: &[&str] =
    &["-W", "-X", "-o", "+o", "-O", "+O", "-I", "-d", "-r", "--require", "--import", "--rcfile"];

/// How much of a word before a placeholder is looked at; a longer name of a variable is taken for a program.
const MOST_LOOKED_AT: usize = 200;

/// Longest value that is taken for a plain word.
const MOST_PLAIN: usize = 1000;

/// What a program does with the words after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Its first text is a program; options count anywhere.
    Filter,
    /// It runs what is named first; what follows is data.
    Interpreter,
    /// It runs something of what follows.
    Runner,
}

/// A program that reads or runs one of the words after it.
struct CodeReader {
    name: String,
    kind: Kind,
    /// The program's text or file is still to come.
    wants: bool,
    /// The word after this is the last option's value.
    value: bool,
    /// The word after this is the program's text, by an option.
    text: bool,
    /// No option can follow.
    plain: bool,
}

impl CodeReader {
    fn of(word: &str) -> Option<CodeReader> {
        let name = program(word);
        let kind = match name {
            _ if FILTERS.contains(&name) => Kind::Filter,
            _ if INTERPRETERS.contains(&name) => Kind::Interpreter,
            _ if RUNNERS.contains(&name) => Kind::Runner,
            _ => return None,
        };
        Some(CodeReader { name: name.to_owned(), kind, wants: true, value: false, text: false, plain: false })
    }

    fn take(&mut self, word: &str) {
        let is_option = !self.plain && word.len() > 1 && word.starts_with(['-', '+']);
        if is_option && !self.value {
            self.plain = word == "--";
            let options = if self.kind == Kind::Filter { DATA_OPTIONS } else { VALUE_OPTIONS };
            self.value = options.contains(&word);
            self.text = !self.value && !word.contains('=') && names_text(word);
        } else if !std::mem::take(&mut self.value) {
            self.text = false;
            self.wants = self.kind == Kind::Runner;
        }
    }

    /// Tells why a value may not stand here, after this part of its word.
    fn refuses(&self, written: &str, before: &str, value: &str) -> Option<CommandRefusal> {
        let (placeholder, program) = (written.to_owned(), self.name.clone());
        let is_data = self.kind == Kind::Filter && (self.value || before.starts_with("-v") || before.starts_with("-F"));
        if is_data {
            return None;
        }
        if self.wants || self.text {
            let is_text = self.text || self.kind == Kind::Filter;
            let is_part = is_text && !before.is_empty() && !before.starts_with('-');
            return match is_part {
                false => Some(CommandRefusal::Text { placeholder, program }),
                true => (!is_plain(value)).then_some(CommandRefusal::Program { placeholder, program }),
            };
        }
        let is_option = before.is_empty() && value.starts_with(['-', '+']) && !self.plain;
        (self.kind == Kind::Filter && is_option).then_some(CommandRefusal::Option { placeholder, program })
    }
}

/// Tells whether the next word after an option may be a program's text.
fn names_text(option: &str) -> bool {
    let long = ["expression", "file", "eval", "command", "exec", "print", "run", "source"];
    match option.strip_prefix("--") {
        Some(name) => long.iter().any(|one| name.starts_with(one)),
        None => option.ends_with(['c', 'e', 'E', 'f', 'm', 'p', 'r']),
    }
}

#[derive(Default)]
pub(super) struct SimpleCommand {
    /// Where the word begins that is being read.
    word: Option<usize>,
    /// That word is a file to read from or write to.
    redirected: bool,
    /// The program has its name: the next word cannot be it.
    named: bool,
    /// Something stands before the program that runs it.
    wrapped: bool,
    /// The last word was an option that may take the next one.
    after_option: bool,
    reader: Option<CodeReader>,
}

impl SimpleCommand {
    /// Goes over a piece of the command that stands outside quotes.
    pub(super) fn see(&mut self, command: &str, at: usize, piece: &str) {
        let before = command[..at].chars().next_back();
        let is_redirection = matches!(before, Some('<' | '>')) || command[at..].starts_with("&>");
        match piece.chars().next() {
            Some(' ' | '\t' | '\r') => self.end_word(command, at),
            Some('&' | '|') if is_redirection => {}
            Some('(') if is_redirection => {
                self.redirected = false;
                self.begin_word(at);
            }
            Some('\n' | ';' | '&' | '|' | '(' | ')') => *self = SimpleCommand::default(),
            Some('<' | '>') => {
                let is_number = |start: usize| command[start..at].bytes().all(|byte| byte.is_ascii_digit());
                self.word = self.word.filter(|start| !is_number(*start));
                self.end_word(command, at);
                // The mark of a here-document is part of its piece.
                self.redirected = piece.len() == 1 || piece == "<<<";
            }
            Some('\\') if piece.ends_with('\n') => {}
            Some('#') if self.word.is_none() => {}
            Some(_) => self.begin_word(at),
            None => {}
        }
    }

    pub(super) fn begin_word(&mut self, at: usize) {
        self.word.get_or_insert(at);
    }

    fn end_word(&mut self, command: &str, at: usize) {
        let Some(start) = self.word.take() else { return };
        if !std::mem::take(&mut self.redirected) {
            self.take(&bare(&command[start..at]));
        }
    }

    fn take(&mut self, word: &str) {
        if let Some(reader) = &mut self.reader {
            reader.take(word);
        }
        if COMMAND_OPTIONS.contains(&word) {
            (self.named, self.wrapped, self.after_option) = (false, false, false);
        } else if !self.named {
            self.take_program(word);
        }
    }

    /// Takes a word where the name of a program may stand.
    fn take_program(&mut self, word: &str) {
        let after_option = std::mem::take(&mut self.after_option);
        match leading(word) {
            Some(Leading::Assignment | Leading::Opener) => {}
            Some(Leading::Wrapper) => self.wrapped = true,
            Some(Leading::Reserved) => self.named = true,
            None if self.wrapped && word.starts_with(['-', '+']) => {
                let has_value = word.contains('=') || word == "--" || word.ends_with(|c: char| c.is_ascii_digit());
                self.after_option = !has_value;
            }
            None if self.wrapped && (is_duration(word) || is_variable(word)) => {}
            None => {
                self.reader = CodeReader::of(word).or(self.reader.take());
                self.named = !after_option;
            }
        }
    }

    pub(super) fn refuses(&self, command: &str, at: usize, written: &str, value: &str) -> Option<CommandRefusal> {
        if self.redirected {
            let runs = |reader: &&CodeReader| reader.kind == Kind::Interpreter && reader.wants;
            let program = self.reader.as_ref().filter(runs)?.name.clone();
            return Some(CommandRefusal::Text { placeholder: written.to_owned(), program });
        }
        let before = &command[self.word.unwrap_or(at)..at];
        let before = bare(&before[..before.floor_char_boundary(MOST_LOOKED_AT)]);
        if !self.named && leading(&before) != Some(Leading::Assignment) {
            return Some(CommandRefusal::Command(written.to_owned()));
        }
        self.reader.as_ref().and_then(|reader| reader.refuses(written, &before, value))
    }
}

fn bare(word: &str) -> String {
    word.chars().filter(|c| !matches!(c, '"' | '\'' | '\\' | '\n')).collect()
}

/// Tells whether a word is a number, or a time such as `5s`.
fn is_duration(word: &str) -> bool {
    word.strip_suffix(['s', 'm', 'h', 'd']).unwrap_or(word).parse::<f64>().is_ok()
}

/// Tells whether a word is nothing but a variable: it may hold anything.
fn is_variable(word: &str) -> bool {
    let name = word.strip_prefix('$').map(|name| name.trim_start_matches('{').trim_end_matches('}'));
    name.is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'))
}

/// Tells whether a value means nothing but itself wherever it stands.
pub(super) fn is_plain(value: &str) -> bool {
    value.len() <= MOST_PLAIN && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_./:@%+,-".contains(&byte))
}
