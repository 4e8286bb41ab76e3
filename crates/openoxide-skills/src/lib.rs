#![doc = include_str!("../README.md")]

mod arguments;
mod catalog;
mod code;
mod diagnostic;
mod discover;
mod envelope;
mod expand;
mod frontmatter;
mod host;
mod judge;
mod mention;
mod namespace;
mod parse;
mod render;
mod resource;
mod root;
mod search;
mod select;
mod settings;
mod sidecar;
mod skill;
mod text;

pub use arguments::Arguments;
pub use catalog::{
    Catalog, Depth, Entry, Memory, Problem, Reason, SearchedRoot, Standing, Touched, View, discover_dir, load,
};
pub use code::Code;
pub use diagnostic::{Diagnostic, Fix, Level, Place};
pub use discover::LimitReached;
pub use envelope::{Attached, Cut, Loaded, Message, again, attachment, cut, envelope, finished, guarded, preloaded};
pub use expand::{Expanded, Expansion, FileRef, LeftAlone, Piece, Refusal, ShellPiece, Variables, WhyLeft, expand};
pub use frontmatter::frontmatter_json;
pub use host::*;
pub use judge::{Finding, Judged, is_skill_folder, judge};
pub use mention::{Flaw, Form, Mention, scan};
pub use parse::{Parsed, body_of, parse_bytes, parse_text};
pub use render::{Costs, How, Model, Prompt, Shown, Unit, catalog_budget, entry_costs, render};
pub use resource::*;
pub use root::{Root, Surroundings, resolve_roots};
pub use search::{Hit, QUERY_MAX, search};
pub use select::{Ignored, Selected, Selection, Turn, TurnItem, WhyNot, select};
pub use settings::{HostSettings, Origin, Plugin, Setting};
pub use skill::*;
pub use text::{RenderError, TerminalText, YamlFile, fill, is_deceptive, near, path_text, read_yaml, tokens};
