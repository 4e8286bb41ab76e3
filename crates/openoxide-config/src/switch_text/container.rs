//! Objects and arrays in a JSON text by their places, and edits of one member that leave every other byte as it is.
//!
//! Crates that edit JSON keep comments, but a member that is put in and taken out again leaves other blanks behind. Here,
//! taking out is the exact reverse of putting in: how a member is set apart says how it came to be there.

use std::ops::Range;

use crate::document::json::token_length;

/// An object or an array.
#[derive(Debug)]
pub(super) struct Container {
    /// Where its opening bracket is.
    open: usize,
    /// Where its closing bracket is.
    close: usize,
    pub(super) slots: Vec<Slot>,
}

/// A member of an object, or an item of an array.
#[derive(Debug)]
pub(super) struct Slot {
    start: usize,
    pub(super) key: Option<String>,
    pub(super) value: Range<usize>,
    /// Where the comma behind it is.
    comma: Option<usize>,
}

impl Container {
    /// Finds the container that is the whole text, around which there may be comments.
    pub(super) fn root(text: &str) -> Option<Container> {
        let (at, _) = tokens(text, 0).find(|(at, length)| !is_filling(&text[*at..*at + *length]))?;
        Container::at(text, at)
    }

    /// Reads the container that opens at a place; nothing if another value is there. The text must be valid.
    pub(super) fn at(text: &str, open: usize) -> Option<Container> {
        let has_keys = match text.as_bytes().get(open)? {
            b'{' => true,
            b'[' => false,
            _ => return None,
        };
        let mut slots: Vec<Slot> = Vec::new();
        let (mut depth, mut is_new, mut awaits_value) = (0_usize, true, false);
        for (at, length) in tokens(text, open + 1) {
            let token = &text[at..at + length];
            match token {
                _ if is_filling(token) => continue,
                "}" | "]" if depth == 0 => return Some(Container { open, close: at, slots }),
                "," if depth == 0 => {
                    slots.last_mut()?.comma = Some(at);
                    is_new = true;
                    continue;
                }
                ":" if depth == 0 && has_keys => {
                    awaits_value = true;
                    continue;
                }
                "{" | "[" => depth += 1,
                "}" | "]" => depth -= 1,
                _ => {}
            }
            if is_new {
                let key = if has_keys { serde_json::from_str(token).ok() } else { None };
                slots.push(Slot { start: at, key, value: at..at + length, comma: None });
            } else if let Some(slot) = slots.last_mut() {
                slot.value = if awaits_value { at } else { slot.value.start }..at + length;
                awaits_value = false;
            }
            is_new = false;
        }
        None
    }

    /// Finds a member by its key; of several with one key the last is in effect.
    pub(super) fn member(&self, key: &str) -> Option<usize> {
        self.slots.iter().rposition(|slot| slot.key.as_deref() == Some(key))
    }

    /// Tells whether its members stand on lines of their own, and returns the indentation there.
    pub(super) fn indent<'t>(&self, text: &'t str) -> Option<&'t str> {
        let lead = &text[self.lead(text, self.slots.last()?)];
        lead.rfind('\n').map(|at| &lead[at + 1..])
    }

    /// Returns the indentation of the closing bracket's line.
    pub(super) fn outer_indent<'t>(&self, text: &'t str) -> &'t str {
        let line = text[..self.close].rfind('\n').map_or(0, |at| at + 1);
        let line = &text[line..self.close];
        &line[..line.len() - line.trim_start().len()]
    }

    /// Puts a member behind the last one, in the same way. In an empty container it stands right behind the bracket.
    pub(super) fn insert(&self, text: &str, member: &str) -> String {
        let Some(last) = self.slots.last() else { return spliced(text, self.open + 1..self.open + 1, member) };
        let filled = tokens(text, self.open + 1).take_while(|(at, _)| *at < self.close);
        let filled = filled.filter(|(at, length)| !text[*at..*at + *length].trim().is_empty());
        let (at, length) = filled.last().unwrap_or((self.open, 1));
        let end = at + length;
        let lead = match text[self.lead(text, last)].rfind('\n') {
            Some(_) => newline(text).to_owned() + self.indent(text).unwrap_or_default(),
            // A comment would swallow what stands behind it.
            None if text[at..].starts_with("//") => format!("{} ", newline(text)),
            None if self.slots.len() > 1 => text[self.lead(text, last)].to_owned(),
            None => " ".to_owned(),
        };
        if last.comma.is_some() {
            return spliced(text, end..end, &format!("{lead}{member},"));
        }
        let longer = spliced(text, end..end, &format!("{lead}{member}"));
        spliced(&longer, last.value.end..last.value.end, ",")
    }

    /// Takes a member out, with the blanks before it and its comma.
    pub(super) fn remove(&self, text: &str, index: usize) -> String {
        let slot = &self.slots[index];
        let start = self.lead(text, slot).start;
        match (slot.comma, index.checked_sub(1).and_then(|before| self.slots[before].comma)) {
            (Some(comma), _) => {
                // The next one takes its place, right behind the bracket if it was there.
                let blanks = text[comma + 1..].len() - text[comma + 1..].trim_start().len();
                let blanks = if index == 0 && slot.start == self.open + 1 { blanks } else { 0 };
                let shorter = spliced(text, comma..comma + 1 + blanks, "");
                spliced(&shorter, start..slot.value.end, "")
            }
            (None, Some(before)) => {
                let shorter = spliced(text, start..slot.value.end, "");
                spliced(&shorter, before..before + 1, "")
            }
            (None, None) => spliced(text, start..slot.value.end, ""),
        }
    }

    /// Tells whether nothing would be left but the brackets, and the member was put in together with the container: only
    /// then blanks stand between it and the bracket.
    pub(super) fn goes_with(&self, text: &str, index: usize) -> bool {
        let slot = &self.slots[index];
        let behind = slot.comma.map_or(slot.value.end, |comma| comma + 1);
        self.slots.len() == 1
            && slot.start > self.open + 1
            && [self.open + 1..slot.start, slot.value.end..behind, behind..self.close]
                .iter()
                .all(|part| text[part.clone()].trim_matches(',').trim().is_empty())
    }

    /// Tells whether there is nothing but blanks around it.
    pub(super) fn is_all(&self, text: &str) -> bool {
        text[..self.open].trim().is_empty() && text[self.close + 1..].trim().is_empty()
    }

    /// Returns the blanks before a member.
    fn lead(&self, text: &str, slot: &Slot) -> Range<usize> {
        let inner = &text[self.open + 1..slot.start];
        self.open + 1 + inner.trim_end().len()..slot.start
    }
}

/// Returns the line end that a text uses.
pub(super) fn newline(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

pub(super) fn spliced(text: &str, range: Range<usize>, new: &str) -> String {
    [&text[..range.start], new, &text[range.end..]].concat()
}

/// Returns where each token begins from a place on, and its length: a string, a comment, or a single character.
fn tokens(text: &str, from: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
    let mut at = from;
    std::iter::from_fn(move || {
        let length = token_length(text.get(at..)?);
        at += length;
        (length > 0).then_some((at - length, length))
    })
}

/// Tells whether a token is a blank, a comment, or a byte order mark.
fn is_filling(token: &str) -> bool {
    token.trim().is_empty() || token.starts_with("//") || token.starts_with("/*") || token == "\u{feff}"
}
