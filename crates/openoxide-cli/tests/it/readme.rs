//! The README's examples are run, and print what the README says.

use std::fmt::Write as _;

use crate::support::{bin, blocks, padded, repository};

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

#[test]
fn examples_print_what_the_readme_says() {
    let readme = fs_err::read_to_string(repository("README.md")).unwrap();
    let fixture = blocks(&readme, "fixture").into_iter().next().expect("the README has a fixture for its examples");
    let consoles = blocks(&readme, "console");
    assert!(!consoles.is_empty(), "the README has examples");
    let mut report = Vec::new();
    for console in consoles {
        // Each block starts from the tree anew, at the place and width that the README states.
        let context = padded();
        context.tree(&fixture.text);
        let mut printed = String::new();
        for line in console.text.lines().filter(|line| line.starts_with("$ ")) {
            let typed = line.strip_prefix("$ openoxide").expect("only `openoxide` is run");
            let output = context.answer(context.command(bin(), words(typed)).env("COLUMNS", "80"));
            writeln!(printed, "{line}").unwrap();
            printed.push_str(&format!("{}{}", output.stdout, output.stderr).replace("[ROOT]", "/demo"));
            if !printed.ends_with('\n') {
                printed.push('\n');
            }
        }
        if printed != console.text {
            report.push(format!("README:\n{}printed:\n{printed}", console.text));
        }
    }
    assert!(report.is_empty(), "{} blocks print something else\n{}", report.len(), report.join("\n"));
}
