//! Use case: tells which skills a text names, and why not the rest.

use std::path::PathBuf;

use openoxide_config::Workspace;
use openoxide_live::Snapshot;
use openoxide_skills::catalog::View;
use openoxide_skills::select::{Selection, Turn, TurnItem, select};
use openoxide_wire::{MentionsAnswer, TurnInput};

/// The skills that a turn names, and what looks like a name and means nothing.
#[derive(Clone, Debug)]
pub struct Mentions<'s> {
    /// The answer.
    pub answer: MentionsAnswer,
    /// What it was made of.
    pub selection: Selection<'s>,
}

/// Returns the skills that a turn names, in the order in which they are loaded.
pub fn mentions<'s>(snapshot: &'s Snapshot, turn: &Turn) -> Mentions<'s> {
    let catalog = &*snapshot.catalog;
    let selection = select(catalog, &snapshot.view.host, turn);
    Mentions { answer: MentionsAnswer::new(catalog, turn, &selection), selection }
}

/// Makes the turn that a front end hands in; `connectors` and those of the settings are there too.
pub fn turn_of_input(workspace: &Workspace, input: TurnInput, connectors: &[String]) -> Turn {
    let environment = &workspace.environment;
    with_connectors(workspace, input.into_turn(environment.cwd.clone(), environment.home.clone()), connectors)
}

/// Makes the turn of a person who types: items first, each as `PATH` or `NAME=PATH`, then the text.
pub fn turn_of_text(workspace: &Workspace, view: &View, text: String, items: &[String], connectors: &[String]) -> Turn {
    let environment = &workspace.environment;
    let (cwd, home) = (environment.cwd.clone(), environment.home.clone());
    let mut items: Vec<TurnItem> = items.iter().map(|item| skill_item(workspace, view, item)).collect();
    items.push(TurnItem::Text(text));
    with_connectors(workspace, Turn { items, connectors: Vec::new(), cwd, home }, connectors)
}

fn with_connectors(workspace: &Workspace, mut turn: Turn, connectors: &[String]) -> Turn {
    turn.connectors.extend(connectors.iter().cloned().chain(workspace.config.connectors()));
    turn
}

/// Reads `PATH` or `NAME=PATH`; a path with `=` in it has a `/` before.
fn skill_item(workspace: &Workspace, view: &View, typed: &str) -> TurnItem {
    let (name, path) = match typed.split_once('=') {
        Some((name, path)) if !name.contains('/') => (Some(name.to_owned()), path),
        _ => (None, typed),
    };
    let mut path = PathBuf::from(path);
    if view.host.mention.loose_paths {
        // A relative path means the same file where the folder to act in is reached through a link.
        let whole = workspace.environment.cwd.join(&path);
        path = std::fs::canonicalize(whole).unwrap_or(path);
    }
    TurnItem::Skill { name, path }
}
