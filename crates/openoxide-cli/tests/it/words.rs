//! Text that people read uses the words of the product, and its links lead somewhere.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::support::{repository, run};
use openoxide_testkit::TestContext;

/// Words that are left out, in lower case, and what to say instead.
const LEFT_OUT: &[(&str, &str)] = &[
    ("whoever", "name the subject: the client, the caller, the owner"),
    ("whomever", "name the subject"),
    ("somebody", "name the subject: another user, another process"),
    ("anybody", "anyone"),
    ("everybody", "everyone"),
    ("mend", "fix"),
    ("mends", "fixes"),
    ("mended", "fixed"),
    ("mending", "fixing"),
    ("passed over", "skipped, ignored"),
    ("passes over", "skips, ignores"),
    ("standings", "statuses"),
    ("does not count", "is ignored"),
    ("do not count", "are ignored"),
    ("that count", "that are active"),
    ("that counts", "that is active, that wins"),
    ("which counts", "which is active"),
    ("counts too", "applies too"),
    ("counts instead", "wins"),
    ("counts only", "applies only"),
    ("count only", "apply only"),
    ("count for", "apply to"),
    ("counts for", "applies to"),
    ("power", "permissions"),
    ("powers", "permissions"),
    ("the user's word", "approval"),
    ("your word", "your approval"),
    ("your yes", "your approval"),
    ("a yes is", "an approval is"),
    ("after a yes", "after approval"),
    ("needs a yes", "needs approval"),
    ("is told", "gets, sees, learns; or name what it gets"),
    ("are told", "get, see, learn"),
    ("was told", "got, saw"),
    ("in silence", "silently"),
    ("it states", "version, describes"),
];

/// Texts that may hold a word that is left out elsewhere, each with the reason.
const ALLOWED: &[(&str, &str, &str)] = &[
    ("CHANGELOG.md", "`standings`", "the change names the JSON field that went"),
    ("CHANGELOG.md", "`power`", "the change names what went"),
    ("CHANGELOG.md", "`powers`", "the change names what went"),
    ("CHANGELOG.md", "`mend` and `mends`", "the change names what went"),
    ("CHANGELOG.md", "`trust --power`", "the change names what went"),
];

/// Folders and files whose text is not ours, or is no text.
const NOT_OURS: &[&str] = &["fidelity", "target", ".git", "LICENSE-APACHE", "Cargo.lock"];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs_err::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if NOT_OURS.contains(&name.as_str()) || path.is_symlink() {
            continue;
        }
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

fn all_files() -> Vec<PathBuf> {
    let mut found = Vec::new();
    files(&repository(""), &mut found);
    found
}

/// Returns the text of a file that people may read, line by line: of Rust, comments and string literals before the tests.
fn readable(path: &Path, text: &str) -> Vec<String> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("rs") => rust_text(path, text),
        Some("md" | "toml" | "json" | "html" | "js" | "css" | "yaml" | "jinja") => {
            text.lines().map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}

fn rust_text(path: &Path, text: &str) -> Vec<String> {
    let parts: Vec<&str> = path.iter().filter_map(|part| part.to_str()).collect();
    if parts.iter().any(|part| ["tests", "tests.rs", "benches", "testing.rs"].contains(part)) {
        return Vec::new();
    }
    let before_tests = text.split("#[cfg(test)]\nmod tests").next().unwrap_or(text);
    let mut is_inside = false;
    before_tests.lines().map(|line| words_of_line(line, &mut is_inside)).collect()
}

/// Keeps the comment and the string literals of a line; a literal may go on over lines.
fn words_of_line(line: &str, is_inside: &mut bool) -> String {
    let mut kept = String::new();
    let mut rest = line.chars().peekable();
    while let Some(letter) = rest.next() {
        match letter {
            '\\' if *is_inside => drop(rest.next()),
            '"' => *is_inside = !*is_inside,
            '\'' if !*is_inside && rest.peek() == Some(&'"') => drop(rest.next()),
            '/' if !*is_inside && rest.peek() == Some(&'/') => {
                kept.extend(rest);
                return kept;
            }
            _ if *is_inside => kept.push(letter),
            _ => kept.push_str(if kept.ends_with(' ') || kept.is_empty() { "" } else { " " }),
        }
    }
    kept
}

/// Tells whether a text holds words, not as a part of longer ones.
fn holds(text: &str, words: &str) -> bool {
    let is_part = |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
    text.match_indices(words)
        .any(|(at, _)| !is_part(text[..at].chars().next_back()) && !is_part(text[at + words.len()..].chars().next()))
}

fn is_allowed(path: &str, line: &str) -> bool {
    ALLOWED.iter().any(|(file, part, _)| path.starts_with(file) && line.contains(part))
}

fn report(name: &str, lines: &[String], report: &mut String) {
    for (number, line) in (1..).zip(lines) {
        let lower = line.to_lowercase();
        for (word, instead) in LEFT_OUT.iter().filter(|(word, _)| holds(&lower, word)) {
            if !is_allowed(name, line) {
                let _ = writeln!(report, "{name}:{number}: `{word}` (say: {instead}): {}", line.trim());
            }
        }
    }
}

#[test]
fn left_out_words_are_in_no_text() {
    let root = repository("");
    let mut found = String::new();
    let mut read = 0;
    for path in all_files() {
        let Ok(text) = fs_err::read_to_string(&path) else { continue };
        let name = path.strip_prefix(&root).unwrap_or(&path).to_string_lossy().into_owned();
        let lines = readable(&path, &text);
        read += usize::from(!lines.is_empty());
        report(&name, &lines, &mut found);
    }
    assert!(read > 500, "only {read} files have text");
    assert!(found.is_empty(), "{} lines use words that are left out\n{found}", found.lines().count());
}

#[test]
fn left_out_words_are_in_no_help() {
    let context = TestContext::new();
    let mut found = String::new();
    let help = run(&context, &["-h"]).stdout;
    let commands = help.split("Commands:\n").nth(1).unwrap_or_default().split("\n\n").next().unwrap_or_default();
    let commands: Vec<&str> = commands.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(commands.len() > 20, "{help}");
    // `help` prints the texts of the others, and takes the name of one.
    for command in commands.into_iter().filter(|command| *command != "help") {
        let help = run(&context, &[command, "--help"]).stdout;
        let lines: Vec<String> = help.lines().map(str::to_owned).collect();
        assert!(lines.len() > 3, "{command}: {help}");
        report(&format!("{command} --help"), &lines, &mut found);
    }
    assert!(found.is_empty(), "{found}");
}

#[test]
fn words_are_found() {
    let mut found = String::new();
    let text = "/// Whoever asks.\nlet mend = power(\"passed over \\\" too\"); // is told\n";
    let lines = rust_text(Path::new("src/a.rs"), text);
    report("a.rs", &lines, &mut found);
    let words: Vec<&str> = found.lines().map(|line| line.split('`').nth(1).unwrap()).collect();
    assert_eq!(words, ["whoever", "passed over", "is told"], "identifiers are no text:\n{found}");
    assert!(!holds("powerful", "power") && !holds("trust_power", "power") && holds("full power.", "power"));
}

/// Returns the anchors that the headings of a page have.
fn anchors(text: &str) -> Vec<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let anchor = |line: &str| {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let kept = title.chars().filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
        kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn links_between_pages_lead_somewhere() {
    let mut dead = String::new();
    let mut links = 0;
    for path in all_files().into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "md")) {
        let text = fs_err::read_to_string(&path).unwrap();
        let lines = text.split("```").step_by(2).flat_map(str::lines);
        let outside: String = lines.flat_map(|line| line.split('`').step_by(2).chain(["\n"])).collect();
        for target in outside.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            // Pages of crates also name items of the code.
            if target.contains("::")
                || target.contains("://")
                || target.contains(['{', ' ', '<', '$', '\n'])
                || target.starts_with("mailto:")
            {
                continue;
            }
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let file = if file.is_empty() { path.clone() } else { path.parent().unwrap().join(file) };
            links += 1;
            let is_there = file.exists()
                && (anchor.is_empty()
                    || fs_err::read_to_string(&file).is_ok_and(|text| anchors(&text).iter().any(|one| one == anchor)));
            if !is_there {
                let _ = writeln!(dead, "{}: {target}", path.display());
            }
        }
    }
    assert!(links > 100, "only {links} links");
    assert!(dead.is_empty(), "dead links\n{dead}");
}
