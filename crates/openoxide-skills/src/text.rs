//! Reads and writes text for several steps: YAML, Markdown, templates, glob patterns, shell words, small rules.

mod blank;
pub(crate) mod glob;
pub(crate) mod markdown;
mod near;
pub(crate) mod shell;
pub(crate) mod template;
mod terminal;
pub(crate) mod yaml;
pub(crate) mod yaml_value;

pub(crate) use blank::{collapse, is_blank};
pub use near::near;
pub use template::RenderError;
pub use terminal::{TerminalText, is_deceptive, path_text};
pub(crate) use terminal::{one_line, plain_line};
pub use yaml_value::{YamlFile, read_yaml};

/// Fills the `{name}` placeholders of a short text, in one pass, so that a value is never read for another placeholder.
pub fn fill(text: &str, fills: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        filled.push_str(&rest[..at]);
        rest = &rest[at..];
        let hit = fills.iter().find(|(name, _)| rest[1..].strip_prefix(name).is_some_and(|end| end.starts_with('}')));
        let taken = hit.map_or(1, |(name, _)| name.len() + 2);
        filled.push_str(hit.map_or("{", |(_, value)| value));
        rest = &rest[taken..];
    }
    filled.push_str(rest);
    filled
}

/// Estimates how many tokens a text of `bytes` bytes is.
pub fn tokens(bytes: u64) -> u64 {
    bytes.div_ceil(4)
}

pub(crate) fn utf16_len(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// Returns the first `units` UTF-16 units; half a pair becomes a replacement character, as programs send it.
pub(crate) fn cut_utf16(text: &str, units: usize) -> String {
    String::from_utf16_lossy(&text.encode_utf16().take(units).collect::<Vec<_>>())
}
