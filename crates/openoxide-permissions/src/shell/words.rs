//! Reads words and the signs between commands.

use std::iter::Peekable;
use std::str::Chars;

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
    let mut reader = Reader { rest: text.chars().peekable(), word: None, words: Vec::new(), commands: Vec::new() };
    while let Some(character) = reader.rest.next() {
        reader.take(character)?;
    }
    reader.end_word();
    // A text may end with `;` or a new line, and with no other sign.
    if !reader.words.is_empty() {
        reader.end_command()?;
    }
    let complete = text.trim_end().chars().next_back().is_some_and(|last| !matches!(last, '&' | '|'));
    Some(reader.commands).filter(|commands| !commands.is_empty() && complete)
}

struct Reader<'t> {
    rest: Peekable<Chars<'t>>,
    word: Option<Word>,
    words: Vec<Word>,
    commands: Vec<Vec<Word>>,
}

impl Reader<'_> {
    /// Takes what begins with a character; `None` if that is unknown.
    fn take(&mut self, character: char) -> Option<()> {
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
                self.rest.next_if_eq(&'&')?;
                self.end_command()?;
            }
            '|' => {
                self.rest.next_if_eq(&'|');
                self.end_command()?;
            }
            '\'' => self.single()?,
            '"' => self.double()?,
            '$' => self.variable()?,
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

    fn single(&mut self) -> Option<()> {
        self.word().written.push('\'');
        loop {
            match self.rest.next()? {
                '\'' => break,
                inner if is_quotable(inner) => self.push(inner),
                _ => return None,
            }
        }
        self.word().written.push('\'');
        Some(())
    }

    fn double(&mut self) -> Option<()> {
        self.word().written.push('"');
        loop {
            match self.rest.next()? {
                '"' => break,
                '$' => self.variable()?,
                '`' | '\\' => return None,
                inner if is_quotable(inner) => self.push(inner),
                _ => return None,
            }
        }
        self.word().written.push('"');
        Some(())
    }

    /// Takes `$NAME`, `$1` or `${NAME}`, which can only become text.
    fn variable(&mut self) -> Option<()> {
        self.push('$');
        let is_braced = self.rest.next_if_eq(&'{').is_some();
        if is_braced {
            self.push('{');
        }
        let first = self.rest.next_if(|next| next.is_ascii_alphanumeric() || *next == '_')?;
        self.push(first);
        if is_braced || !first.is_ascii_digit() {
            while let Some(next) = self.rest.next_if(|next| next.is_ascii_alphanumeric() || *next == '_') {
                self.push(next);
            }
        }
        if is_braced {
            self.rest.next_if_eq(&'}')?;
            self.push('}');
        }
        Some(())
    }
}

/// Tells whether a character stands for itself outside quotes, or for names of files.
fn is_literal(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_graphic() && !"'\"`$\\;&|<>(){}".contains(character);
    }
    character.is_alphanumeric()
}

/// Tells whether a character stands for itself in quotes and can be seen there.
fn is_quotable(character: char) -> bool {
    !character.is_control() || matches!(character, '\n' | '\t')
}
