#![doc = include_str!("../README.md")]

// The values: a skill, what is said about it, and the rules of the hosts.
pub mod skill;

mod code;
pub mod diagnostic;

pub mod host;
pub mod settings;

// The way from a project to catalogs: where to look, what is there, what each file says, which skills are active.
pub mod root;

mod discover;
mod frontmatter;
pub mod parse;
mod sidecar;

pub mod catalog;
mod namespace;

// What a model and a user get from a catalog.
pub mod render;
pub mod search;

pub mod mention;
pub mod select;

mod arguments;
pub mod envelope;
pub mod expand;

pub mod resource;

// For authors of skills, and for all steps.
pub mod judge;
pub mod text;

pub mod prelude;

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
