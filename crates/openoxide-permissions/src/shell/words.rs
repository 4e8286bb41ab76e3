//! Reads plain commands: words, and the operators between commands. Whatever is more than that is unknown.

use crate::{Frame, Lexer, ShellToken};

/// A word of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Word {
    /// As it is written.
    pub(super) written: String,
    /// Without its quotes.
    pub(super) plain: String,
}

/// Reads a text as commands, each a list of words; `None` if it is more than that.
pub(super) fn read(text: &str) -> Option<Vec<Vec<Word>>> {
    let mut reader = CommandReader { lexer: Lexer::new(text), word: None, words: Vec::new(), commands: Vec::new() };
    while !reader.lexer.rest().is_empty() {
        reader.step()?;
    }
    if reader.lexer.frames() != [Frame::Words] {
        return None;
    }
    reader.end_word();
    // A text may end with `;` or a new line, and with no other operator.
    if !reader.words.is_empty() {
        reader.end_command()?;
    }
    let complete = text.trim_end().chars().next_back().is_some_and(|last| !matches!(last, '&' | '|'));
    Some(reader.commands).filter(|commands| !commands.is_empty() && complete)
}

struct CommandReader<'t> {
    lexer: Lexer<'t>,
    word: Option<Word>,
    words: Vec<Word>,
    commands: Vec<Vec<Word>>,
}

impl CommandReader<'_> {
    /// Takes the next token; `None` if it is unknown.
    fn step(&mut self) -> Option<()> {
        if self.lexer.rest().starts_with('$') && self.lexer.frame() != Frame::Single {
            return self.variable();
        }
        let ShellToken { text, frame, .. } = self.lexer.next()?;
        let mut characters = text.chars();
        let (character, None) = (characters.next()?, characters.next()) else { return None };
        match (frame, character) {
            (Frame::Words, _) => self.unquoted(character),
            (Frame::Single, '\'') | (Frame::Double, '"') => {
                self.word().written.push(character);
                Some(())
            }
            (Frame::Double, '`' | '\\') => None,
            (Frame::Single | Frame::Double, _) if is_quotable(character) => {
                self.push(character);
                Some(())
            }
            _ => None,
        }
    }

    fn unquoted(&mut self, character: char) -> Option<()> {
        match character {
            ' ' | '\t' => self.end_word(),
            '\n' => {
                self.end_word();
                if !self.words.is_empty() {
                    self.end_command()?;
                }
            }
            ';' => self.end_command()?,
            '&' => {
                self.lexer.rest().starts_with('&').then(|| self.lexer.next())?;
                self.end_command()?;
            }
            '|' => {
                if self.lexer.rest().starts_with('|') {
                    self.lexer.next();
                }
                self.end_command()?;
            }
            '\'' | '"' => self.word().written.push(character),
            '#' if self.word.is_none() => return None,
            _ if is_literal(character) => self.push(character),
            _ => return None,
        }
        Some(())
    }

    fn word(&mut self) -> &mut Word {
        self.word.get_or_insert_default()
    }

    /// Adds a character that stands for itself.
    fn push(&mut self, character: char) {
        let word = self.word();
        word.written.push(character);
        word.plain.push(character);
    }

    fn end_word(&mut self) {
        self.words.extend(self.word.take());
    }

    /// Ends a command; an empty one is unknown.
    fn end_command(&mut self) -> Option<()> {
        self.end_word();
        if self.words.is_empty() {
            return None;
        }
        self.commands.push(std::mem::take(&mut self.words));
        Some(())
    }

    /// Takes `$NAME`, `$1` or `${NAME}`, which can only become text.
    fn variable(&mut self) -> Option<()> {
        let rest = self.lexer.rest();
        let length = variable_length(rest)?;
        rest[..length].chars().for_each(|character| self.push(character));
        self.lexer.skip_to(self.lexer.at() + length);
        Some(())
    }
}

/// Returns the length of the plain variable that a text begins with.
fn variable_length(text: &str) -> Option<usize> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let (start, is_braced) = if text.starts_with("${") { (2, true) } else { (1, false) };
    let name = text[start..].bytes().take_while(|byte| is_part(*byte)).count();
    match name {
        0 => None,
        _ if is_braced => text[start + name..].starts_with('}').then_some(start + name + 1),
        // Of `$12` the shell takes `$1`, and `2` is text.
        _ if text.as_bytes()[start].is_ascii_digit() => Some(start + 1),
        _ => Some(start + name),
    }
}

/// Returns whether a character stands for itself outside quotes, or for names of files.
fn is_literal(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_graphic() && !"'\"`$\\;&|<>(){}".contains(character);
    }
    character.is_alphanumeric()
}

/// Returns whether a character stands for itself in quotes and can be seen there.
fn is_quotable(character: char) -> bool {
    !character.is_control() || matches!(character, '\n' | '\t')
}
