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
    Catalog, Changes, Depth, Entry, IncrementalLoader, Problem, Reason, SearchedRoot, Status, View, discover_dir, load,
};
pub use code::Code;
pub use diagnostic::{Diagnostic, Fix, Level, Place};
pub use discover::LimitReached;
pub use envelope::{
    AttachedFile, CutText, LoadedSkill, Message, again, attachment, cut, envelope, finished, guarded, preloaded,
};
pub use expand::{
    CommandRefusal, Expanded, Expansion, FileRef, LeftAlone, LeftAloneReason, Piece, ShellPiece, Variables, expand,
};
pub use frontmatter::frontmatter_json;
pub use host::*;
pub use judge::{Judgment, SkillFinding, is_skill_folder, judge};
pub use mention::{Mention, MentionFlaw, MentionForm, scan};
pub use parse::{Parsed, body_of, parse_bytes, parse_text};
pub use render::{BudgetUnit, DetailLevel, EntryCosts, Model, Prompt, ShownSkill, catalog_budget, entry_costs, render};
pub use resource::*;
pub use root::{Root, Surroundings, resolve_roots};
pub use search::{QUERY_MAX, SearchHit, search};
pub use select::{IgnoredMention, IgnoredReason, Selected, Selection, Turn, TurnItem, select};
pub use settings::{HostSettings, Origin, Plugin, Setting};
pub use skill::*;
pub use text::{RenderError, TerminalText, YamlFile, fill, is_deceptive, near, path_text, read_yaml, tokens};
