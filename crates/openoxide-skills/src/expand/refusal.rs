//! The reasons why a command must not run with the arguments that were typed.

use openoxide_permissions::Lexer;

/// Why a command must not be run with the arguments that were given.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandRefusal {
    /// An argument would be calculated with.
    #[error("`{placeholder}` stands where the shell calculates, and its value is more than a plain word")]
    Arithmetic {
        /// The placeholder, as written.
        placeholder: String,
    },
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
    #[error("`{placeholder}` stands where the name of a program is expected")]
    Command {
        /// The placeholder, as written.
        placeholder: String,
    },
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
