//! Recognizes frontmatter that all hosts read alike, so that its fields are taken once for all of them.

use crate::host::{ParseRules, UnknownFields};
use crate::text::is_blank;
use crate::text::yaml::{Node, Pair, Value};

/// The standard's keys. None of them is a yes or no.
const KEYS: [&str; 6] = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];

/// A set of the standard's keys, a bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Keys(u8);

impl Keys {
    pub(crate) fn read_by(rules: &ParseRules) -> Keys {
        let read = &rules.fields.read;
        let is_read = |key: &&str| read.is_empty() || read.iter().any(|name| name == key);
        Keys(KEYS.iter().enumerate().filter(|(_, key)| is_read(key)).fold(0, |bits, (at, _)| bits | 1 << at))
    }

    /// Returns the keys of a frontmatter in which nothing is left to a host's rules: every key is the standard's and
    /// stands once, and every value is what anyone takes for text.
    pub(super) fn of_plain(root: &Node<'_>) -> Option<Keys> {
        let pairs = root.as_map()?;
        let mut keys = 0;
        for (key, value) in pairs {
            let at = KEYS.iter().position(|known| key.as_text() == Some(known))?;
            let is_plain = match (&value.value, KEYS[at]) {
                (Value::Map(inner), "metadata") => is_plain_map(inner),
                (Value::Scalar { .. }, "metadata") => false,
                (Value::List(items), "allowed-tools") => items.iter().all(is_text),
                (Value::Scalar { text, .. }, "name") => is_text(value) && !text.ends_with(is_blank),
                _ => is_text(value),
            };
            if !is_plain || keys & 1 << at != 0 {
                return None;
            }
            keys |= 1 << at;
        }
        root.first_feature().is_none().then_some(Keys(keys))
    }

    /// Returns what tells hosts apart that read such a frontmatter; nothing if more does.
    pub(super) fn reading(self, read: Keys, rules: &ParseRules) -> Option<(Keys, crate::host::Clean)> {
        let taken = Keys(self.0 & read.0);
        (taken == self || rules.fields.unknown == UnknownFields::Keep).then_some((taken, rules.clean))
    }
}

fn is_plain_map(pairs: &[Pair<'_>]) -> bool {
    let is_new = |at: usize| pairs[..at].iter().all(|(earlier, _)| earlier.as_text() != pairs[at].0.as_text());
    pairs.iter().enumerate().all(|(at, (key, value))| is_text(key) && is_text(value) && is_new(at))
}

/// Tells whether anyone takes a value for text: it is quoted, or begins with a letter and is no word of YAML's.
fn is_text(node: &Node<'_>) -> bool {
    const WORDS: [&str; 9] = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"];
    let Value::Scalar { text, plain } = &node.value else { return false };
    let is_word = || WORDS.iter().any(|word| text.eq_ignore_ascii_case(word));
    let is_trimmed = !text.starts_with(is_blank) && !text.is_empty();
    is_trimmed && (!plain || (text.starts_with(|first: char| first.is_ascii_alphabetic()) && !is_word()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<u8>) {
        let root = crate::text::yaml::parse(text).unwrap();
        assert_eq!(Keys::of_plain(&root), expected.map(Keys), "{text}");
    }

    #[test]
    fn only_what_nobody_reads_differently_is_plain() {
        check("name: a\ndescription: B c", Some(0b11));
        check("name: a\nmetadata:\n  version: \"1.0\"\n  by: me\nallowed-tools: Read", Some(0b11_0001));
        check("description: |\n  Two\n  lines", Some(0b10));
        for text in [
            "name: 1",
            "name: yes",
            "name: \"\"",
            "name: \" a\"",
            "name: \"a \"",
            "name: \"a\u{feff}\"",
            "name: a\nname: b",
            "name: a\nother: b",
            "name: a\nhide: x",
            "name: &a b",
            "name: !t b",
            "allowed-tools: [A, B]",
            "metadata: x",
            "metadata:\n  a: 1",
            "metadata:\n  a: b\n  a: c",
            "- name",
        ] {
            check(text, None);
        }
    }
}
