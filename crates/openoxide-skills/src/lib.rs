#![doc = include_str!("../README.md")]

// The values: a skill, what is said about it, and the rules of the hosts.
pub mod skill;

mod code;
pub mod diagnostic;

pub mod host;
pub mod settings;

// The way from a project to catalogs: where to look, what is there, what each file says, which skills are active.
pub mod root;

mod boundary;
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
pub mod ownership;
pub mod text;

pub mod prelude;
