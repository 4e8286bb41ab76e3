//! Expands a skill's text for one call: finds arguments, commands and names of files in one pass.
//!
//! Nothing is read or run here. [`expand`] returns pieces: text, and commands that the caller may run; [`Expanded`] puts
//! their output into place. What arguments say and what commands print is never looked through again.

mod mark;
mod pieces;
mod placeholder;
mod readers;
mod rules;
mod script;
mod simple_command;
mod walk;

#[cfg(test)]
mod tests;

pub use self::pieces::{CommandRefusal, Expanded, FileRef, LeftAlone, LeftAloneReason, Piece, ShellPiece};
pub use self::rules::{Expansion, Variables};
pub use crate::arguments::Arguments;
use crate::text::fill;
use crate::text::markdown::{self, Dialect};

/// Reads a text by a host's rules. Without arguments, placeholders are treated as if nothing had been typed.
pub fn expand(body: &str, rules: &Expansion<'_>, arguments: Option<&Arguments>, variables: &Variables) -> Expanded {
    let none = Arguments::default();
    let arguments = arguments.unwrap_or(&none);
    let command_end = |at| Some(mark::inline(body, at, rules.shell?)?.span.end);
    // What any program might take for code is left alone, and nothing in it is run.
    let code = || markdown::regions(body, Dialect::Widest, command_end);
    let regions = if rules.looks_into_code() { Vec::new() } else { code() };
    let placeholders = placeholder::Placeholders::new(rules, arguments, variables, body, &regions);
    let (mut expanded, took) = walk::walk(body, rules, &placeholders, &regions);
    if !took && !arguments.raw.is_empty() {
        let append = rules.arguments.and_then(|rules| rules.append.as_deref());
        expanded.appended = append.map(|text| fill(text, &[("arguments", &arguments.raw)]));
    }
    expanded
}
