//! Use case: run a script of a skill, in the sandbox.

use std::sync::Arc;

use openoxide_live::Snapshot;
use openoxide_runtime::{FinishedScript, ScriptCall, ScriptOutcome, ScriptRun};
use openoxide_sandbox::{Change, Ended};
use openoxide_skills::text::path_text;
use openoxide_wire::{FileChangeLine, RanLine, RunAnswer};

use crate::activate::{notice_line, refused_line};
use crate::error::Error;

/// Begins running a script. The operation ends with a [`ScriptOutcome`], of which [`answer`] makes the answer. What a
/// caller may not call, it may not run.
pub fn run(snapshot: &Snapshot, call: ScriptCall) -> Result<ScriptRun, Error> {
    Ok(ScriptRun::new(Arc::clone(snapshot.runtime()?), call))
}

/// Makes the answer of what came of it; `isolation` is what commands were isolated with.
pub fn answer(snapshot: &Snapshot, done: &ScriptOutcome, isolation: &str) -> RunAnswer {
    RunAnswer {
        host: snapshot.view.spec.id(),
        ran: done.result.as_ref().ok().map(|ran| ran_line(ran, isolation)),
        refused: done.result.as_ref().err().map(refused_line),
        notices: done.notices.iter().map(notice_line).collect(),
        ..RunAnswer::default()
    }
}

fn ran_line(ran: &FinishedScript, isolation: &str) -> RanLine {
    let outcome = &ran.outcome;
    RanLine {
        skill: ran.skill.clone(),
        path: path_text(&ran.path),
        digest: ran.digest.clone(),
        script: ran.script.clone(),
        ended: outcome.ended.as_str().to_owned(),
        status: if let Ended::Exit(status) = outcome.ended { Some(status) } else { None },
        stdout: String::from_utf8_lossy(&outcome.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&outcome.stderr).into_owned(),
        truncated: outcome.truncated,
        took: u64::try_from(outcome.took.as_millis()).unwrap_or(u64::MAX),
        isolation: isolation.to_owned(),
        changes: outcome.changes.iter().take(MOST_CHANGES).map(change_line).collect(),
        more_changes: outcome.changes.len().saturating_sub(MOST_CHANGES),
    }
}

/// Most changes that an answer lists.
const MOST_CHANGES: usize = 1000;

fn change_line(change: &Change) -> FileChangeLine {
    FileChangeLine {
        path: path_text(&change.path),
        change: change.kind.as_str().to_owned(),
        refused: change.refused.clone(),
    }
}
