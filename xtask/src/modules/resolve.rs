//! Finds the module that defines what a path names, through imports and re-exports.

use std::collections::BTreeSet;

use super::module::{ABSOLUTE, Segments, Source};

/// What a path leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    Module(usize),
    /// Something that this module defines.
    Item(usize),
    /// A path that begins with the name of another crate, or with a name that only the compiler knows.
    Elsewhere(Segments),
}

/// Finds what `path` names in the scope of `module`.
///
/// A name can be a module and a function at once. `inside` says that it is followed by `::`, so that it is no function.
pub(crate) fn resolve(source: &Source, module: usize, path: &[String], inside: bool) -> Target {
    Resolver { source, visited: BTreeSet::new() }.path(module, path, inside)
}

struct Resolver<'a> {
    source: &'a Source,
    /// Names that are being looked up, because imports can lead in a circle.
    visited: BTreeSet<(usize, String, bool)>,
}

impl Resolver<'_> {
    fn path(&mut self, module: usize, path: &[String], inside: bool) -> Target {
        let elsewhere = || Target::Elsewhere(path.iter().filter(|segment| *segment != ABSOLUTE).cloned().collect());
        let (mut target, mut rest) = match path {
            [] => return Target::Module(module),
            [first, ..] if first == ABSOLUTE => return elsewhere(),
            [first, rest @ ..] if first == "crate" => (Target::Module(0), rest),
            [first, rest @ ..] if first == "self" => (Target::Module(module), rest),
            [first, rest @ ..] if first == "super" => (self.parent(module), rest),
            [first, rest @ ..] => match self.name(module, first, inside || !rest.is_empty()) {
                Some(target) => (target, rest),
                None => return elsewhere(),
            },
        };
        while let [segment, after @ ..] = rest {
            target = match target {
                Target::Module(module) if segment == "super" => self.parent(module),
                Target::Module(module) => {
                    // A macro may define what no source shows.
                    self.name(module, segment, inside || !after.is_empty()).unwrap_or(Target::Item(module))
                }
                Target::Item(module) => return Target::Item(module),
                Target::Elsewhere(start) => return Target::Elsewhere([start.as_slice(), rest].concat()),
            };
            rest = after;
        }
        target
    }

    fn parent(&self, module: usize) -> Target {
        Target::Module(self.source.modules[module].parent.unwrap_or_default())
    }

    /// Looks a name up among what a module declares, defines and imports.
    fn name(&mut self, module: usize, name: &str, inside: bool) -> Option<Target> {
        if !self.visited.insert((module, name.to_owned(), inside)) {
            return None;
        }
        let found = self.look_up(module, name, inside);
        self.visited.remove(&(module, name.to_owned(), inside));
        found
    }

    fn look_up(&mut self, module: usize, name: &str, inside: bool) -> Option<Target> {
        let source = self.source;
        let child = source.child(module, name).map(Target::Module);
        if inside && child.is_some() {
            return child;
        }
        let around = &source.modules[module];
        if around.types.contains(name) || (!inside && around.values.contains(name)) {
            return Some(Target::Item(module));
        }
        let named = around.imports.iter().filter(|import| import.name.as_deref() == Some(name));
        let mut named = named.map(|import| self.path(module, &import.path, inside));
        // A name imported twice is a module and an item, or stands in two functions.
        if let Some(target) = named.next() {
            return Some(target);
        }
        child.or_else(|| self.through_globs(module, name, inside))
    }

    fn through_globs(&mut self, module: usize, name: &str, inside: bool) -> Option<Target> {
        let source = self.source;
        let globs = source.modules[module].imports.iter().filter(|import| import.name.is_none());
        globs.into_iter().find_map(|glob| match self.path(module, &glob.path, true) {
            Target::Module(target) if target != module => self.name(target, name, inside),
            _ => None,
        })
    }
}
