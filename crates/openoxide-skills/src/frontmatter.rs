//! Finds the frontmatter of a skill file, and repairs the YAML mistakes that people commonly make in it.

mod edits;
mod json;
mod repair;
mod split;

pub(crate) use edits::{EditedText, soft_tabs};
pub use json::frontmatter_json;
pub(crate) use repair::{is_repairable, repair, suggest};
pub(crate) use split::{Split, split};
