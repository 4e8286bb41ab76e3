//! The `openoxide` binary, thin over the library of the same crate.

use std::process::ExitCode;

fn main() -> ExitCode {
    openoxide_cli::main()
}
