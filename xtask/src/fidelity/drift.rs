//! `fidelity drift`: installs a version of a real program, and compares it with rules of ours.
//!
//! The rules are those of the edition that states the version, of the default one if none does, or those that `--host`
//! names. Random trees and turns are compared live, recorded cases line by line, and what differs is counted by rule.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use super::case::Case;
use super::live::{self, Options};
use super::peers::{self, Peer, Program, Rules};
use super::tally::Tally;
use super::usage::USAGE;
use super::{compare, record};
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
    // First what fails at once where there is no binary to compare with.
    let mut differences = live::compare_with(&rules, &program, &options)?;
    differences.join(recorded(&rules, &program)?);
    let total = differences.total();
    say(format_args!("drift: {total} differences\n{}", differences.summary()));
    ensure!(total == 0, "{} differs from the rules of {}", program.label(), rules.id);
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

/// Records every case anew, somewhere else, and compares both recordings line by line: `real` is the version, `ours` what is
/// recorded.
fn recorded(rules: &Rules, program: &Program) -> Result<Tally> {
    let scratch = tempfile::tempdir()?;
    let mut differences = Tally::default();
    for case in Case::of(rules, None)? {
        let answers = case.answered_in(scratch.path());
        if let Err(error) = record::record(&answers, program) {
            differences.add(&case.name(), &format!("not recorded: {error:#}"));
            continue;
        }
        for file in answers.recordings()? {
            let new = fs_err::read_to_string(answers.folder().join(&file)).unwrap_or_default();
            let (real, ours) = (lines(&file, &new), lines(&file, &case.recording(&file)?));
            for line in compare::in_order(&file, &real, &ours) {
                differences.add(&case.name(), &line);
            }
        }
    }
    Ok(differences)
}

/// Returns the lines of a recording, but for the program's name, and in JSON for what stands between two items.
fn lines(file: &str, text: &str) -> Vec<String> {
    let is_json = Path::new(file).extension() == Some("json".as_ref());
    let answers = text.lines().filter(|line| !line.starts_with("\"program\": "));
    answers.map(|line| if is_json { line.trim_end_matches(',') } else { line }.to_owned()).collect()
}
