//! The helper that the tests of this crate start commands with.

use std::process::ExitCode;

fn main() -> ExitCode {
    openoxide_sandbox::helper::main_if_asked().unwrap_or(ExitCode::FAILURE)
}
