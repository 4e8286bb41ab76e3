//! Chooses the interpreter of a script by its first line or its extension.

use std::path::Path;

use openoxide_sandbox::{PATH, PROGRAMS};

/// The most bytes of a script that is given to an interpreter.
pub(crate) const SCRIPT_MAX: u64 = 16 * 1024 * 1024;

/// The most bytes that a first line may have.
const LINE_MAX: usize = 256;

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
    /// Decides how a file is run, by its bytes and its name; an error says why it cannot be.
    pub(crate) fn of(path: &Path, head: &[u8], executable: bool) -> Result<Interpreter, String> {
        if executable && head.starts_with(b"\x7fELF") {
            return Ok(Interpreter::Itself);
        }
        if head.len() as u64 > SCRIPT_MAX {
            return Err("it is larger than 16 MiB, so that nobody looked at all of it".to_owned());
        }
        if !is_text(head) {
            return Err("it is no text in UTF-8, and an interpreter would read something else than a person".to_owned());
        }
        if let Some(rest) = head.strip_prefix(b"#!") {
            let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
            return by_line(&line[..line.len().min(LINE_MAX)]);
        }
        // Exactly as it is known: a name that only looks like one was not meant to be run.
        let end = path.extension().unwrap_or_default();
        match BY_END.iter().find(|(known, _)| end == *known) {
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

/// Tells whether a script is text; where it is cut, its last character may be.
fn is_text(head: &[u8]) -> bool {
    let is_utf8 = std::str::from_utf8(head).map_or_else(|error| error.error_len().is_none(), |_| true);
    is_utf8 && !head.contains(&0) && !head.starts_with("\u{feff}".as_bytes())
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
        assert!(interpreter("a.SH", "", false).is_err());
        assert_eq!(interpreter("a", "\u{7f}ELF", true), Ok(Interpreter::Itself));
        for (path, head) in [("a", "text"), ("a.md", "text"), ("a.sh", "#!bash\n"), ("a.sh", "#!"), ("a", "\u{7f}ELF")]
        {
            assert!(interpreter(path, head, false).is_err(), "{path} {head:?}");
        }
    }

    #[test]
    fn only_text_is_given_to_an_interpreter() {
        let utf16: Vec<u8> = "#!/bin/sh\ntouch x\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let with_mark = [b"\xff\xfe", &utf16[..]].concat();
        let (nul, latin, mark) =
            (&b"#!/bin/sh\n\0"[..], &b"#!/bin/sh\n# \xe9t\xe9\n"[..], "\u{feff}#!/bin/sh\n".as_bytes());
        for head in [&utf16[..], &with_mark, nul, latin, mark] {
            assert!(Interpreter::of(Path::new("a.sh"), head, true).is_err(), "{head:?}");
        }
        let cut = &"# …".as_bytes()[..4];
        assert_eq!(Interpreter::of(Path::new("a.sh"), cut, true), Ok(by("sh", &[])));
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
