#![doc = include_str!("../README.md")]

mod error;
mod find;
mod snapshot;
mod values;

pub mod paths;

pub mod check;
pub mod explain;
pub mod hosts;
pub mod link;
pub mod list;
pub mod mentions;
pub mod new;
pub mod off;
pub mod overview;
pub mod prompt;
pub mod roots;
pub mod schema;
pub mod settings;
pub mod show;
pub mod switch;
pub mod trust;

pub use error::{Error, ErrorKind};
pub use find::{SkillReference, find, unknown};
pub use snapshot::{OpenInput, open, open_workspace, refuse_bad_settings};
pub use values::*;
