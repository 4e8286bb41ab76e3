//! The examples of the README and the tour are run, and print what the pages say.

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

fn check(page: &str) {
    let text = fs_err::read_to_string(repository(page)).unwrap();
    assert!(!blocks(&text, "fixture").is_empty(), "{page} has a fixture for its examples");
    assert!(!blocks(&text, "console").is_empty(), "{page} has examples");
    let report = differences(&text);
    assert!(report.is_empty(), "{page}: {} blocks print something else\n{}", report.len(), report.join("\n"));
}

#[test]
fn examples_print_what_the_readme_says() {
    check("README.md");
}

#[test]
fn examples_print_what_the_tour_says() {
    check("docs/tour.md");
}

/// A page with console blocks that no test runs would go out of date unnoticed.
#[test]
fn every_page_with_examples_is_run() {
    let has_examples = |path: &std::path::Path| {
        let text = fs_err::read_to_string(path).unwrap();
        !blocks(&text, "console").is_empty()
    };
    let mut pages = vec![repository("README.md")];
    let docs = fs_err::read_dir(repository("docs")).unwrap().map(|entry| entry.unwrap().path());
    pages.extend(docs.filter(|path| path.extension().is_some_and(|extension| extension == "md")));
    pages.retain(|path| has_examples(path));
    pages.sort();
    let run = ["README.md", "docs/add-a-host.md", "docs/tour.md"].map(repository);
    assert_eq!(pages, run);
}
