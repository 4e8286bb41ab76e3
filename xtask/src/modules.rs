//! `modules`: prints which modules of a crate use each other, from its sources.

mod collect;
mod draw;
mod graph;
mod module;
mod read;
mod resolve;
#[cfg(test)]
mod tests;

use std::path::Path;

use anyhow::{Result, bail, ensure};

use crate::metadata::{self, Package};
use crate::shell::say;

use self::graph::Graph;
pub(crate) use self::module::{Module, Segments, Source};
pub(crate) use self::resolve::{Target, resolve};

/// Files that a crate's modules hang from.
const ROOTS: [&str; 2] = ["lib.rs", "main.rs"];

/// Runs `cargo xtask modules [CRATE]`.
pub(crate) fn run(args: &[String]) -> Result<()> {
    ensure!(args.len() < 2, "usage: cargo xtask modules [CRATE]");
    let mut packages = metadata::workspace()?;
    packages.retain(|package| args.iter().all(|name| *name == package.name));
    if packages.is_empty() {
        bail!("the workspace has no crate `{}`", args.join(" "));
    }
    for package in packages {
        for source in sources(&package)? {
            let graph = Graph::of(&source);
            say(format!("{}, {}: {} files\n", package.name, source.modules[0].file, graph.nodes.len()));
            say(draw::layers(&source, &graph));
            say(match draw::cycles(&source, &graph) {
                cycles if cycles.is_empty() => "no cycle\n".to_owned(),
                cycles => cycles,
            });
        }
    }
    Ok(())
}

/// Reads the modules of a crate's library and program. One without a module besides its root has nothing to tell.
pub(crate) fn sources(package: &Package) -> Result<Vec<Source>> {
    let folder = package.folder.join("src");
    let read_file = |file: &Path| {
        let path = folder.join(file);
        if path.is_file() { Ok(Some(fs_err::read_to_string(path)?)) } else { Ok(None) }
    };
    let roots = ROOTS.iter().filter(|root| folder.join(root).is_file());
    let sources: Vec<Source> = roots.map(|root| read::read(root, &read_file)).collect::<Result<_>>()?;
    Ok(sources.into_iter().filter(|source| source.modules.len() > 1).collect())
}

/// Reads a crate from one text, in which a line `//- FILE` begins a file.
#[cfg(test)]
pub(crate) fn parse(text: &str) -> Source {
    let mut files: std::collections::BTreeMap<&Path, String> = std::collections::BTreeMap::new();
    let mut file = Path::new("lib.rs");
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("//- ") {
            file = Path::new(name);
        }
        files.entry(file).or_default().extend([line, "\n"]);
    }
    read::read("lib.rs", &|file| Ok(files.get(file).cloned())).unwrap()
}
