//! Use case: offers the host's tools to a model, each under a name that is free.

use std::sync::Arc;

use openoxide_live::Snapshot;
use openoxide_runtime::ToolRegistry;
pub use openoxide_runtime::{Tool, ToolCallStart, ToolResult, Toolbox};
use openoxide_skills::render::Model;

use crate::error::Error;

/// Draws the tools of a host. `taken` are names of tools that the client has itself; `spell` writes a name as the client
/// can take it.
pub fn tools(snapshot: &Snapshot, taken: &[String], spell: impl Fn(&str) -> String) -> Result<Toolbox, Error> {
    let runtime = snapshot.runtime()?;
    let mut registry = ToolRegistry::default();
    for name in taken {
        // A client may name a tool twice.
        drop(registry.take(&spell(name), "the client"));
    }
    Ok(Toolbox::new(Arc::clone(runtime), &mut registry, Model::default(), spell)?)
}

/// Finds the tool that a name means: its own name, or another that it goes by, unless the client has a tool of that name.
pub fn find<'t>(
    toolbox: &'t Toolbox,
    called: &str,
    taken: &[String],
    spell: impl Fn(&str) -> String,
) -> Option<&'t Tool> {
    let tools = &toolbox.tools;
    if let Some(tool) = tools.iter().find(|tool| tool.name == called) {
        return Some(tool);
    }
    if taken.iter().any(|taken| taken == called || spell(taken) == called) {
        return None;
    }
    let goes_by = |name: &String| name == called || spell(name) == called;
    tools.iter().find(|tool| tool.names().iter().any(goes_by))
}
