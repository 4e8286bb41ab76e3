//! Switches in JSON: a name in a list, or a name with a state in an object.

use super::container::{Container, newline, spliced};

/// How far a new level is indented where the text does not show it.
const INDENT: &str = "  ";

/// What stands at a key: nothing, or another kind of value than expected.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct OtherKind {
    /// The part of the key that is something else.
    pub(super) part: usize,
}

/// Adds an item to the list at a key, or a member to the object there. What is missing on the way is made.
pub(super) fn add(text: &str, key: &[String], item: &Item<'_>) -> Result<String, OtherKind> {
    let Some(mut container) = Container::root(text) else {
        return Ok(format!("{}\n", nested(key, item, Some(""), INDENT, "\n")));
    };
    for (depth, part) in key.iter().enumerate() {
        let Some(index) = container.member(part) else {
            let indent = container.indent(text);
            let unit = indent.and_then(|indent| indent.strip_prefix(container.outer_indent(text)));
            let unit = unit.filter(|unit| !unit.is_empty()).unwrap_or(INDENT);
            let value = nested(&key[depth + 1..], item, indent, unit, newline(text));
            return Ok(container.insert(text, &format!("{}: {value}", quoted(part))));
        };
        let value = container.slots[index].value.clone();
        container = Container::at(text, value.start).ok_or(OtherKind { part: depth })?;
    }
    if let Some(index) = item.key.and_then(|key| container.member(key)) {
        return Ok(spliced(text, container.slots[index].value.clone(), &quoted(item.word)));
    }
    Ok(container.insert(text, &item.text()))
}

/// Removes the items or members that match from the container at a key, and the container if it was made for them. The
/// text is empty if nothing else was in it.
pub(super) fn remove(text: &str, key: &[String], matches: impl Fn(Option<&str>, &str) -> bool) -> String {
    let mut text = text.to_owned();
    while let Some(shorter) = remove_one(&text, key, &matches) {
        text = shorter;
    }
    text
}

fn remove_one(text: &str, key: &[String], matches: &impl Fn(Option<&str>, &str) -> bool) -> Option<String> {
    let mut way = Vec::new();
    let mut container = Container::root(text)?;
    for part in key {
        let index = container.member(part)?;
        let inner = Container::at(text, container.slots[index].value.start)?;
        way.push((std::mem::replace(&mut container, inner), index));
    }
    let word = |value: &str| serde_json::from_str::<String>(value).unwrap_or_default();
    let mut index =
        container.slots.iter().position(|slot| matches(slot.key.as_deref(), &word(&text[slot.value.clone()])))?;
    while container.goes_with(text, index) {
        let Some((outer, at)) = way.pop() else {
            return Some(if container.is_all(text) { String::new() } else { container.remove(text, index) });
        };
        (container, index) = (outer, at);
    }
    Some(container.remove(text, index))
}

/// A text in a list, or the member of an object.
#[derive(Debug)]
pub(super) struct Item<'i> {
    pub(super) key: Option<&'i str>,
    pub(super) word: &'i str,
}

impl Item<'_> {
    fn text(&self) -> String {
        self.key.map_or_else(|| quoted(self.word), |key| format!("{}: {}", quoted(key), quoted(self.word)))
    }
}

/// Writes an item with the objects around it. With an indentation, each level is on lines of its own.
fn nested(key: &[String], item: &Item<'_>, indent: Option<&str>, unit: &str, newline: &str) -> String {
    let inner_indent = indent.map(|indent| format!("{indent}{unit}"));
    let (open, inner, close) = match key.split_first() {
        None if item.key.is_none() => ('[', item.text(), ']'),
        None => ('{', item.text(), '}'),
        Some((part, rest)) => {
            let value = nested(rest, item, inner_indent.as_deref(), unit, newline);
            ('{', format!("{}: {value}", quoted(part)), '}')
        }
    };
    match (indent, inner_indent) {
        (Some(indent), Some(deeper)) => format!("{open}{newline}{deeper}{inner}{newline}{indent}{close}"),
        _ => format!("{open} {inner} {close}"),
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
