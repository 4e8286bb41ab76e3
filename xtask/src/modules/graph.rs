//! The module graph of a crate: its edges, layers and cycles.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::module::{Module, Source};
use super::resolve::{Target, resolve};

/// Which file uses which. Files are known by the index of their module.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    pub(crate) nodes: BTreeSet<usize>,
    /// From the file that uses to the file that is used, with the paths that say so.
    pub(crate) edges: BTreeMap<(usize, usize), BTreeSet<String>>,
}

impl Graph {
    /// Draws the graph of a crate.
    pub(crate) fn of(source: &Source) -> Graph {
        let mut graph = Graph { nodes: source.files().into_values().collect(), ..Graph::default() };
        for (index, module) in source.modules.iter().enumerate() {
            for path in used(source, index, module) {
                if let Target::Item(target) = resolve(source, index, path, false) {
                    graph.add(module.owner, source.modules[target].owner, path);
                }
            }
        }
        graph
    }

    fn add(&mut self, from: usize, to: usize, path: &[String]) {
        if from != to {
            self.edges.entry((from, to)).or_default().insert(path.join("::"));
        }
    }

    /// Returns the files that a file uses.
    pub(crate) fn used_by(&self, node: usize) -> impl Iterator<Item = usize> {
        self.edges.range((node, 0)..=(node, usize::MAX)).map(|((_, to), _)| *to)
    }

    /// Returns a shortest cycle of each knot of files that use each other, and how many files the knot has.
    pub(crate) fn cycles(&self) -> Vec<(Vec<usize>, usize)> {
        let mut left = self.nodes.clone();
        let mut cycles = Vec::new();
        while let Some(node) = left.pop_first() {
            let knot: BTreeSet<usize> =
                self.reachable(node).into_iter().filter(|&other| self.reachable(other).contains(&node)).collect();
            if knot.contains(&node) {
                left.retain(|other| !knot.contains(other));
                let shortest = knot.iter().filter_map(|&start| self.cycle_through(start)).min_by_key(Vec::len);
                cycles.extend(shortest.map(|cycle| (cycle, knot.len())));
            }
        }
        cycles
    }

    /// Returns the files in layers: each uses only those of earlier layers, or of its own knot.
    pub(crate) fn layers(&self) -> Vec<Vec<usize>> {
        let mut left = self.nodes.clone();
        let mut layers = Vec::new();
        while !left.is_empty() {
            let stands = |&node: &usize| {
                let waiting = self.reachable(node);
                waiting.iter().all(|other| !left.contains(other) || self.reachable(*other).contains(&node))
            };
            let layer: Vec<usize> = left.iter().copied().filter(stands).collect();
            left.retain(|node| !layer.contains(node));
            layers.push(layer);
        }
        layers
    }

    /// Returns all that a file leads to; itself only through others.
    fn reachable(&self, node: usize) -> BTreeSet<usize> {
        let mut reached = BTreeSet::new();
        let mut waiting: Vec<usize> = self.used_by(node).collect();
        while let Some(next) = waiting.pop() {
            if reached.insert(next) {
                waiting.extend(self.used_by(next));
            }
        }
        reached
    }

    /// Returns a shortest way from a file back to itself.
    fn cycle_through(&self, start: usize) -> Option<Vec<usize>> {
        let mut came_from = BTreeMap::new();
        let mut waiting = VecDeque::from([start]);
        while let Some(node) = waiting.pop_front() {
            for next in self.used_by(node) {
                if next == start {
                    let mut way: Vec<usize> =
                        std::iter::successors(Some(node), |at| came_from.get(at).copied()).collect();
                    way.reverse();
                    return Some(way);
                }
                if let std::collections::btree_map::Entry::Vacant(entry) = came_from.entry(next) {
                    entry.insert(node);
                    waiting.push_back(next);
                }
            }
        }
        None
    }
}

/// Returns the paths by which a module uses something.
///
/// A re-export is no use by itself, nor is the import of a module: what is used through them is named in the code. An
/// import of an item is a use, even if only its methods are called; naming the item again says nothing new.
fn used<'a>(source: &'a Source, index: usize, module: &'a Module) -> impl Iterator<Item = &'a [String]> {
    let is_item = move |path: &[String]| !matches!(resolve(source, index, path, true), Target::Module(_));
    let imports = module.imports.iter().filter(move |import| !import.is_reexport && is_item(&import.path));
    let is_imported = move |name: &str| {
        let mut imports = module.imports.iter().filter(|import| !import.is_reexport);
        imports.any(|import| import.name.as_deref() == Some(name) && is_item(&import.path))
    };
    let paths = module.paths.iter().filter(move |path| !is_imported(&path[0]));
    imports.map(|import| import.path.as_slice()).chain(paths.map(Vec::as_slice))
}
