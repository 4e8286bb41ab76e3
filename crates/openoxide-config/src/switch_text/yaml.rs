//! Switches in YAML: a name in a list at the top of the file, one item a line or in brackets.

use super::container::{Container, newline, spliced};

/// Why a text is not edited: the list is written in a way that is not understood here.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NotUnderstood;

/// Adds a word to the list at a key, which is made if it is missing.
pub(super) fn add(text: &str, key: &str, word: &str) -> Result<String, NotUnderstood> {
    let newline = newline(text);
    let Some(list) = List::find(text, key) else {
        // A text without a last line end stays one.
        let (before, after) = match text.is_empty() || text.ends_with('\n') {
            true => ("", newline),
            false => (newline, ""),
        };
        return Ok(format!("{text}{before}{key}:{newline}  - {}{after}", plain(word)));
    };
    match list {
        List::Flow(open) => Ok(Container::at(text, open).ok_or(NotUnderstood)?.insert(text, &plain(word))),
        List::Block { lines, .. } => {
            let last = lines.last().ok_or(NotUnderstood)?;
            let line = &text[last.clone()];
            let indent = &line[..line.find('-').ok_or(NotUnderstood)?];
            let line_end = if line.ends_with('\n') { "" } else { newline };
            let tail = if line.ends_with('\n') { newline } else { "" };
            Ok(spliced(text, last.end..last.end, &format!("{line_end}{indent}- {}{tail}", plain(word))))
        }
    }
}

/// Removes the words that match from the list at a key, and the key with its last item.
pub(super) fn remove(text: &str, key: &str, matches: impl Fn(&str) -> bool) -> Result<String, NotUnderstood> {
    let mut text = text.to_owned();
    while let Some(list) = List::find(&text, key) {
        text = match list {
            List::Flow(open) => {
                let container = Container::at(&text, open).ok_or(NotUnderstood)?;
                let is_word = |value: &str| matches(&unquoted(value));
                let Some(index) = container.slots.iter().position(|slot| is_word(&text[slot.value.clone()])) else {
                    return Ok(text);
                };
                container.remove(&text, index)
            }
            List::Block { head, lines } => {
                let Some(line) = lines.iter().find(|line| matches(&item(&text[(*line).clone()]))) else {
                    return Ok(text);
                };
                let range = if lines.len() == 1 { head.start..line.end } else { line.clone() };
                without_lines(&text, range)
            }
        };
    }
    Ok(text)
}

/// Removes whole lines. If they were the last and had no line end, the text before keeps none either.
fn without_lines(text: &str, range: std::ops::Range<usize>) -> String {
    let removed = spliced(text, range.clone(), "");
    if range.end < text.len() || text.ends_with('\n') {
        return removed;
    }
    let shorter = removed.strip_suffix('\n').unwrap_or(&removed);
    shorter.strip_suffix('\r').unwrap_or(shorter).to_owned()
}

enum List {
    /// In brackets; where they open.
    Flow(usize),
    /// One item a line, below the line with the key.
    Block { head: std::ops::Range<usize>, lines: Vec<std::ops::Range<usize>> },
}

impl List {
    fn find(text: &str, key: &str) -> Option<List> {
        let mut at = 0;
        let mut lines = text.split_inclusive('\n').map(|line| {
            at += line.len();
            at - line.len()..at
        });
        let head = lines.by_ref().find(|line| is_head(&text[line.clone()], key))?;
        let value = text[head.clone()].split_once(':').map_or("", |(_, value)| value);
        let open = head.end - value.trim_start().len();
        if value.trim_start().starts_with('[') {
            return Some(List::Flow(open));
        }
        let below = lines.take_while(|line| {
            let line = &text[line.clone()];
            line.starts_with([' ', '-', '#', '\t']) || line.trim().is_empty()
        });
        let is_item = |line: &std::ops::Range<usize>| text[line.clone()].trim_start().starts_with('-');
        Some(List::Block { head, lines: below.filter(is_item).collect() })
    }
}

fn is_head(line: &str, key: &str) -> bool {
    let rest = line.strip_prefix(key).or_else(|| line.strip_prefix(&format!("\"{key}\"")));
    rest.is_some_and(|rest| rest.trim_start().starts_with(':'))
}

/// Returns the word of an item's line.
fn item(line: &str) -> String {
    let word = line.trim_start().trim_start_matches('-').trim();
    // A comment stands behind a blank, and not in quotes.
    let end = if word.starts_with(['"', '\'']) { None } else { word.find(" #") };
    unquoted(word[..end.unwrap_or(word.len())].trim())
}

fn unquoted(value: &str) -> String {
    match value.strip_prefix('\'').and_then(|inner| inner.strip_suffix('\'')) {
        Some(inner) => inner.replace("''", "'"),
        None => serde_json::from_str(value).unwrap_or_else(|_| value.to_owned()),
    }
}

/// Writes a word without quotes where YAML reads it as a text.
fn plain(word: &str) -> String {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "._-:/".contains(character);
    let begins = word.starts_with(|character: char| character.is_ascii_alphabetic());
    match begins && word.chars().all(is_plain) && word.contains(':') && !word.ends_with(':') {
        true => word.to_owned(),
        false => serde_json::Value::from(word).to_string(),
    }
}
