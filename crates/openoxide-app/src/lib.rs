#![doc = include_str!("../README.md")]

mod error;

pub use error::{Error, ErrorKind};
