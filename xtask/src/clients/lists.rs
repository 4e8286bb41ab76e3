//! Many skills: what an agent's model is shown of the list.

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use super::scene::{Agent, Pasted, Scene, Shown};
use crate::shell;

/// How many skills there are, besides those of every scene.
pub(super) const COUNTS: [usize; 5] = [12, 60, 100, 566, 2000];
/// What each skill says it is for: 250 characters, as people write them.
const ABOUT: &str = "Reads what was said, compares it with what was meant, and writes down where the two differ, with the \
                     place, the reason and the next step. Use when a report is to be checked, when two versions of a text \
                     disagree, or when someone asks for it.";
/// What an agent puts where it cuts a text.
const CUT: &str = "[truncated]";

/// What the model is shown of the list.
#[derive(Debug, Default)]
struct Listed {
    full: usize,
    shortened: usize,
    names: usize,
    /// How many skills it has to search for.
    more: usize,
    /// Whether a text with skills in it was cut.
    is_cut: bool,
}

/// Lets an agent have one turn with so many skills, and looks at what its model is shown.
pub(super) fn judge(agent: &Agent, scene: &Scene, count: usize) -> Result<()> {
    let skill = |number: usize| {
        format!(
            "//- skills/.agents/skills/many-{number:04}/SKILL.md\n---\nname: many-{number:04}\ndescription: {ABOUT}\n---\nDo it.\n"
        )
    };
    scene.context.tree(&(0..count).map(skill).collect::<String>());
    scene.connect(Pasted::Settings)?;
    let said = scene.turn(Shown::Nothing)?;
    let asked = scene.model.asked();
    let mut listed = Listed::default();
    look(asked.first().with_context(|| format!("{} asked for nothing:\n{said}", agent.title))?, &mut listed);
    let Listed { full, shortened, names, more, is_cut } = listed;
    let name = agent.title;
    // Two skills of the scene, and those that come with the program, may be among those that are not listed.
    let shown = full + shortened + names;
    ensure!(!is_cut, "{name}, {count} skills: the list is cut");
    ensure!(shown == count || (shown < count && more >= count - shown), "{name}, {count} skills: {listed:?}");
    shell::say(format!("  {count} skills: {full} whole, {shortened} shortened, {names} by name, {more} by searching"));
    Ok(())
}

/// Counts the skills in all texts of a request.
fn look(value: &Value, listed: &mut Listed) {
    match value {
        Value::String(text) => look_at(text, listed),
        Value::Array(values) => values.iter().for_each(|value| look(value, listed)),
        Value::Object(fields) => fields.values().for_each(|value| look(value, listed)),
        _ => {}
    }
}

fn look_at(text: &str, listed: &mut Listed) {
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("- many-")).collect();
    listed.is_cut |= !lines.is_empty() && text.contains(CUT);
    for line in lines {
        match line.split_once(": ") {
            None => listed.names += 1,
            Some((_, about)) if about == ABOUT => listed.full += 1,
            Some(_) => listed.shortened += 1,
        }
    }
    let more = text.lines().find_map(|line| line.split_once(" more skills are not listed here"));
    listed.more += more.and_then(|(number, _)| number.rsplit(' ').next()?.parse::<usize>().ok()).unwrap_or(0);
}
