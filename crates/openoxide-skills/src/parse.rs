//! Reads the head of a skill file by a host's rules: always a value, with diagnostics.
//!
//! Finding files is `discover`'s work; deciding which skills are active is `catalog`'s.

use std::borrow::Cow;

pub use crate::frontmatter::frontmatter_json;
use crate::frontmatter::{self, Split};
use crate::host::{Mark, ParseRules};

mod cache;
mod careful;
mod conclude;
mod fields;
mod hooks;
mod lenient;
mod limits;
mod name;
mod parsed;
mod plain;
mod problems;
mod reader;
mod readings;
mod scalar;
mod tree;
mod typed;

pub(crate) use careful::CarefulReading;
pub use careful::{CarefulNames, CarefulReader};
pub(crate) use fields::is_alike;
pub(crate) use name::{first_bad, misfit};
pub(crate) use parsed::Head;
pub use parsed::{PREFIX_MAX, Parsed};
pub(crate) use readings::Readings;

/// Reads the text of a skill file by a host's rules; `folder` is what its place calls it.
///
/// ```
/// # use openoxide_skills::host::Hosts;
/// # use openoxide_skills::parse::parse_text;
/// let hosts = Hosts::builtin();
/// let host = hosts.get("openoxide").unwrap().host().unwrap();
/// let parsed = parse_text("---\nname: pdf\ndescription: Fill forms\n---\nDo it.\n", "pdf", &host.parse);
/// assert_eq!((&*parsed.name, parsed.problems.len()), ("pdf", 0));
/// ```
pub fn parse_text(text: &str, folder: &str, rules: &ParseRules) -> Parsed {
    parse_bytes(text.as_bytes(), folder, rules)
}

/// Reads the bytes of a whole skill file by a host's rules.
pub fn parse_bytes(bytes: &[u8], folder: &str, rules: &ParseRules) -> Parsed {
    let head = Head { bytes, text: std::str::from_utf8(bytes), whole: true, folder, real_folder: folder };
    parse_head(head, rules).unwrap_or_default()
}

/// Reads the head of a skill file by a host's rules; `None` means that more of the file is needed.
pub(crate) fn parse_head(head: Head<'_>, rules: &ParseRules) -> Option<Parsed> {
    reader::parse(head, &parsed::Reading::alone(rules), &mut cache::Trees::default())
}

/// Returns what follows the frontmatter of a skill file; the whole text if it has none.
///
/// ```
/// # use openoxide_skills::host::Hosts;
/// # use openoxide_skills::parse::body_of;
/// let host = Hosts::builtin().get("openoxide").unwrap().host().unwrap();
/// assert_eq!(body_of("---\nname: pdf\n---\nDo it.\n", &host.parse), "Do it.\n");
/// ```
pub fn body_of<'t>(text: &'t str, rules: &ParseRules) -> Cow<'t, str> {
    fn after_fence(text: &str, rules: &ParseRules) -> Option<usize> {
        let mark = if rules.byte_order_mark == Mark::Accept && text.starts_with('\u{feff}') { 3 } else { 0 };
        match frontmatter::split(&text[mark..], rules.fence) {
            Split::Found { body, .. } => Some(mark + body),
            _ => None,
        }
    }
    if let Some(body) = after_fence(text, rules) {
        return Cow::Borrowed(&text[body..]);
    }
    match lenient::prepare(text, rules, true) {
        lenient::Prepared::Changed(edited) => match after_fence(&edited.text, rules) {
            Some(body) => Cow::Owned(edited.text[body..].to_owned()),
            None => Cow::Borrowed(text),
        },
        _ => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests;
