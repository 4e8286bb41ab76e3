//! Use case: draws the list of skills that the model of another program is shown, within the room that the program leaves.
//!
//! The list gets shorter step by step: whole descriptions, shortened ones, names, and at last a sentence that says how many
//! skills are not named and how they are found.

use openoxide_live::Snapshot;
use openoxide_skills::host::CatalogPlace;
use openoxide_skills::render::{ClientForm, DetailLevel, Model, Prompt, render_for_client};

use crate::error::Error;

/// The list as one program is shown it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClientList {
    /// The text; empty if there is nothing to show, or no room for any of it.
    pub text: String,
    /// How many skills are listed with their whole description.
    pub full: usize,
    /// How many with a shortened one.
    pub shortened: usize,
    /// How many by name.
    pub name_only: usize,
    /// How many are not listed.
    pub left_out: usize,
}

impl ClientList {
    /// Tells whether this shows more than another list: more skills, then more descriptions, then longer ones.
    pub fn shows_more_than(&self, other: &ClientList) -> bool {
        let score = |list: &ClientList| {
            let described = list.full + list.shortened;
            (described + list.name_only, described, list.full, list.text.len())
        };
        score(self) > score(other)
    }
}

/// Draws the list for a program that leaves so many characters, as UTF-16 counts them; absent: as many as the host's budget.
/// `search` is the tool that finds skills which are not listed.
pub fn client_list(snapshot: &Snapshot, room: Option<usize>, search: Option<&str>) -> Result<ClientList, Error> {
    let rules = &snapshot.view.host.catalog;
    let catalog = snapshot.runtime()?.catalog();
    if !rules.shown || !catalog.skills.iter().any(|entry| entry.model) {
        return Ok(ClientList::default());
    }
    let form = match rules.place {
        CatalogPlace::SystemPrompt => ClientForm::Lines,
        CatalogPlace::ToolDescription => ClientForm::Framed,
    };
    let mut budget = room;
    loop {
        let characters = budget.and_then(|budget| u64::try_from(budget).ok());
        let list = listed(&render_for_client(&snapshot.view, catalog, Model::default(), form, characters)?, search);
        let (length, room) = (utf16_len(&list.text), room.unwrap_or(usize::MAX));
        // What frames the entries is not in the budget, nor is half of a character beyond the basic ones.
        match budget {
            _ if length <= room => return Ok(list),
            Some(0) | None => return Ok(without_entries(&list, room, search)),
            Some(before) => budget = Some(before.saturating_sub(length - room)),
        }
    }
}

fn listed(prompt: &Prompt, search: Option<&str>) -> ClientList {
    let count = |detail: DetailLevel| prompt.shown.iter().filter(|shown| shown.detail == detail).count();
    let left_out = count(DetailLevel::LeftOut);
    let pointer = pointer(left_out, search);
    // What says that there is more comes first: a program that cuts a text cuts its end.
    let texts = [pointer.as_str(), prompt.text.trim_end()];
    ClientList {
        text: texts.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n"),
        full: count(DetailLevel::Full),
        shortened: count(DetailLevel::Shortened),
        name_only: count(DetailLevel::NameOnly),
        left_out,
    }
}

/// Returns what is left of a list if no entry has room.
fn without_entries(list: &ClientList, room: usize, search: Option<&str>) -> ClientList {
    let left_out = list.full + list.shortened + list.name_only + list.left_out;
    let text = pointer(left_out, search);
    let text = if utf16_len(&text) <= room { text } else { String::new() };
    ClientList { text, left_out, ..ClientList::default() }
}

fn pointer(left_out: usize, search: Option<&str>) -> String {
    let skills = if left_out == 1 { "1 more skill is" } else { &format!("{left_out} more skills are") };
    match (left_out, search) {
        (0, _) => String::new(),
        (_, Some(search)) => format!("{skills} not listed here: find them by words of the task with `{search}`."),
        (_, None) => format!("{skills} not listed here: they can be called by name."),
    }
}

/// Returns the length of a text as UTF-16 counts it, as most programs do.
pub fn utf16_len(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

#[cfg(test)]
mod tests {
    use openoxide_skills::render::render_served;
    use openoxide_testkit::TestContext;

    use super::*;
    use crate::testing::snapshot;

    fn project(count: usize) -> Snapshot {
        let context = TestContext::new();
        let about = "What it is for, in so many words that they take room. ".repeat(4);
        let skill = |number: usize| {
            format!(
                "//- project/.agents/skills/s{number:03}/SKILL.md\n---\nname: s{number:03}\ndescription: {about}\u{1f600}\n---\n"
            )
        };
        context.tree(&(0..count).map(skill).collect::<String>());
        snapshot(&context)
    }

    /// In every room, each skill is listed or counted, and more room never shows less.
    #[test]
    fn a_list_keeps_within_any_room_and_counts_what_is_not_listed() {
        let snapshot = project(20);
        let mut steps = Vec::new();
        for room in (0..6000).step_by(50) {
            let list = client_list(&snapshot, Some(room), Some("find")).unwrap();
            assert!(utf16_len(&list.text) <= room, "{room}: {}", list.text);
            assert_eq!(list.full + list.shortened + list.name_only + list.left_out, 20, "{room}");
            let lines = list.text.lines().filter(|line| line.starts_with("- s")).count();
            assert_eq!(lines, 20 - list.left_out, "{room}: {}", list.text);
            let is_told = list.text.contains(&format!("{} more skill", list.left_out)) || list.text.is_empty();
            assert!(is_told == (list.left_out > 0), "{room}: {}", list.text);
            steps.push((20 - list.left_out, list.full + list.shortened > 0));
        }
        assert!(steps.is_sorted(), "{steps:?}");
        assert!(steps.contains(&(20, false)) && steps.contains(&(20, true)), "{steps:?}");
    }

    /// Within the host's budget, the fitting is that of `prompt`.
    #[test]
    fn a_client_without_limits_gets_what_prompt_shows() {
        for count in [20, 100] {
            let snapshot = project(count);
            let list = client_list(&snapshot, None, None).unwrap();
            let catalog = snapshot.runtime().unwrap().catalog();
            let prompt = render_served(&snapshot.view, catalog, Model::default()).unwrap();
            let count = |detail: DetailLevel| prompt.shown.iter().filter(|shown| shown.detail == detail).count();
            assert_eq!(count(DetailLevel::Shortened) > 0, list.shortened > 0);
            assert_eq!((count(DetailLevel::NameOnly), count(DetailLevel::LeftOut)), (list.name_only, list.left_out));
        }
    }
}
