//! Dependencies of skills: variables, MCP servers, and logins to these servers.

mod dependencies;
mod required;
mod servers;
mod variables;

pub(crate) use required::Dependencies;
pub(crate) use variables::{givable_variables, redact, set_variables, variables_of};
