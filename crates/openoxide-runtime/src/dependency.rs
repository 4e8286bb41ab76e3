//! Dependencies of skills: variables, MCP servers, and logins to these servers.

mod dependencies;
mod program;
mod servers;
mod variables;

pub(crate) use dependencies::Dependencies;
pub(crate) use variables::{givable_variables, redact, refused_variables, set_variables, variables_of};
