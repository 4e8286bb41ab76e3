//! Splits a shell text into plain commands, or reports that it is more than that.
//!
//! It knows words, quotes, plain variables and the operators between commands. Everything else is *unknown*, so that a
//! mistake here can only lead to a question. A grammar of the whole language would know more texts, and we would have to
//! judge every construct that it knows.

use self::leading::{OPENERS, RESERVED};
use self::words::Word;

mod leading;
mod lexer;
mod parts;
mod words;

pub use leading::{Leading, leading};
pub use lexer::{Frame, Lexer, ShellToken};

/// The longest text that is split, in bytes.
const MAX_TEXT: usize = 64 * 1024;

/// The result of splitting a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Split {
    /// Plain commands, all of which run or may run.
    Commands(Vec<Simple>),
    /// Anything else. The parts are a guess: forms under which something in it might be denied.
    Unknown { parts: Vec<String> },
}

/// A plain command: a program's name and its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Simple {
    /// The words as they are written, one blank between them.
    pub(crate) written: String,
    /// Other forms that mean the same, or run the same program.
    pub(crate) forms: Vec<String>,
}

/// Splits a text.
pub(crate) fn split(text: &str) -> Split {
    let commands = if text.len() <= MAX_TEXT { words::read(text) } else { None };
    match commands.and_then(|commands| commands.iter().map(|words| simple(words)).collect()) {
        Some(commands) => Split::Commands(commands),
        None => Split::Unknown { parts: parts::guess(text) },
    }
}

/// Makes a command of its words; `None` if the first one may be anything but a program's name.
fn simple(words: &[Word]) -> Option<Simple> {
    let name = &words.first()?.written;
    let plain = |character: char| character.is_ascii_alphanumeric() || "_./+-@%:,".contains(character);
    if !name.chars().all(plain) || OPENERS.contains(&name.as_str()) || RESERVED.contains(&name.as_str()) {
        return None;
    }
    let join = |text: fn(&Word) -> &str| words.iter().map(text).collect::<Vec<_>>().join(" ");
    let written = join(|word| &word.written);
    let unquoted: Vec<&str> = words.iter().map(|word| word.plain.as_str()).collect();
    Some(Simple { forms: parts::forms(&unquoted), written })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        match split(text) {
            Split::Commands(commands) => {
                let found: Vec<&str> = commands.iter().map(|command| command.written.as_str()).collect();
                assert_eq!(found, expected, "{text:?}");
            }
            Split::Unknown { .. } => assert!(expected.is_empty(), "{text:?} is unknown"),
        }
    }

    #[test]
    fn plain_commands() {
        check("git status", &["git status"]);
        check("  git \t status  ", &["git status"]);
        check(
            "git a; git b && git c || git d | git e\ngit f;",
            &["git a", "git b", "git c", "git d", "git e", "git f"],
        );
        check(
            "git log -n 3 'a; b' \"c && $X\" *.rs ~/x $1 ${NAME} k=v a#b",
            &["git log -n 3 'a; b' \"c && $X\" *.rs ~/x $1 ${NAME} k=v a#b"],
        );
        check("\n\ngit a\n\n\ngit b\n", &["git a", "git b"]);
        check("ls größe", &["ls größe"]);
    }

    #[test]
    fn everything_else_is_unknown() {
        let unknown = [
            "",
            "  ",
            "# git status",
            "git status #x",
            "git status > x",
            "git status >> x",
            "git status 2>&1",
            "git status < x",
            "git status << X\nX",
            "git status &",
            "git status & ls",
            "git status |& ls",
            "git status && ",
            "git status |",
            "&& ls",
            "; ls",
            "ls ;; ls",
            "ls ; ; ls",
            "git $(ls)",
            "git \"$(ls)\"",
            "git `ls`",
            "git \"`ls`\"",
            "git <(ls)",
            "git >(ls)",
            "(git status)",
            "{ git status; }",
            "git {a,b}",
            "A=1 git status",
            "A=1",
            "git\\ status",
            "git \\\nstatus",
            "git \"a\\\"b\"",
            "git 'a",
            "git \"a",
            "'git' status",
            "g\"i\"t status",
            "$GIT status",
            "~/git status",
            "g*t status",
            "if true",
            "time git status",
            "! git status",
            "[ -f x ]",
            "[[ -f x ]]",
            "f() { ls; }",
            "git $'a'",
            "git $\"a\"",
            "git $((1))",
            "git ${X:-y}",
            "git ${X",
            "git $?",
            "git $",
            "git a\rb",
            "git a\u{0}b",
            "git a\u{a0}b",
            "git a\u{200b}b",
            "git \"a\u{1b}b\"",
            "gït status",
        ];
        for text in unknown {
            check(text, &[]);
        }
        check(&format!("git {}", "a".repeat(70_000)), &[]);
    }
}
