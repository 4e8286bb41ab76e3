//! The tools that give skills to a model, as contracts that any front end can offer.
//!
//! A contract is drawn from the host's data and the catalog, and holds no state: [`contracts`] makes them, a
//! [`ToolRegistry`] finds free names for them, and a [`Toolbox`] answers calls.

mod contract;
mod registry;
mod result;
mod search;
mod toolbox;

pub use contract::{Tool, contracts};
pub use registry::{Conflict, NoName, ToolRegistry};
pub use result::ToolResult;
pub use toolbox::{ToolCallStart, Toolbox};
