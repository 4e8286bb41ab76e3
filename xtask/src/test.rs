//! `test`: runs every check that a change has to pass, and stops at the first failure.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use openoxide_testkit::TestContext;

use crate::shell::{cargo, no_arguments, run as run_command, run_reading, say, step, typed, works};
use crate::{attacks, check, generate, metadata, needs};

/// How many tests ran, and how they ended.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Counts {
    passed: usize,
    failed: usize,
    ignored: usize,
}

/// Runs `cargo xtask test`.
pub(crate) fn run(args: &[String]) -> Result<()> {
    no_arguments("test", args)?;
    let start = Instant::now();
    step("what the tests need", needs::install)?;
    check::format()?;
    check::lint()?;
    check::lint_elsewhere()?;
    attacks::forget()?;
    let outcome = tests();
    let table = attacks::table();
    if let (Err(_), Ok(Some(table))) = (&outcome, &table) {
        say(table);
    }
    let (counts, table) = (outcome?, table?);
    step("cargo xtask generate --check", generate::compare)?;
    smoke()?;
    let Counts { passed, failed, ignored } = counts;
    let seconds = start.elapsed().as_secs_f64();
    match table {
        Some(table) => say(format!("attacks, and what came of them through each face:\n\n{table}")),
        None => say("skipped: the table of attacks, which takes cargo-nextest\n"),
    }
    say(format!("all is well: {passed} tests passed, {failed} failed, {ignored} ignored, in {seconds:.0} s"));
    Ok(())
}

/// Runs the tests, with nextest if it is there. Only nextest ends a test that hangs: `.config/nextest.toml` says when.
/// It leaves out the examples in the documentation, which run after it.
fn tests() -> Result<Counts> {
    if works(&mut cargo(&["nextest", "--version"])) {
        let tests = counted(&["nextest", "run", "--workspace", "--profile", "ci"])?;
        return Ok(tests.and(counted(&["test", "--workspace", "--doc", "--no-fail-fast"])?));
    }
    counted(&["test", "--workspace", "--no-fail-fast"])
}

fn counted(args: &[&str]) -> Result<Counts> {
    let mut command = cargo(args);
    // A snapshot that differs is a failure, not a file to leave behind.
    command.env("INSTA_UPDATE", "no");
    step(&typed(&command), || {
        let mut counts = Counts::default();
        run_reading(command, |line| counts = counts.and(Counts::of(line)))?;
        Ok(counts)
    })
}

/// Builds the binary as users get it, and runs it once with nothing around.
fn smoke() -> Result<()> {
    let args = ["build", "--release", "--package", "openoxide-cli"];
    step(&format!("cargo {}", args.join(" ")), || run_command(&mut cargo(&args)))?;
    let binary = metadata::target()?.join("release/openoxide");
    step("openoxide list, with an empty home", || list_nothing(&binary))
}

fn list_nothing(binary: &Path) -> Result<()> {
    let context = TestContext::new();
    let output = context.run(binary, ["list"]);
    say(&output);
    ensure!(output.status == Some(0), "`openoxide list` must succeed in an empty project");
    ensure!(output.stdout.is_empty(), "`openoxide list` must print no skill in an empty project");
    let left = fs_err::read_dir(context.home()).context("the home of the run is gone")?.count();
    ensure!(left == 0, "`openoxide list` must leave the home as it was");
    Ok(())
}

impl Counts {
    /// Reads the last line of a group of tests: `test result: ok. 3 passed; 0 failed; 1 ignored; …`, or nextest's
    /// `Summary [ 0.1s] 4 tests run: 3 passed, 1 skipped`.
    fn of(line: &str) -> Counts {
        let line = line.trim_start();
        if !line.starts_with("test result: ") && !line.starts_with("Summary [") {
            return Counts::default();
        }
        let words: Vec<&str> = line.split([' ', ';', ',', '.']).filter(|word| !word.is_empty()).collect();
        let number = |noun: &str| {
            words.windows(2).find(|pair| pair[1] == noun).and_then(|pair| pair[0].parse().ok()).unwrap_or_default()
        };
        Counts { passed: number("passed"), failed: number("failed"), ignored: number("ignored") + number("skipped") }
    }

    fn and(self, other: Counts) -> Counts {
        Counts {
            passed: self.passed + other.passed,
            failed: self.failed + other.failed,
            ignored: self.ignored + other.ignored,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_counted() {
        let line = "test result: FAILED. 31 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.02s";
        assert_eq!(Counts::of(line), Counts { passed: 31, failed: 2, ignored: 1 });
        let line = "     Summary [   0.015s] 33 tests run: 31 passed, 2 failed, 1 skipped";
        assert_eq!(Counts::of(line), Counts { passed: 31, failed: 2, ignored: 1 });
        assert_eq!(Counts::of("running 3 tests"), Counts::default());
    }
}
