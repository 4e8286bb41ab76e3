//! Prints the output of tasks, and runs other programs for them.

use std::fmt::Display;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, bail, ensure};

/// Prints one line of the result.
#[expect(clippy::print_stdout, reason = "a task's answer is its standard output")]
pub(crate) fn say(line: impl Display) {
    println!("{line}");
}

/// Reports why a task failed.
#[expect(clippy::print_stderr, reason = "the one place that reports failure")]
pub(crate) fn complain(error: &anyhow::Error) {
    eprintln!("error: {error:#}");
}

/// Fails if a task that takes no arguments was given some.
pub(crate) fn no_arguments(task: &str, args: &[String]) -> Result<()> {
    match args.first() {
        None => Ok(()),
        Some(arg) => bail!("`cargo xtask {task}` takes no arguments, but was given `{arg}`"),
    }
}

/// Returns the repository's root.
pub(crate) fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the repository")
}

/// Prepares `cargo ARGS` in the repository.
pub(crate) fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(args).current_dir(repository());
    // What cargo tells this program about its own package, build scripts of dependencies take for a change: everything
    // that needs them would be built again, and once more by the next call of cargo.
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(is_about_package) {
            command.env_remove(name);
        }
    }
    command
}

/// Builds the product for debugging; returns its program.
pub(crate) fn build() -> Result<PathBuf> {
    run(&mut cargo(&["build", "--quiet", "--package", "openoxide-cli"]))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    Ok(target.unwrap_or_else(|| repository().join("target")).join("debug/openoxide"))
}

/// Tells whether a variable is what cargo tells a program that it runs about its package.
fn is_about_package(name: &str) -> bool {
    ["CARGO_PKG_", "CARGO_MANIFEST_"].iter().any(|start| name.starts_with(start))
}

/// Tells whether a program can be started and answers with success.
pub(crate) fn works(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// Runs a command, showing its output; fails if it does.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let typed = typed(command);
    let status = command.status().with_context(|| format!("`{typed}` does not start"))?;
    ensure!(status.success(), "`{typed}` failed ({status})");
    Ok(())
}

/// Runs a command, showing its output, and hands each line of it to `line`; fails if it does.
pub(crate) fn run_reading(mut command: Command, mut line: impl FnMut(&str)) -> Result<()> {
    let typed = typed(&command);
    let (reader, writer) = std::io::pipe().context("no pipe can be made")?;
    command.stdout(writer.try_clone().context("a pipe cannot be shared")?).stderr(writer);
    let mut child = command.spawn().with_context(|| format!("`{typed}` does not start"))?;
    // The command holds the pipe's other end; while it lives, the output does not end.
    drop(command);
    for text in BufReader::new(reader).lines() {
        let text = text.with_context(|| format!("the output of `{typed}` cannot be read"))?;
        say(&text);
        line(&text);
    }
    let status = child.wait().with_context(|| format!("`{typed}` was lost"))?;
    ensure!(status.success(), "`{typed}` failed ({status})");
    Ok(())
}

/// Runs a command and returns its standard output; fails if it does.
pub(crate) fn answer(command: &mut Command) -> Result<String> {
    let typed = typed(command);
    let output = command.stderr(Stdio::inherit()).output().with_context(|| format!("`{typed}` does not start"))?;
    ensure!(output.status.success(), "`{typed}` failed ({})", output.status);
    String::from_utf8(output.stdout).with_context(|| format!("`{typed}` printed what is not UTF-8"))
}

/// Does one step of a task: says what it is, then how long it took.
pub(crate) fn step<T>(name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    say(format!("==> {name}"));
    let start = Instant::now();
    let result = work();
    let verdict = if result.is_ok() { "done" } else { "failed" };
    say(format!("    {verdict} in {:.1} s\n", start.elapsed().as_secs_f64()));
    result
}

/// Writes a command as a person would type it.
pub(crate) fn typed(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let words = std::iter::once(program).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_is_not_told_of_this_package() {
        // Cargo runs this test, and sets both.
        assert!(std::env::var_os("CARGO_PKG_NAME").is_some() && std::env::var_os("CARGO_MANIFEST_DIR").is_some());
        let command = cargo(&["--version"]);
        let removed: Vec<_> = command.get_envs().filter(|(_, value)| value.is_none()).map(|(name, _)| name).collect();
        assert!(
            ["CARGO_PKG_NAME", "CARGO_MANIFEST_DIR"].iter().all(|name| removed.contains(&name.as_ref())),
            "{removed:?}"
        );
        assert!(!removed.iter().any(|name| *name == "CARGO_HOME" || *name == "CARGO_TARGET_DIR"));
    }
}
