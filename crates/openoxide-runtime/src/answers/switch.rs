//! What was switched.

use openoxide_config::Switched;
use openoxide_wire::{ChangeAnswer, ChangeLine};

/// Returns what was written to switch a skill on or off.
pub fn switch_answer(switched: &Switched, enabled: bool) -> ChangeAnswer {
    let action = if enabled { "enable" } else { "disable" };
    let change = || ChangeLine::new(action, &switched.file, Some(switched.skill.clone()));
    ChangeAnswer::new(switched.changed.then(change).into_iter().collect(), None)
}
