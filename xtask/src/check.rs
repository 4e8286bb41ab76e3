//! `check`: the quick part of the tests, formatting and lints.

use anyhow::{Context as _, Result};

use crate::shell::{cargo, run as run_command, step};

/// Runs `cargo xtask check`.
pub(crate) fn run(args: &[String]) -> Result<()> {
    crate::no_arguments("check", args)?;
    format()?;
    lint()
}

/// Checks that the code is formatted.
pub(crate) fn format() -> Result<()> {
    step("cargo fmt --all --check", || {
        run_command(&mut cargo(&["fmt", "--all", "--check"])).context("`cargo fmt --all` mends this")
    })
}

/// Checks the lints of the workspace.
pub(crate) fn lint() -> Result<()> {
    let args = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
    step(&format!("cargo {}", args.join(" ")), || run_command(&mut cargo(&args)))
}
