//! `fidelity record`: runs the real programs on the cases and writes their answers.

use std::path::Path;

use anyhow::Result;

use super::case::Case;
use super::peers::Peer;
use super::{addresses, call, claude, codex, mentions, omp, opencode};
use crate::shell::say;

/// Records the cases that the argument names, or all.
pub(super) fn run(args: &[String]) -> Result<()> {
    for case in Case::all(args.first().map(String::as_str))? {
        match case.peer.program() {
            Some(program) => record(&case, &program)?,
            None => say(format_args!("SKIPPED {}: {} is not installed", case.dir.display(), case.peer.host())),
        }
    }
    Ok(())
}

fn record(case: &Case, program: &Path) -> Result<()> {
    if case.wants("list") {
        let scene = case.scene()?;
        let answer = match case.peer {
            Peer::Codex => codex::list(program, &scene)?,
            Peer::ClaudeCode => claude::list(program, &scene)?,
            Peer::Omp => omp::ask(program, &scene)?.0,
            Peer::OpenCode => opencode::list(program, &scene)?,
        };
        case.write("answer.json", &answer)?;
    }
    if case.wants("catalog") {
        record_catalog(case, program)?;
    }
    if case.wants("activations") {
        record_activations(case, program)?;
    }
    if case.wants("mentions") {
        mentions::record(case, program)?;
    }
    if case.wants("served") && case.peer == Peer::OpenCode {
        let answer = opencode::serve::answers(program, &case.scene()?)?;
        case.write("served.json", &answer)?;
    }
    if case.wants("addresses") {
        addresses::record(case, program)?;
    }
    say(format_args!("recorded {}", case.dir.display()));
    Ok(())
}

fn record_catalog(case: &Case, program: &Path) -> Result<()> {
    let scene = case.scene()?;
    let lines = match case.peer {
        Peer::Omp => omp::ask(program, &scene)?.1,
        Peer::ClaudeCode => claude::session(program, &scene, case.window)?.listed,
        Peer::OpenCode => opencode::catalog(program, &scene)?,
        Peer::Codex => {
            let catalog = codex::catalog(program, &scene, case.window)?;
            if !catalog.roots.is_empty() {
                fs_err::write(case.dir.join("roots.txt"), text(&catalog.roots))?;
            }
            catalog.lines
        }
    };
    Ok(fs_err::write(case.dir.join("catalog.txt"), text(&lines))?)
}

fn record_activations(case: &Case, program: &Path) -> Result<()> {
    let scene = case.scene()?;
    let (calls, in_session) = case.calls()?;
    let outcomes = match case.peer {
        Peer::Codex => codex::activate::calls(program, &scene, &calls)?,
        Peer::OpenCode => opencode::activate::calls(program, &scene, &calls)?,
        Peer::Omp => omp::calls(program, &scene, &calls)?,
        Peer::ClaudeCode if in_session => claude::activate::session(program, &scene, &calls)?,
        Peer::ClaudeCode => {
            let alone = calls.chunks(1).map(|call| claude::activate::session(program, &scene, call));
            alone.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect()
        }
    };
    let answer = call::recorded(case.peer, &scene, &calls, &outcomes)?;
    case.write("activations.json", &answer)
}

fn text(lines: &[String]) -> String {
    lines.iter().flat_map(|line| [line, "\n"]).collect()
}
