//! The `openoxide` binary, thin over the library of the same crate.

use std::process::ExitCode;

fn main() -> ExitCode {
    // Inside a sandbox this process is the helper and nothing else.
    openoxide_app::sandbox_helper::main_if_asked().unwrap_or_else(openoxide_cli::main)
}
