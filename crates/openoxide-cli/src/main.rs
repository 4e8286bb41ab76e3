//! The `openoxide` binary, thin over the library of the same crate.

use std::process::ExitCode;

/// Only on Linux: elsewhere it would take a C compiler for that system to check the code.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // Inside a sandbox this process is the helper and nothing else.
    openoxide_app::sandbox_helper::main_if_asked().unwrap_or_else(openoxide_cli::main)
}
