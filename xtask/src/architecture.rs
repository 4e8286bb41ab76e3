//! Compares the crate table of `ARCHITECTURE.md` with the workspace.

use crate::metadata;
use crate::shell::repository;

#[test]
fn the_crate_table_lists_every_crate_with_its_description() {
    let page = fs_err::read_to_string(repository().join("ARCHITECTURE.md")).unwrap();
    let mut listed: Vec<(String, String)> = page.lines().filter_map(row).collect();
    listed.sort();
    let crates = metadata::workspace().unwrap().into_iter().map(|package| (package.name, package.description));
    assert_eq!(listed, crates.collect::<Vec<_>>(), "left: ARCHITECTURE.md, right: the crates' Cargo.toml");
}

/// Every crate has a page that says what it is for.
#[test]
fn every_library_has_a_readme() {
    for package in metadata::workspace().unwrap() {
        let is_library = package.folder.starts_with(repository().join("crates"));
        assert!(!is_library || package.folder.join("README.md").is_file(), "{} has no README.md", package.name);
    }
}

/// Reads a row of the crate table: a name in backticks, then a sentence.
fn row(line: &str) -> Option<(String, String)> {
    let mut cells = line.strip_prefix("| [`")?.split(" | ");
    let name = cells.next()?.split('`').next()?;
    let description = cells.next()?.trim_end_matches([' ', '|']);
    let is_crate = name.starts_with("openoxide-") || name == "xtask";
    is_crate.then(|| (name.to_owned(), description.to_owned()))
}
