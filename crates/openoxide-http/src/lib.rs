#![doc = include_str!("../README.md")]

mod client;
mod text;

pub use client::http_client;
pub use text::{innermost, one_line};
