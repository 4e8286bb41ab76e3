//! Lists in a frontmatter: hooks, tools and patterns.

use super::scalar;
use crate::skill::HookHandler;
use crate::yaml::{Node, Value};

pub(super) fn handlers_of(group: &Node<'_>) -> Vec<HookHandler> {
    let matcher = group.get("matcher").and_then(Node::as_text).map(str::to_owned);
    let Some(Value::List(handlers)) = group.get("hooks").map(|node| &node.value) else { return Vec::new() };
    handlers
        .iter()
        .map(|handler| HookHandler {
            hook_type: handler.get("type").and_then(Node::as_text).unwrap_or("command").to_owned(),
            matcher: matcher.clone(),
            command: handler.get("command").and_then(Node::as_text).unwrap_or_default().to_owned(),
            once: handler
                .get("once")
                .is_some_and(|once| scalar::boolean(once, crate::host::BoolRule::Core) == Some(true)),
        })
        .collect()
}

/// Splits a line of tools at commas and blanks that stand outside parentheses.
pub(super) fn split_tools(text: &str) -> Vec<String> {
    split_outside(text, ['(', ')'], |character| character == ',' || character.is_whitespace())
}

/// Splits a line of patterns at commas that stand outside braces.
pub(super) fn split_patterns(text: &str) -> Vec<String> {
    split_outside(text, ['{', '}'], |character| character == ',')
}

fn split_outside(text: &str, [open, close]: [char; 2], separates: impl Fn(char) -> bool) -> Vec<String> {
    let mut depth = 0_usize;
    let parts = text.split(|character: char| {
        if character == open {
            depth += 1;
        } else if character == close {
            depth = depth.saturating_sub(1);
        }
        depth == 0 && separates(character)
    });
    parts.map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}
