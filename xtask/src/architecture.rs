//! Compares the crate table and the map of modules in `ARCHITECTURE.md` with the workspace.

use std::path::Path;

use crate::generate::architecture;
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

/// The map of modules is what `cargo xtask generate` would write.
#[test]
fn the_map_is_up_to_date() {
    let page = fs_err::read_to_string(repository().join(architecture::FILE)).unwrap();
    assert!(page == architecture::page().unwrap(), "the map is out of date: `cargo xtask generate` writes it");
}

/// A module that cannot say in one sentence what it is responsible for does too much.
#[test]
fn every_module_says_what_it_is_responsible_for() {
    let unexplained = architecture::unexplained().unwrap();
    assert!(unexplained.is_empty(), "{}", unexplained.join("\n"));
}

/// A file that the map names has not been moved since.
#[test]
fn files_that_the_map_names_are_there() {
    let page = fs_err::read_to_string(repository().join("ARCHITECTURE.md")).unwrap();
    let named = words(&page).into_iter().filter(|word| Path::new(word).extension() == Some("rs".as_ref()));
    let named: Vec<String> = named.filter(|word| !word.contains("NAME") && !word.contains('*')).collect();
    assert!(named.len() > 10, "{named:?}");
    let packages = metadata::workspace().unwrap();
    let mut folders: Vec<_> = packages.iter().flat_map(|one| [one.folder.clone(), one.folder.join("src")]).collect();
    folders.extend([repository().to_owned(), repository().join("crates")]);
    let missing: Vec<_> =
        named.into_iter().filter(|file| !folders.iter().any(|folder| folder.join(file).is_file())).collect();
    assert!(missing.is_empty(), "the map names files that are not there: {missing:?}");
}

/// Returns what stands in backticks.
fn words(text: &str) -> Vec<String> {
    let fenced = text.split("```").step_by(2).collect::<String>();
    fenced.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Reads a row of the crate table: a name in backticks, then a sentence.
fn row(line: &str) -> Option<(String, String)> {
    let mut cells = line.strip_prefix("| [`")?.split(" | ");
    let name = cells.next()?.split('`').next()?;
    let description = cells.next()?.trim_end_matches([' ', '|']);
    let is_crate = name.starts_with("openoxide-") || name == "xtask";
    is_crate.then(|| (name.to_owned(), description.to_owned()))
}
