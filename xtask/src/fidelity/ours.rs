//! Asks OpenOxide the same questions as the real programs.

use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::codex::Catalog;
use super::peers::{Peer, Rules};
use super::scene::Scene;
use super::{claude, codex, omp, opencode};

/// Returns what `openoxide list --json` says.
pub(super) fn list(bin: &Path, scene: &Scene, rules: &Rules) -> Result<Value> {
    let output = run(bin, scene, &["list", "--host", &rules.id, "--json"])?;
    serde_json::from_str(&output).context("`openoxide list --json` printed no JSON")
}

/// Returns what `openoxide app-server` answers to `skills/list`, whole.
pub(super) fn whole_list(bin: &Path, scene: &Scene, rules: &Rules) -> Result<Value> {
    let mut command = scene.command(bin);
    command.args(["app-server", "--host", &rules.id]).args(scene.args.iter().map(|word| scene.placed(word)));
    codex::ask_for_list(&mut codex::greeted(&mut command)?, scene)
}

/// Returns the lines that `openoxide prompt` prints for skills.
pub(super) fn prompt(bin: &Path, scene: &Scene, rules: &Rules, window: Option<u64>) -> Result<Catalog> {
    let window = window.map(|window| window.to_string());
    let mut args = vec!["prompt", "--host", &rules.id];
    if let Some(window) = &window {
        args.extend(["--window", window]);
    }
    let text = scene.portable(&run(bin, scene, &args)?);
    Ok(match rules.peer {
        Peer::Codex => codex_lines(&text),
        Peer::Omp => Catalog { roots: Vec::new(), lines: omp::entries(&text) },
        Peer::ClaudeCode => Catalog { roots: Vec::new(), lines: claude_lines(&text) },
        Peer::OpenCode => Catalog { roots: Vec::new(), lines: opencode::entries(&text) },
    })
}

/// Takes the lines of skills and of roots, whatever stands around them.
fn codex_lines(text: &str) -> Catalog {
    let (roots, rest): (Vec<&str>, Vec<&str>) = text
        .lines()
        .filter(|line| line.starts_with("- "))
        .partition(|line| line.starts_with("- `r") && line.contains("` = `"));
    let lines = rest.into_iter().filter(|line| line.contains("(file: ") && line.ends_with(')'));
    Catalog { roots: roots.into_iter().map(str::to_owned).collect(), lines: lines.map(str::to_owned).collect() }
}

/// Takes everything from the first entry on, because texts may have several lines.
fn claude_lines(text: &str) -> Vec<String> {
    claude::unwrapped(text).split('\n').skip_while(|line| !line.starts_with("- ")).map(str::to_owned).collect()
}

/// Returns what `openoxide mentions --json` says of a turn.
pub(super) fn mentions(bin: &Path, scene: &Scene, rules: &Rules, turn: &Value) -> Result<Value> {
    let mut command = scene.command(bin);
    command.args(["mentions", "--turn", "--json", "--host", &rules.id]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().with_context(|| format!("`{}` does not start", bin.display()))?;
    child.stdin.take().context("the child has no standard input")?.write_all(turn.to_string().as_bytes())?;
    let output = child.wait_with_output()?;
    ensure!(output.status.success(), "`openoxide mentions` failed");
    serde_json::from_slice(&output.stdout).context("`openoxide mentions --json` printed no JSON")
}

fn run(bin: &Path, scene: &Scene, args: &[&str]) -> Result<String> {
    let mut command = scene.command(bin);
    command.args(args).args(scene.args.iter().map(|word| scene.placed(word)));
    let output = command.output().with_context(|| format!("`{}` does not start", bin.display()))?;
    let talk = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "`openoxide {}` failed: {talk}", args.join(" "));
    String::from_utf8(output.stdout).context("`openoxide` printed no UTF-8")
}
