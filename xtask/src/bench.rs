//! `bench`: runs the benchmarks, which print ratios measured within one run.

use std::process::Command;

use anyhow::ensure;

/// Builds the binary, then runs the benchmarks; further arguments go to them.
pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(&cargo).args(["build", "--release", "--quiet", "--package", "openoxide-cli"]).status()?;
    ensure!(built.success(), "the binary does not build");
    for (package, bench) in [
        ("openoxide-skills", "discovery"),
        ("openoxide-skills", "hostile"),
        ("openoxide-runtime", "activation"),
        ("openoxide-live", "fresh"),
    ] {
        let bench = ["bench", "--quiet", "--package", package, "--bench", bench, "--"];
        let measured = Command::new(&cargo).args(bench).args(args).status()?;
        ensure!(measured.success(), "the benchmarks of {package} failed");
    }
    Ok(())
}
