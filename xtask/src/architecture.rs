//! Compares the crate table and the maps of `ARCHITECTURE.md` with the workspace.

use std::path::Path;

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

/// The map names every module of the core, and no other.
#[test]
fn the_map_names_every_module_of_the_core() {
    let page = fs_err::read_to_string(repository().join("ARCHITECTURE.md")).unwrap();
    let (_, map) = page.split_once("## Code map of `openoxide-skills`").unwrap();
    let rows = map.lines().take_while(|line| !line.starts_with("## ")).filter(|line| line.starts_with("| `"));
    let mut named: Vec<String> = rows.flat_map(|row| words(row.split(" | ").next().unwrap_or_default())).collect();
    named.sort();
    assert_eq!(named, modules("openoxide-skills"), "left: ARCHITECTURE.md, right: the modules");
}

#[test]
fn the_modules_of_the_other_crates_are_told() {
    let page = fs_err::read_to_string(repository().join("ARCHITECTURE.md")).unwrap();
    // A file for each answer needs no map.
    let by_themselves = ["openoxide-skills", "openoxide-wire", "openoxide-testkit"];
    let crates = metadata::workspace().unwrap().into_iter().map(|package| package.name);
    for name in crates.filter(|name| name.starts_with("openoxide-") && !by_themselves.contains(&name.as_str())) {
        let (_, told) = page.split_once(&format!("\n`{name}`: ")).unwrap();
        let told = words(told.split("\n`openoxide-").next().unwrap_or_default());
        let missing: Vec<String> = modules(&name).into_iter().filter(|module| !told.contains(module)).collect();
        assert!(missing.is_empty(), "ARCHITECTURE.md does not say what {missing:?} of {name} are for");
    }
}

/// A file that the map names has not been moved since.
#[test]
fn files_that_the_map_names_are_there() {
    let page = fs_err::read_to_string(repository().join("ARCHITECTURE.md")).unwrap();
    let named = words(&page).into_iter().filter(|word| Path::new(word).extension() == Some("rs".as_ref()));
    let named: Vec<String> = named.filter(|word| !word.contains("NAME") && !word.contains('*')).collect();
    assert!(named.len() > 10, "{named:?}");
    let packages = metadata::workspace().unwrap();
    let folders: Vec<_> = packages.iter().map(|package| package.folder.join("src")).collect();
    for file in named {
        let mut places =
            folders.iter().map(|folder| folder.join(&file)).chain([repository().join("crates").join(&file)]);
        assert!(places.any(|place| place.is_file()), "{file} is not there");
    }
}

/// Returns the modules at the top of a crate, by name.
fn modules(package: &str) -> Vec<String> {
    let folder = repository().join("crates").join(package).join("src");
    let files = fs_err::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let names = files.filter_map(|file| file.strip_suffix(".rs").map(str::to_owned));
    let mut names: Vec<String> = names.filter(|name| name != "lib" && name != "main").collect();
    names.sort();
    names
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
