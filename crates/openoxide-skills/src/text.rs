//! Reads and writes text for several steps: YAML, Markdown, templates, glob patterns, shell words, small rules.

mod blank;
mod fill;
pub(crate) mod glob;
pub(crate) mod markdown;
mod measure;
mod near;
pub(crate) mod shell;
pub(crate) mod template;
mod terminal;
pub(crate) mod yaml;
pub(crate) mod yaml_file;
pub(crate) mod yaml_scalar;

pub(crate) use blank::{collapse, is_blank};
pub use fill::fill;
pub use measure::tokens;
pub(crate) use measure::{cut_utf16, utf16_len};
pub use near::near;
pub use template::RenderError;
pub use terminal::{TerminalText, is_deceptive, path_text};
pub(crate) use terminal::{one_line, plain_line};
pub use yaml_file::{YamlFile, read_yaml};
