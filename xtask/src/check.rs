//! `check`: the quick checks, formatting and lints, for Linux and for macOS.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::shell::{answer, cargo, no_arguments, repository, run as run_command, say, step};

/// A system where no command can be confined, and the rest works.
const ELSEWHERE: &str = "x86_64-apple-darwin";

/// Runs `cargo xtask check`.
pub(crate) fn run(args: &[String]) -> Result<()> {
    no_arguments("check", args)?;
    format()?;
    lint()?;
    lint_elsewhere()
}

/// Checks that the code is formatted.
pub(crate) fn format() -> Result<()> {
    step("cargo fmt --all --check", || {
        run_command(&mut cargo(&["fmt", "--all", "--check"])).context("`cargo fmt --all` fixes this")
    })
}

/// Checks the lints of the workspace.
pub(crate) fn lint() -> Result<()> {
    let args = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
    step(&format!("cargo {}", args.join(" ")), || run_command(&mut cargo(&args)))
}

/// Checks the program for a system that is not Linux, where Rust's library for it is installed.
pub(crate) fn lint_elsewhere() -> Result<()> {
    let args = ["clippy", "--package", "openoxide-cli", "--target", ELSEWHERE, "--", "-D", "warnings"];
    step(&format!("cargo {}", args.join(" ")), || {
        if has_library(ELSEWHERE)? {
            return run_command(without_c(&mut cargo(&args)));
        }
        say(format!(
            "SKIPPED: it is not known whether this builds for {ELSEWHERE}; `rustup target add {ELSEWHERE}` installs what is missing"
        ));
        Ok(())
    })
}

fn has_library(target: &str) -> Result<bool> {
    let mut rustc = Command::new("rustc");
    let folder = answer(rustc.args(["--print", "target-libdir", "--target", target]).current_dir(repository()))?;
    Ok(Path::new(folder.trim()).is_dir())
}

/// Has dependencies skip their C sources, which would need a compiler for the other system. Nothing is linked.
fn without_c(command: &mut Command) -> &mut Command {
    let target = ELSEWHERE.replace('-', "_");
    command.env(format!("CC_{target}"), "true").env(format!("AR_{target}"), "true").env("SDKROOT", "/")
}
