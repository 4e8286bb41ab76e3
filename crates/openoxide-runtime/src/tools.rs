//! The tools that give skills to a model, as contracts that any front end can offer.
//!
//! A contract is drawn from the host's data and the catalog, and holds no state: [`contracts`] makes them, a
//! [`ToolRegistry`] finds free names for them, and a [`Toolbox`] answers calls.

mod contract;
mod registry;
mod search;
mod toolbox;

pub use contract::{Tool, ToolResult, contracts};
pub use registry::{Conflict, NamesTaken, ToolRegistry};
pub use toolbox::{ToolCallStart, Toolbox};
