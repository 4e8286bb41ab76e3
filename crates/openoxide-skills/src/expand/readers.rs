//! Finds what in a command reads its arguments, or its input, as a program.
//!
//! Quotes are not followed here: to take a word for a program too often only refuses a command too often.

/// Words after which a shell reads everything as code, or looks into names.
const EVALUATORS: &[&str] =
    &["eval", "let", "trap", "declare", "typeset", "local", "unset", "[[", "source", "exec", "ssh", "su", "watch"];

/// Programs that take a program after an option such as `-c` or `-e`, and otherwise from their input.
pub(super) const INTERPRETERS: &[&str] = &[
    "sh",
    "bash",
    "dash",
    "zsh",
    "ksh",
    "ash",
    "fish",
    "python",
    "perl",
    "ruby",
    "node",
    "nodejs",
    "deno",
    "bun",
    "php",
    "lua",
    "tclsh",
    "Rscript",
    "osascript",
    "pwsh",
];

/// Programs that make a command of their input.
const BUILDERS: &[&str] = &["xargs", "parallel"];

/// Programs whose first text is a small program of their own.
pub(super) const FILTERS: &[&str] = &["awk", "gawk", "mawk", "nawk", "sed", "gsed", "ed", "ex", "vim"];

#[derive(Debug, Default)]
pub(super) struct Readers<'c> {
    /// The first that reads whatever stands after it, and where it stands.
    after: Option<(usize, &'c str)>,
    /// The first that reads text in quotes after it.
    filter: Option<(usize, &'c str)>,
    /// One that reads what other commands print.
    input: Option<&'c str>,
    /// One that may read here-documents.
    document: Option<&'c str>,
}

impl<'c> Readers<'c> {
    pub(super) fn of(command: &'c str) -> Readers<'c> {
        let words = words(command);
        let mut readers = Readers::default();
        let builds = words.iter().any(|(_, word)| BUILDERS.contains(&program(word)));
        let (substitutes, documents) = (command.contains("<("), command.contains("<<"));
        for (index, (at, word)) in words.iter().enumerate() {
            let name = program(word);
            let rest = &words[index + 1..];
            if EVALUATORS.contains(&name) || (INTERPRETERS.contains(&name) && takes_code(rest)) {
                readers.after.get_or_insert((*at, name));
                readers.input = readers.input.or(builds.then_some(name));
            }
            if FILTERS.contains(&name) {
                readers.filter.get_or_insert((*at, name));
            }
            let piped = index > 0 && words[index - 1].1 == "|";
            let bare = rest.first().is_none_or(|(_, next)| *next == "|" || next.starts_with('-'));
            if INTERPRETERS.contains(&name) {
                readers.input = readers.input.or(((piped && bare) || substitutes).then_some(name));
                readers.document = readers.document.or(documents.then_some(name));
            }
        }
        readers
    }

    /// Returns what would run even a plain word of its input.
    pub(super) fn of_input(&self, is_document: bool) -> Option<&'c str> {
        self.input.or(self.document.filter(|_| is_document))
    }

    /// Returns what reads the text at a place as a program; `within`: the place is part of a longer quoted text.
    pub(super) fn of_place(&self, at: usize, within: bool) -> Option<&'c str> {
        let before = |reader: Option<(usize, &'c str)>| reader.filter(|(start, _)| *start < at).map(|(_, name)| name);
        self.input.or(self.document).or_else(|| before(self.after)).or_else(|| before(self.filter).filter(|_| within))
    }
}

/// Tells whether the options that follow an interpreter name a program.
fn takes_code(words: &[(usize, &str)]) -> bool {
    let options = words.iter().map(|(_, word)| *word).take_while(|word| word.starts_with('-'));
    options.into_iter().any(|option| match option.strip_prefix("--") {
        Some(long) => ["eval", "command", "exec", "print", "run"].iter().any(|word| long.starts_with(word)),
        None => option.contains(['c', 'e', 'E', 'r', 'p', 'n']),
    })
}

/// Splits a command into words and bars, without regard to quotes.
fn words(command: &str) -> Vec<(usize, &str)> {
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ';' | '&' | '(' | ')' | '<' | '>' | '|');
    let mut words = Vec::new();
    let mut at = 0;
    while at < command.len() {
        let length = command[at..].find(ends).unwrap_or(command.len() - at);
        if length > 0 {
            words.push((at, &command[at..at + length]));
        }
        at += length;
        if command[at..].starts_with('|') {
            words.push((at, &command[at..=at]));
        }
        at += command[at..].chars().next().map_or(0, char::len_utf8);
    }
    words
}

/// Returns the name of a program without its folder and its version.
pub(super) fn program(word: &str) -> &str {
    let name = word.rsplit('/').next().unwrap_or(word).trim_start_matches('$');
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    if bare.is_empty() { name } else { bare }
}
