//! `fidelity record`: runs the real programs on the cases and writes their answers.

use anyhow::Result;

use super::case::Case;
use super::peers::{Peer, Program, Rules};
use super::{addresses, call, claude, codex, mentions, omp, opencode};
use crate::shell::say;

/// Records the cases that the argument names, or all: `HOST`, `HOST@EDITION`, or one of them with `/CASE`.
pub(super) fn run(args: &[String]) -> Result<()> {
    let (rules, name) = match args.first().map(|arg| arg.split_once('/').unwrap_or((arg, ""))) {
        Some((id, name)) => (vec![Rules::named(id)?], Some(name).filter(|name| !name.is_empty())),
        None => (Peer::ALL.into_iter().map(Peer::editions).collect::<Result<Vec<_>>>()?.concat(), None),
    };
    for rules in rules {
        let Some(program) = rules.program() else {
            say(format_args!("SKIPPED {}: {} is not installed", rules.id, rules.measured_on));
            continue;
        };
        for case in Case::of(&rules, name)? {
            record(&case, &program)?;
            say(format_args!("recorded {}", case.name()));
        }
    }
    Ok(())
}

/// Writes what a program answers to a case.
pub(super) fn record(case: &Case, program: &Program) -> Result<()> {
    if case.wants("list") {
        let scene = case.scene()?;
        let answer = match program.peer {
            Peer::Codex => codex::list(program, &scene)?,
            Peer::ClaudeCode => claude::list(program, &scene)?,
            Peer::Omp => omp::ask(program, &scene)?.0,
            Peer::OpenCode => opencode::list(program, &scene)?,
        };
        case.write(program, "answer.json", &answer)?;
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
    if case.wants("served") && program.peer == Peer::OpenCode {
        let answer = opencode::serve::answers(program, &case.scene()?)?;
        case.write(program, "served.json", &answer)?;
    }
    if case.wants("addresses") {
        addresses::record(case, program)?;
    }
    Ok(())
}

fn record_catalog(case: &Case, program: &Program) -> Result<()> {
    let scene = case.scene()?;
    let lines = match program.peer {
        Peer::Omp => omp::ask(program, &scene)?.1,
        Peer::ClaudeCode => claude::session(program, &scene, case.window)?.listed,
        Peer::OpenCode => opencode::catalog(program, &scene)?,
        Peer::Codex => {
            let catalog = codex::catalog(program, &scene, case.window)?;
            if !catalog.roots.is_empty() {
                case.write_text("roots.txt", &text(&catalog.roots))?;
            }
            catalog.lines
        }
    };
    case.write_text("catalog.txt", &text(&lines))
}

fn record_activations(case: &Case, program: &Program) -> Result<()> {
    let scene = case.scene()?;
    let (calls, in_session) = case.calls()?;
    let outcomes = match program.peer {
        Peer::Codex => codex::activate::calls(program, &scene, &calls)?,
        Peer::OpenCode => opencode::activate::calls(program, &scene, &calls)?,
        Peer::Omp => omp::calls(program, &scene, &calls)?,
        Peer::ClaudeCode if in_session => claude::activate::session(program, &scene, &calls)?,
        Peer::ClaudeCode => {
            let alone = calls.chunks(1).map(|call| claude::activate::session(program, &scene, call));
            alone.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect()
        }
    };
    let answer = call::recorded(program.peer, &scene, &calls, &outcomes);
    case.write(program, "activations.json", &answer)
}

fn text(lines: &[String]) -> String {
    lines.iter().flat_map(|line| [line, "\n"]).collect()
}
