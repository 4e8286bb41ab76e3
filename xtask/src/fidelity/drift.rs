//! `fidelity drift`: installs a version of a real program, and compares it with rules of ours.
//!
//! The rules are those of the edition that states the version, of the default one if none does, or those that `--host`
//! names. Recorded cases come first: what the version answers otherwise than the recording is shown line by line.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use super::case::Case;
use super::live::{self, Options};
use super::peers::{self, Peer, Program, Rules};
use super::record;
use super::usage::USAGE;
use crate::shell::say;

/// Installs, compares and reports; fails if anything differs.
pub(super) fn run(args: &[String]) -> Result<()> {
    let Some((id, rest)) = args.split_first() else { bail!("{USAGE}") };
    let (host, version) = id.split_once('@').with_context(|| format!("`{id}` names no version\n{USAGE}"))?;
    let peer = Peer::of(host).with_context(|| format!("no real program is known for the host `{host}`"))?;
    let options = Options::parse(rest)?;
    let program = install(peer, version)?;
    let rules = options.rules.clone().map_or_else(|| Rules::for_version(peer, version), Ok)?;
    say(format_args!(
        "drift: {} against the rules of {}, measured on {}",
        program.label(),
        rules.id,
        rules.measured_on
    ));
    let n_recorded = recorded(&rules, &program)?;
    let n_live = live::compare_with(&rules, &program, &options)?;
    say(format_args!("drift: {n_recorded} lines of recordings differ, {n_live} differences live"));
    ensure!(n_recorded + n_live == 0, "{} differs from the rules of {}", program.label(), rules.id);
    Ok(())
}

/// Installs a version with npm, unless it is there.
fn install(peer: Peer, version: &str) -> Result<Program> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+');
    ensure!(
        version.starts_with(|c: char| c.is_ascii_digit()) && version.chars().all(is_plain),
        "`{version}` is no version"
    );
    let folder = peers::drift_folder().join(format!("{}@{version}", peer.host()));
    if let Some(program) = Program::below(peer, &folder) {
        return Ok(program);
    }
    let place = folder.join(peer.folder());
    fs_err::create_dir_all(&place)?;
    fs_err::write(place.join("package.json"), "{\"private\":true}\n")?;
    let wanted = format!("{}@{version}", peer.npm());
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--force", "--loglevel=error", &wanted]).current_dir(&place);
    ensure!(npm.status().context("npm does not start")?.success(), "npm did not install {wanted}");
    Program::below(peer, &folder).with_context(|| format!("{wanted} has no program for this machine"))
}

/// Records every case anew, somewhere else, and shows what differs. Returns the number of lines.
fn recorded(rules: &Rules, program: &Program) -> Result<usize> {
    let scratch = tempfile::tempdir()?;
    let mut n_lines = 0;
    for case in Case::of(rules, None)? {
        let answers = case.answered_in(scratch.path());
        if let Err(error) = record::record(&answers, program) {
            say(format_args!("{}: {error:#}", case.name()));
            n_lines += 1;
            continue;
        }
        for file in files(answers.folder())? {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            n_lines += differences(&case, &name, &fs_err::read_to_string(&file)?)?;
        }
    }
    Ok(n_lines)
}

fn differences(case: &Case, file: &str, new: &str) -> Result<usize> {
    let old = case.recording(file)?;
    let lines = |text: &str| {
        let answers = text.lines().filter(|line| !line.starts_with("\"program\": "));
        answers.map(|line| line.trim_end_matches(',').to_owned()).collect::<Vec<_>>()
    };
    let (old, new) = (lines(&old), lines(new));
    let gone = old.iter().filter(|line| !new.contains(line)).map(|line| ("recorded", line));
    let come = new.iter().filter(|line| !old.contains(line)).map(|line| ("now     ", line));
    let all: Vec<_> = gone.chain(come).collect();
    for (side, line) in &all {
        say(format_args!("{}/{file}: {side} {line}", case.name()));
    }
    Ok(all.len())
}

fn files(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs_err::read_dir(dir)? {
        files.push(entry?.path());
    }
    files.sort();
    Ok(files)
}
