//! `use-cases`: prints which files of each face call each use case, from the sources.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result};

use crate::metadata::{self, Package};
use crate::modules::{self, Module, Segments, Source, Target, resolve};
use crate::shell::{no_arguments, say};

/// The crate of the use cases.
const APP: &str = "openoxide-app";

/// How the `//!` lines of a use case begin. The crate's other modules are what use cases share.
const MARK: &str = "Use case: ";

/// A way in which a user or a client reaches the program: its name, the crate that has it, and its room there.
struct Face {
    name: &'static str,
    package: &'static str,
    room: &'static str,
}

const FACES: [Face; 4] = [
    Face { name: "command line", package: "openoxide-cli", room: "commands" },
    Face { name: "HTTP", package: "openoxide-server", room: "http" },
    Face { name: "MCP", package: "openoxide-server", room: "mcp" },
    Face { name: "JSON-RPC", package: "openoxide-server", room: "rpc" },
];

/// For each use case, the modules of each face that call it.
type Callers = BTreeMap<String, [BTreeSet<String>; FACES.len()]>;

/// Runs `cargo xtask use-cases`.
pub(crate) fn run(args: &[String]) -> Result<()> {
    no_arguments("use-cases", args)?;
    let callers = callers()?;
    say(table(&callers));
    let count = |face: usize| callers.values().filter(|faces| !faces[face].is_empty()).count();
    let counts = FACES.iter().enumerate().map(|(index, face)| format!("{} by the {} face", count(index), face.name));
    say(format!("{} use cases: {}", callers.len(), counts.collect::<Vec<_>>().join(", ")));
    Ok(())
}

fn callers() -> Result<Callers> {
    let packages = metadata::workspace()?;
    let app = library(&packages, APP)?;
    let mut callers = none(&app);
    for (index, face) in FACES.iter().enumerate() {
        add(&mut callers, index, face.room, &app, &library(&packages, face.package)?);
    }
    Ok(callers)
}

fn library(packages: &[Package], name: &str) -> Result<Source> {
    let package = packages.iter().find(|package| package.name == name);
    let package = package.with_context(|| format!("the workspace has no crate `{name}`"))?;
    modules::sources(package)?.into_iter().next().with_context(|| format!("`{name}` has no modules"))
}

/// Returns the use cases without callers: the public modules at the top of the crate that say so of themselves.
fn none(app: &Source) -> Callers {
    let children = app.modules[0].children.iter().map(|&child| &app.modules[child]);
    let is_use_case = |module: &&Module| module.is_public && module.doc.starts_with(MARK);
    children.filter(is_use_case).map(|module| (module.path[0].clone(), Default::default())).collect()
}

/// Adds the modules in a room of `user` that name something of a use case.
fn add(callers: &mut Callers, face: usize, room: &str, app: &Source, user: &Source) {
    for (index, module) in user.modules.iter().enumerate() {
        let [first, inside @ ..] = module.path.as_slice() else { continue };
        if first != room {
            continue;
        }
        let imports = module.imports.iter().map(|import| &import.path);
        for path in imports.chain(&module.paths) {
            if let Target::Elsewhere(path) = resolve(user, index, path, false)
                && let Some(faces) = use_case(app, &path).and_then(|name| callers.get_mut(&name))
            {
                faces[face].insert(if inside.is_empty() { room.to_owned() } else { inside.join("/") });
            }
        }
    }
}

/// Returns the module at the top of the app that a path of another crate leads to.
fn use_case(app: &Source, path: &Segments) -> Option<String> {
    let (name, inside) = path.split_first()?;
    if name.replace('_', "-") != APP {
        return None;
    }
    let inside = [&["crate".to_owned()], inside].concat();
    match resolve(app, 0, &inside, false) {
        Target::Module(module) | Target::Item(module) => app.modules[module].path.first().cloned(),
        Target::Elsewhere(_) => None,
    }
}

/// Writes a row for each use case and a column for each face.
fn table(callers: &Callers) -> String {
    let cells = |faces: &[BTreeSet<String>; FACES.len()]| {
        faces.each_ref().map(|files| files.iter().cloned().collect::<Vec<_>>().join(", "))
    };
    let heading = ("use case".to_owned(), FACES.map(|face| face.name.to_owned()));
    let rows: Vec<_> =
        std::iter::once(heading).chain(callers.iter().map(|(name, faces)| (name.clone(), cells(faces)))).collect();
    let first = rows.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    let width = |face: usize| rows.iter().map(|(_, cells)| cells[face].len()).max().unwrap_or_default();
    let line = |(name, cells): &(String, [String; FACES.len()])| {
        let cells = cells.iter().enumerate().map(|(face, cell)| format!("  {cell:width$}", width = width(face)));
        format!("{name:first$}{}", cells.collect::<String>()).trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}
