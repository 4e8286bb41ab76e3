//! Classifies words in command position: assignments, keywords, wrappers such as `env`.

/// Reserved words that a command follows.
pub(super) const OPENERS: &[&str] = &["!", "{", "coproc", "do", "elif", "else", "if", "then", "time", "until", "while"];

/// Reserved words that no command follows.
pub(super) const RESERVED: &[&str] = &["case", "done", "esac", "fi", "for", "function", "in", "select"];

/// Programs that run the command in their arguments.
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

/// What a word in command position is, if it is not the program that permission rules judge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leading {
    /// It sets a variable. The program follows.
    Assignment,
    /// A reserved word that a command follows.
    Opener,
    /// A reserved word that no command follows.
    Reserved,
    /// A program that runs the command after its options.
    Wrapper,
}

/// Returns the role of a word in command position, or `None` if it is the program itself.
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
