//! Writes the map of modules in `ARCHITECTURE.md`: a table per crate, drawn from the `//!` lines of its modules.

use anyhow::{Context as _, Result};

use super::markdown::{code, table};
use crate::metadata::{self, Package};
use crate::modules::{self, Module, Source};
use crate::shell::repository;

/// The page that has the map.
pub(crate) const FILE: &str = "ARCHITECTURE.md";

/// The lines around the map. The rest of the page is written by hand.
const BEGIN: &str =
    "<!-- Written by `cargo xtask generate` from the first sentence of each module's `//!` lines. -->\n";
const END: &str = "<!-- The end of what `cargo xtask generate` writes. -->\n";

/// A module with at least this many modules inside has a row for each of them.
const ROOM: usize = 5;

/// The longest sentence that fits in a row.
#[cfg(test)]
const LONGEST: usize = 120;

/// Returns the page with the map as the code says.
pub(crate) fn page() -> Result<String> {
    let page = fs_err::read_to_string(repository().join(FILE))?;
    let lacks = || format!("`{FILE}` lacks the lines that begin and end the map");
    let (before, rest) = page.split_once(BEGIN).with_context(lacks)?;
    let (_, after) = rest.split_once(END).with_context(lacks)?;
    Ok(format!("{before}{BEGIN}{}\n{END}{after}", map(before)?))
}

/// Returns modules whose `//!` lines do not begin with a sentence that fits in a row, each with what is wrong.
#[cfg(test)]
pub(crate) fn unexplained() -> Result<Vec<String>> {
    let mut found = Vec::new();
    for package in metadata::workspace()? {
        for source in modules::sources(&package)? {
            // A crate's root has its README as text.
            for module in source.files().into_values().skip(1).map(|index| &source.modules[index]) {
                let flaw = match sentence(&module.doc).chars().count() {
                    0 => "has no `//!` line",
                    1..=LONGEST => continue,
                    _ => "begins with a sentence that is too long",
                };
                found.push(format!("{}/src/{} {flaw}", package.name, module.file));
            }
        }
    }
    Ok(found)
}

/// Writes a table for each crate, in the order in which the page names them first.
fn map(page: &str) -> Result<String> {
    let mut packages = metadata::workspace()?;
    packages.sort_by_key(|package| page.find(&format!("[`{}`]", package.name)).unwrap_or(usize::MAX));
    let mut text = String::new();
    for package in packages {
        for source in modules::sources(&package)? {
            text += &section(&package, &source);
        }
    }
    Ok(text)
}

fn section(package: &Package, source: &Source) -> String {
    let rows = rows(source).into_iter().map(|module| [code(&module.path.join("::")), sentence(&module.doc)]);
    format!("\n### `{}`\n\n{}", package.name, table(["module", "what it is responsible for"], rows))
}

/// Returns the modules at the top of a crate, in its own order, each before those inside it if they are many.
fn rows(source: &Source) -> Vec<&Module> {
    let files = |module: &Module| {
        let children = module.children.iter().map(|&child| &source.modules[child]);
        children.filter(|child| child.file != module.file).collect::<Vec<_>>()
    };
    let with_inner = |module| {
        let inner = files(module);
        let inner = if inner.len() < ROOM { Vec::new() } else { inner };
        std::iter::once(module).chain(inner)
    };
    files(&source.modules[0]).into_iter().flat_map(with_inner).collect()
}

/// Returns the first sentence of a text, without its full stop and with links as plain code.
fn sentence(doc: &str) -> String {
    let paragraph: Vec<&str> = doc.lines().take_while(|line| !line.is_empty()).collect();
    let paragraph = paragraph.join(" ");
    let sentence = paragraph.split_once(". ").map_or(paragraph.as_str(), |(sentence, _)| sentence);
    sentence.trim_end_matches('.').replace("[`", "`").replace("`]", "`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_sentence_is_found() {
        let check = |doc: &str, expected: &str| assert_eq!(sentence(doc), expected);
        check("", "");
        check("Reads files. Writing is another's work.", "Reads files");
        check("Reads files\nof `mod.rs`.\n\nMore.", "Reads files of `mod.rs`");
        check("Makes a [`Page`].", "Makes a `Page`");
    }
}
