#![doc = include_str!("../README.md")]

mod error;
mod find;
mod values;

pub mod paths;

pub mod check;
pub mod hosts;
pub mod new;
pub mod off;
pub mod roots;
pub mod settings;
pub mod switch;

pub use error::{Error, ErrorKind};
pub use find::{find, unknown};
pub use values::*;
