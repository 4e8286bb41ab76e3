//! The README's examples are run, and print what the README says.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use openoxide_testkit::TestContext;

use crate::support::{all_blocks, bin, blocks, padded, repository};

/// What examples say of a machine's isolation, which is another on every machine.
const ISOLATION: &str = "bubblewrap 0.8.0 (/usr/bin/bwrap), Landlock 7, seccomp";

/// Splits a command into words as a shell would, as far as an example needs it.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote: Option<char> = None;
    for character in command.chars() {
        match (quote, character) {
            (Some(open), _) if character == open => quote = None,
            (None, '\'' | '"') => quote = Some(character),
            (None, ' ') => words.push(String::new()),
            _ => words.last_mut().unwrap().push(character),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Runs the console blocks of a page, and returns those that print something else.
///
/// Each block starts anew from the page's fixture and from the files above it, at the place and width that the page
/// states. A file is a block whose opening fence names its path after the language, with `more` to add to its end.
pub(crate) fn differences(page: &str) -> Vec<String> {
    let fixture: String = blocks(page, "fixture").into_iter().map(|block| block.text).collect();
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    let mut report = Vec::new();
    for block in all_blocks(page) {
        if block.info == "console" {
            let context = padded();
            context.tree(&fixture);
            for (path, text) in &files {
                context.tree(&format!("//- {path}\n{text}"));
            }
            let printed = printed(&context, &block.text);
            if printed != block.text {
                report.push(format!("the page:\n{}printed:\n{printed}", block.text));
            }
        } else if let Some((path, adds)) = block.file() {
            let file = files.entry(path).or_default();
            *file = if adds { format!("{file}{}", block.text) } else { block.text };
        }
    }
    report
}

/// Types the commands of a console block, and returns what a person would see.
fn printed(context: &TestContext, console: &str) -> String {
    let mut printed = String::new();
    for line in console.lines().filter(|line| line.starts_with("$ ")) {
        let typed = line.strip_prefix("$ openoxide").expect("only `openoxide` is run");
        let output = context.answer(context.command(bin(), words(typed)).env("COLUMNS", "80"));
        writeln!(printed, "{line}").unwrap();
        printed.push_str(
            &format!("{}{}", output.stdout, output.stderr).replace("[ROOT]", "/demo").replace("[ISOLATION]", ISOLATION),
        );
        if !printed.ends_with('\n') {
            printed.push('\n');
        }
    }
    printed
}

#[test]
fn examples_print_what_the_readme_says() {
    let readme = fs_err::read_to_string(repository("README.md")).unwrap();
    assert!(!blocks(&readme, "fixture").is_empty(), "the README has a fixture for its examples");
    assert!(!blocks(&readme, "console").is_empty(), "the README has examples");
    let report = differences(&readme);
    assert!(report.is_empty(), "{} blocks print something else\n{}", report.len(), report.join("\n"));
}
