//! The catalog: what one host finds, in the host's order, with the status of every skill.
//!
//! [`load`] makes one catalog for each view; [`IncrementalLoader`] does so again and again, and looks only where something changed.

mod build;
mod contents;
mod entry;
mod filter;
mod incremental;
mod load;
mod order;
mod permission;
mod rank;
mod view;

pub use contents::{Catalog, SearchedRoot};
pub use entry::{Entry, Problem, Reason, Status};
pub use incremental::{Changes, IncrementalLoader};
pub use load::{Depth, discover_dir, load};
pub(crate) use order::{collator, sort_entries};
pub use view::View;

pub use crate::discover::LimitReached;

#[cfg(test)]
mod tests;
