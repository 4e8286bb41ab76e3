//! Prints a module graph in layers, and its cycles with the paths that cause them.

use std::fmt::Write as _;

use super::graph::Graph;
use super::module::Source;

/// At most this many paths are named as the cause of an edge.
const CAUSES: usize = 6;

/// Writes the files of a crate in layers, each with those that it uses.
pub(crate) fn layers(source: &Source, graph: &Graph) -> String {
    let names = |nodes: &mut dyn Iterator<Item = usize>| {
        let mut names: Vec<String> = nodes.map(|node| source.name(node)).collect();
        names.sort();
        names
    };
    let width = graph.nodes.iter().map(|&node| source.name(node).len()).max().unwrap_or_default();
    let mut text = String::new();
    for (number, layer) in graph.layers().iter().enumerate() {
        let _ = writeln!(text, "layer {}", number + 1);
        let mut rows: Vec<(String, usize)> = layer.iter().map(|&node| (source.name(node), node)).collect();
        rows.sort();
        for (name, node) in rows {
            let used = names(&mut graph.used_by(node)).join(", ");
            let _ = writeln!(text, "{}", format!("  {name:width$}  {used}").trim_end());
        }
    }
    text
}

/// Writes a shortest cycle of each knot, and for each step the paths that cause it.
pub(crate) fn cycles(source: &Source, graph: &Graph) -> String {
    let mut text = String::new();
    for (cycle, size) in graph.cycles() {
        let _ = writeln!(text, "a cycle of {} files, the shortest of {size} that use each other:", cycle.len());
        for (at, &from) in cycle.iter().enumerate() {
            let to = cycle[(at + 1) % cycle.len()];
            let [user, used] = [from, to].map(|node| source.modules[node].file.as_str());
            let _ = writeln!(text, "  {user} uses {used}: {}", causes(graph, from, to));
        }
    }
    text
}

fn causes(graph: &Graph, from: usize, to: usize) -> String {
    let paths: Vec<String> = graph.edges[&(from, to)].iter().map(|path| format!("`{path}`")).collect();
    match paths.len().saturating_sub(CAUSES) {
        0 => paths.join(", "),
        more => format!("{} and {more} more", paths[..CAUSES].join(", ")),
    }
}
