//! `generate`: writes the files that follow from the code, or tells whether they are up to date.

mod answers;
pub(crate) mod architecture;
mod cli;
mod config;
mod diagnostics;
mod environment;
mod host;
mod hosts;
mod markdown;
mod page;
mod schemas;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use self::page::{NOTICE, Page};
use crate::metadata;
use crate::shell::{self, repository, say};

/// Runs `cargo xtask generate [--check]`.
pub(crate) fn run(args: &[String]) -> Result<()> {
    match args {
        [] => write(),
        [flag] if flag == "--check" => compare(),
        _ => bail!("usage: cargo xtask generate [--check]"),
    }
}

/// Fails if a file is not as the code says.
pub(crate) fn compare() -> Result<()> {
    let pages = pages()?;
    let mut wrong = stale(&pages)?;
    for page in &pages {
        if let Some(line) = first_difference(&page.current()?, &page.text) {
            say(format!("{}: differs at line {line}", page.path.display()));
            wrong.push(page.path.clone());
        }
    }
    if wrong.is_empty() {
        say(format!("{} files are up to date", pages.len()));
        return Ok(());
    }
    let names: Vec<String> = wrong.iter().map(|path| format!("`{}`", path.display())).collect();
    bail!("{} not up to date; `cargo xtask generate` fixes this", names.join(", "))
}

fn write() -> Result<()> {
    let pages = pages()?;
    for path in stale(&pages)? {
        fs_err::remove_file(repository().join(&path))?;
        say(format!("removed {}", path.display()));
    }
    for page in &pages {
        if page.current()? != page.text {
            let path = repository().join(&page.path);
            fs_err::create_dir_all(path.parent().context("a page lies in a folder")?)?;
            fs_err::write(&path, &page.text)?;
            say(format!("wrote {}", page.path.display()));
        }
    }
    Ok(())
}

fn pages() -> Result<Vec<Page>> {
    let binary = binary()?;
    let host_file = schemas::schema(&binary, "host.toml")?;
    let mut pages = vec![
        Page::new("docs/reference/cli.md", cli::page()),
        Page::new("docs/reference/config.md", config::page()?),
        Page::new("docs/reference/environment.md", environment::page()?),
        Page::new("docs/reference/host.md", host::page(&host_file, &hosts::files()?)?),
        Page::new("docs/diagnostics/README.md", diagnostics::page()),
        Page::new(architecture::FILE, architecture::page()?),
    ];
    pages.extend(answers::pages(&binary)?);
    pages.extend(hosts::pages(&host_file)?);
    pages.extend(schemas::pages(&binary)?);
    Ok(pages)
}

/// Builds the program and returns its path.
///
/// It is built together with this one, so that both share what they are made of.
fn binary() -> Result<PathBuf> {
    let args = ["build", "--quiet", "--package", "xtask", "--package", "openoxide-cli", "--bin", "openoxide"];
    shell::run(&mut shell::cargo(&args))?;
    Ok(metadata::target()?.join("debug/openoxide"))
}

/// Returns files of generated folders that nothing generates any more.
fn stale(pages: &[Page]) -> Result<Vec<PathBuf>> {
    let mut stale = Vec::new();
    for folder in [schemas::FOLDER, hosts::FOLDER].map(Path::new) {
        if !repository().join(folder).is_dir() {
            continue;
        }
        for entry in fs_err::read_dir(repository().join(folder))? {
            let path = folder.join(entry?.file_name());
            if pages.iter().all(|page| page.path != path) {
                stale.push(path);
            }
        }
    }
    stale.sort();
    Ok(stale)
}

/// Returns the number of the first line in which two texts differ.
fn first_difference(old: &str, new: &str) -> Option<usize> {
    if old == new {
        return None;
    }
    let same = old.lines().zip(new.lines()).take_while(|(old, new)| old == new).count();
    Some(same + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_found() {
        assert_eq!(first_difference("a\nb\n", "a\nb\n"), None);
        assert_eq!(first_difference("a\nb\n", "a\nc\n"), Some(2));
        assert_eq!(first_difference("a\n", "a\nb\n"), Some(2));
    }
}
