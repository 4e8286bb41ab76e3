//! `conformance`: runs the official MCP conformance suite against a build of the program.

mod client;
mod inspector;
mod server;
mod suite;

use anyhow::{Result, bail};

const USAGE: &str = "usage: cargo xtask conformance client|server";

/// Runs `cargo xtask conformance ARGS`.
pub(crate) fn run(args: &[String]) -> Result<()> {
    match args {
        [verb] if verb == "client" => client::run(),
        [verb] if verb == "server" => {
            server::run()?;
            inspector::run()
        }
        _ => bail!("{USAGE}"),
    }
}
