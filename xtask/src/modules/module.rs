//! The modules of a crate as the sources declare them: items, imports, and paths in the code.

use std::collections::{BTreeMap, BTreeSet};

/// A path as it is written: `["crate", "host", "Host"]`. One that begins with `::` has [`ABSOLUTE`] first.
pub(crate) type Segments = Vec<String>;

/// Stands for the `::` at the beginning of a path, which names another crate.
pub(crate) const ABSOLUTE: &str = "::";

/// The modules of one crate. The root is the first.
#[derive(Debug, Default)]
pub(crate) struct Source {
    pub(crate) modules: Vec<Module>,
}

/// A module: a file, or a block `mod name { … }` inside of one.
#[derive(Debug, Default)]
pub(crate) struct Module {
    /// Its path without `crate`: `["catalog", "build"]`. The root's is empty.
    pub(crate) path: Segments,
    /// Its file, relative to the crate's `src`, with `/` between folders.
    pub(crate) file: String,
    /// The module whose file this one is in: itself, unless it is a block.
    pub(crate) owner: usize,
    pub(crate) parent: Option<usize>,
    /// Modules that it declares, in the order of the source.
    pub(crate) children: Vec<usize>,
    pub(crate) is_public: bool,
    /// The text of its `//!` lines.
    pub(crate) doc: String,
    /// Names of the types and traits that it defines, which `::` can follow.
    pub(crate) types: BTreeSet<String>,
    /// Names of the functions, constants and macros that it defines.
    pub(crate) values: BTreeSet<String>,
    pub(crate) imports: Vec<Import>,
    /// Paths that its code names, apart from imports.
    pub(crate) paths: BTreeSet<Segments>,
}

/// One name that a `use` brings in, or all names of a module.
#[derive(Debug, Clone)]
pub(crate) struct Import {
    /// The name here; `None` for a glob.
    pub(crate) name: Option<String>,
    pub(crate) path: Segments,
    /// Whether it is a re-export: anything but a private `use`.
    pub(crate) is_reexport: bool,
}

impl Source {
    /// Returns the module that `parent` declares by this name.
    pub(crate) fn child(&self, parent: usize, name: &str) -> Option<usize> {
        let is_named = |&child: &usize| self.modules[child].path.last().is_some_and(|last| last == name);
        self.modules[parent].children.iter().copied().find(is_named)
    }

    /// Returns the modules that are files, by their path.
    pub(crate) fn files(&self) -> BTreeMap<&[String], usize> {
        let files = self.modules.iter().enumerate().filter(|(index, module)| module.owner == *index);
        files.map(|(index, module)| (module.path.as_slice(), index)).collect()
    }

    /// Returns how a module is called: `catalog::build`, or the name of the root's file.
    pub(crate) fn name(&self, module: usize) -> String {
        let module = &self.modules[module];
        if module.path.is_empty() { module.file.trim_end_matches(".rs").to_owned() } else { module.path.join("::") }
    }
}
