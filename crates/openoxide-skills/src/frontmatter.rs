//! Finds the frontmatter of a skill file, and repairs the YAML mistakes that people commonly make in it.

mod json;
mod repair;
mod split;

pub use json::frontmatter_json;
pub(crate) use repair::{EditedText, is_repairable, is_valid_alone, lines, repair, soft_tabs, suggest};
pub(crate) use split::{Split, split};
