//! A skill's text taken apart: text, commands, names of files, and what was left alone.

use openoxide_permissions::Lexer;

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
    pub refused: Option<CommandRefusal>,
}

/// Why a command must not be run with the arguments that were given: the placeholder, as written, and what it would do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandRefusal {
    /// An argument would be calculated with.
    #[error("`{0}` stands where the shell calculates, and its value is more than a plain word")]
    Arithmetic(String),
    /// An argument would be part of a program.
    #[error(
        "`{placeholder}` stands in text that `{program}` reads as a program, and its value is more than a plain word"
    )]
    Program {
        /// The placeholder, as written.
        placeholder: String,
        /// What would read it.
        program: String,
    },
    /// An argument would decide which program is run.
    #[error("`{0}` stands where the name of a program is expected")]
    Command(String),
    /// An argument would be a program, or the file of one.
    #[error("`{placeholder}` stands where `{program}` expects what it is to run")]
    Text {
        /// The placeholder, as written.
        placeholder: String,
        /// What would run it.
        program: String,
    },
    /// An argument would be an option that may hold a program.
    #[error("the value of `{placeholder}` begins like an option, and options of `{program}` can hold a program")]
    Option {
        /// The placeholder, as written.
        placeholder: String,
        /// What would read it.
        program: String,
    },
    /// The command is nested too deeply to be followed.
    #[error("quotes and substitutions are nested more than {} deep", Lexer::MAX_DEPTH)]
    Nested,
    /// The values are too long together.
    #[error("the arguments are too long for this many placeholders")]
    TooLong,
}

/// The name of a file in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRef {
    /// As it stands in the text, with the mark.
    pub written: String,
    /// The path alone.
    pub path: String,
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
    pub why: LeftAloneReason,
}

/// Why something was left alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftAloneReason {
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
