//! Use case: shows everything about one skill.

use openoxide_live::Snapshot;
use openoxide_skills::{catalog::Entry, render::entry_costs};
use openoxide_wire::ShowAnswer;

use crate::skill_id::find_by_id;
use crate::{Error, SkillIds, find};

/// Everything about one skill.
#[derive(Clone, Debug)]
pub struct ShownSkill<'s> {
    /// The skill, as it was found.
    pub entry: &'s Entry,
    /// The answer as JSON has it.
    pub answer: ShowAnswer,
    /// How many others have this name.
    pub others: usize,
}

/// Shows the skill that a name or path means; the active one, where there are several.
pub fn show<'s>(snapshot: &'s Snapshot, skill: &str) -> Result<ShownSkill<'s>, Error> {
    let runtime = snapshot.runtime()?;
    let catalog = runtime.catalog();
    let found = find(&snapshot.workspace, catalog, skill)?;
    let entry = found[0];
    Ok(ShownSkill { entry, answer: answer(snapshot, entry)?, others: found.len() - 1 })
}

/// Shows the skill that an id means. Returns its shortest id with the answer.
pub fn show_by_id(snapshot: &Snapshot, id: &str) -> Result<(String, ShowAnswer), Error> {
    let catalog = snapshot.runtime()?.catalog();
    let entry = find_by_id(catalog, id)?;
    Ok((SkillIds::new(catalog).of(entry), answer(snapshot, entry)?))
}

fn answer(snapshot: &Snapshot, entry: &Entry) -> Result<ShowAnswer, Error> {
    let runtime = snapshot.runtime()?;
    let catalog = runtime.catalog();
    let cost = entry_costs(&snapshot.view, catalog, [entry]);
    let mut answer = ShowAnswer::new(catalog, entry, cost.each[0]);
    answer.permissions = runtime.inspect_profile(entry);
    Ok(answer)
}
