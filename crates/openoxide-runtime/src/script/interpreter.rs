//! Chooses the interpreter of a script by its first line or its extension.

use std::path::Path;

use openoxide_sandbox::{PATH, PROGRAMS};

/// The most bytes that a first line may have.
pub(crate) const HEAD: u64 = 256;

const BY_END: &[(&str, &str)] = &[
    ("sh", "sh"),
    ("bash", "bash"),
    ("zsh", "zsh"),
    ("py", "python3"),
    ("js", "node"),
    ("mjs", "node"),
    ("cjs", "node"),
    ("ts", "node"),
    ("mts", "node"),
    ("rb", "ruby"),
    ("pl", "perl"),
];

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Interpreter {
    Itself,
    /// By another program, which gets these words before the script's path.
    By {
        program: String,
        words: Vec<String>,
    },
}

impl Interpreter {
    /// Decides how a file is run, by its beginning and its name; an error says why it cannot be.
    pub(crate) fn of(path: &Path, head: &[u8], executable: bool) -> Result<Interpreter, String> {
        if let Some(rest) = head.strip_prefix(b"#!") {
            let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
            return by_line(line);
        }
        if executable && head.starts_with(b"\x7fELF") {
            return Ok(Interpreter::Itself);
        }
        let end = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        match BY_END.iter().find(|(known, _)| *known == end) {
            Some((_, program)) => Ok(Interpreter::By { program: (*program).to_owned(), words: Vec::new() }),
            None => Err("nobody knows what runs it: it has no `#!` line, and its name has no known end".to_owned()),
        }
    }

    /// Returns the names that the program behind it goes by.
    pub(crate) fn names(&self) -> Vec<&str> {
        let Interpreter::By { program, words } = self else { return Vec::new() };
        let name = program.rsplit('/').next().unwrap_or(program);
        match (name, words.first()) {
            ("env", Some(word)) => vec![word],
            ("sh", _) => vec!["sh", "bash"],
            ("python3", _) => vec!["python3", "python"],
            (name, _) => vec![name],
        }
    }

    /// Checks that the sandbox will have the program.
    pub(crate) fn check(&self) -> Result<(), String> {
        let Interpreter::By { program, words } = self else { return Ok(()) };
        if !is_there(program) {
            return Err(missing(program));
        }
        let is_env = Path::new(program).file_name().is_some_and(|name| name == "env");
        match words.first().filter(|word| is_env && !word.starts_with('-') && !word.contains('=')) {
            Some(name) if !is_there(name) => Err(missing(name)),
            _ => Ok(()),
        }
    }
}

fn by_line(line: &[u8]) -> Result<Interpreter, String> {
    let line = String::from_utf8_lossy(line);
    let (program, word) = line.trim().split_once([' ', '\t']).unwrap_or((line.trim(), ""));
    if !program.starts_with('/') {
        return Err(format!("its first line names `{program}`, which is no path from `/`"));
    }
    // As the kernel does: everything behind the program is one word.
    let word = Some(word.trim().to_owned()).filter(|word| !word.is_empty());
    Ok(Interpreter::By { program: program.to_owned(), words: word.into_iter().collect() })
}

fn is_there(program: &str) -> bool {
    let path = Path::new(program);
    if path.is_absolute() {
        return path.is_file() && PROGRAMS.iter().any(|folder| path.starts_with(folder));
    }
    PATH.split(':').any(|folder| Path::new(folder).join(program).is_file())
}

fn missing(program: &str) -> String {
    format!("it is run by `{program}`, which the sandbox does not have; programs are looked for in {PATH}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by(program: &str, words: &[&str]) -> Interpreter {
        Interpreter::By { program: program.to_owned(), words: words.iter().map(|word| (*word).to_owned()).collect() }
    }

    #[test]
    fn the_first_line_comes_before_the_name() {
        let interpreter =
            |path: &str, head: &str, executable| Interpreter::of(Path::new(path), head.as_bytes(), executable);
        assert_eq!(interpreter("a.py", "#!/bin/sh -eu\nx", false), Ok(by("/bin/sh", &["-eu"])));
        assert_eq!(
            interpreter("a", "#! /usr/bin/env  -S deno run\r\n", true),
            Ok(by("/usr/bin/env", &["-S deno run"]))
        );
        assert_eq!(interpreter("a.py", "print()", true), Ok(by("python3", &[])));
        assert_eq!(interpreter("a.SH", "", false), Ok(by("sh", &[])));
        assert_eq!(interpreter("a", "\u{7f}ELF", true), Ok(Interpreter::Itself));
        for (path, head) in [("a", "text"), ("a.md", "text"), ("a.sh", "#!bash\n"), ("a.sh", "#!"), ("a", "\u{7f}ELF")]
        {
            assert!(interpreter(path, head, false).is_err(), "{path} {head:?}");
        }
    }

    #[test]
    fn a_program_that_the_sandbox_lacks_is_said() {
        assert_eq!(by("/bin/sh", &[]).check(), Ok(()));
        for (program, words) in [("/opt/x/python", &[][..]), ("no-such", &[]), ("/usr/bin/env", &["no-such"])] {
            let error = by(program, words).check().unwrap_err();
            assert!(error.contains("the sandbox does not have"), "{error}");
        }
    }
}
