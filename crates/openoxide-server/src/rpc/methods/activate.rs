//! Activates skills.

use std::{path::PathBuf, sync::Arc};

use openoxide_app::activate::{self, ActivateInput};
use openoxide_app::{Call, SkillRef, Snapshot, mentions::turn_of_input};
use openoxide_wire::{ArgumentsInput, CallerInput, TurnInput};
use serde::Deserialize;
use serde_json::Value;

use crate::rpc::{Client, ClientAsker, Result, RpcError, params, result};

#[derive(Deserialize)]
struct ActivateParams {
    /// The skill, by name or path.
    skill: Option<String>,
    /// What is said with the call.
    #[serde(default)]
    arguments: Option<ArgumentsInput>,
    /// A turn of the user; the skills that it names are called.
    turn: Option<TurnInput>,
    /// Who calls. Absent: the model.
    #[serde(default, rename = "as")]
    who: Option<CallerInput>,
    /// The conversation; one without a name if absent.
    #[serde(default)]
    session: String,
    cwd: Option<PathBuf>,
}

pub(super) async fn activate(client: &Client, given: Value) -> Result<Value> {
    let given: ActivateParams = params(given)?;
    let snapshot = client.snapshot(given.cwd.as_deref()).await?;
    let session = client.session(&given.session)?;
    let of = Arc::clone(&snapshot);
    let begin = move || activate::activate(&of, input(&of, given)?).map_err(RpcError::from);
    let operation = client.engine.work().run(begin).await??;
    let mut asker = ClientAsker::new(client);
    let (operation, done) = client.engine.complete(&snapshot, operation, &session, &mut asker).await??;
    let mut answer = operation.answer(&done);
    answer.notices.append(&mut asker.unasked);
    result(&answer)
}

fn input(snapshot: &Snapshot, given: ActivateParams) -> Result<ActivateInput> {
    let caller = activate::caller(given.who);
    match (given.skill, given.turn) {
        (Some(skill), None) => {
            let skill = SkillRef::Typed(skill).resolve_call(snapshot)?;
            let arguments = activate::arguments(given.arguments);
            Ok(ActivateInput::Skill(Call { skill, caller, arguments }))
        }
        (None, Some(turn)) if given.arguments.is_none() => {
            Ok(ActivateInput::Turn(turn_of_input(&snapshot.workspace, turn, &[]), caller))
        }
        _ => Err(RpcError::params("skills/activate takes a skill with its arguments, or a turn")),
    }
}
