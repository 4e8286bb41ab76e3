#![doc = include_str!("../README.md")]

mod arguments;
mod catalog;
mod code;
mod diagnostic;
mod discover;
mod expand;
mod frontmatter;
mod glob;
mod host;
mod judge;
mod namespace;
mod parse;
mod render;
mod root;
mod settings;
mod settings_file;
mod sidecar;
mod skill;
mod text;
mod yaml;

pub use arguments::Arguments;
pub use catalog::{Catalog, Depth, Entry, Problem, Reason, SearchedRoot, Standing, View, discover_dir, load};
pub use code::Code;
pub use diagnostic::{Diagnostic, Fix, Level, Place};
pub use discover::LimitReached;
pub use expand::{Expanded, Expansion, FileRef, LeftAlone, Piece, Refusal, ShellPiece, Variables, WhyLeft, expand};
pub use host::*;
pub use judge::{Finding, Judged, is_skill_folder, judge};
pub use parse::{Parsed, parse_bytes, parse_text};
pub use render::{Costs, How, Model, Prompt, RenderError, Shown, Unit, catalog_budget, entry_costs, render};
pub use root::{Root, Surroundings, resolve_roots};
pub use settings::{HostSettings, Origin, Plugin, Setting};
pub use settings_file::{YamlFile, read_yaml};
pub use skill::*;
pub use text::{TerminalText, is_deceptive, near, path_text, tokens};
