//! Words that stand where the name of a program may: assignments, words of the language, programs that run programs.

/// Words of the language after which a command stands.
pub(super) const OPENERS: &[&str] = &["!", "{", "coproc", "do", "elif", "else", "if", "then", "time", "until", "while"];

/// Words of the language after which none does.
pub(super) const RESERVED: &[&str] = &["case", "done", "esac", "fi", "for", "function", "in", "select"];

/// Programs that run the command which follows them.
const WRAPPERS: &[&str] = &[
    "builtin",
    "busybox",
    "caffeinate",
    "chrt",
    "command",
    "doas",
    "env",
    "eval",
    "exec",
    "ionice",
    "ltrace",
    "nice",
    "nohup",
    "nsenter",
    "parallel",
    "runuser",
    "setsid",
    "stdbuf",
    "strace",
    "sudo",
    "systemd-run",
    "time",
    "timeout",
    "unshare",
    "watch",
    "xargs",
];

/// What a word is that stands where the name of a program may, and is none, or not the one that matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leading {
    /// It sets a variable: the program follows.
    Assignment,
    /// A word of the language, after which a command stands.
    Opener,
    /// A word of the language, after which none does.
    Reserved,
    /// A program that runs the command which follows its options.
    Wrapper,
}

/// Tells what a word is that stands where the name of a program may; `None`: that name itself.
pub fn leading(word: &str) -> Option<Leading> {
    match word {
        _ if is_assignment(word) => Some(Leading::Assignment),
        _ if WRAPPERS.contains(&word.rsplit('/').next().unwrap_or(word)) => Some(Leading::Wrapper),
        _ if OPENERS.contains(&word) => Some(Leading::Opener),
        _ if RESERVED.contains(&word) => Some(Leading::Reserved),
        _ => None,
    }
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        let name = name.strip_suffix('+').unwrap_or(name);
        !name.is_empty() && name.chars().all(|character| character.is_ascii_alphanumeric() || character == '_')
    })
}
