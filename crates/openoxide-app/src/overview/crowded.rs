//! Catalogs that are too large for their budget: what takes the room, and what can be done.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use openoxide_skills::host::{SettingRule, SettingSource};
use openoxide_skills::prelude::{Entry, Prompt};
use openoxide_skills::render::{DetailLevel, ShownSkill};
use openoxide_wire::SuggestionLine;

use super::action::Action;
use super::glance::{Agent, Glance};
use super::relief::{Relief, by_cost};
use crate::numbers::{count, listed, thousands};
use crate::paths;

/// The rules of a host that decide how much room its catalog has.
const ROOM: [&str; 2] = ["budget.share", "budget.fixed"];

/// How many folders, and how many skills, are named.
const NAMED: usize = 3;

/// Suggests what to do about the catalog of an agent, if it is full.
/// `unseen` are more skills that the agent does not see because of where they are.
pub(super) fn crowded(glance: &Glance<'_>, agent: &Agent, unseen: usize) -> Option<SuggestionLine> {
    let prompt = agent.prompt.as_ref()?;
    let crowd = Crowd { glance, agent, prompt, entries: entries(agent) };
    let (text, cost) = crowd.loss()?;
    let host = agent.view.spec.id();
    let line = glance.suggest(&agent.view.host.title, text, &Action::Prompt(host.clone()));
    let relief = Relief::find(glance, agent, prompt, NAMED);
    let mut details = crowd.details(&relief);
    details.extend(crowd.room_text());
    details.extend((unseen > 0).then(|| {
        let (skills, verb) = (count(unseen, "more skill"), if unseen == 1 { "is" } else { "are" });
        format!("{skills} {verb} where {} does not look, and would not fit", agent.view.host.title)
    }));
    let disable = |skills| glance.command(&Action::Disable { skills, host: host.clone() });
    let choices = Some(relief.offered).filter(|skills| !skills.is_empty()).map(disable).into_iter().collect();
    Some(SuggestionLine { details, choices, agents: vec![host], cost, ..line })
}

fn entries(agent: &Agent) -> HashMap<&Path, &Entry> {
    agent.catalog.skills.iter().map(|entry| (&*entry.skill.path, entry)).collect()
}

struct Crowd<'c> {
    glance: &'c Glance<'c>,
    agent: &'c Agent,
    prompt: &'c Prompt,
    entries: HashMap<&'c Path, &'c Entry>,
}

impl Crowd<'_> {
    /// Says what the model does not see for want of room, and of how many skills.
    fn loss(&self) -> Option<(String, usize)> {
        let is_wanted = |shown: &&ShownSkill| !self.entries.get(&*shown.path).is_some_and(|entry| entry.name_only);
        let shown: Vec<&ShownSkill> = self.prompt.shown.iter().filter(is_wanted).collect();
        let with = |detail| shown.iter().filter(|shown| shown.detail == detail).count();
        let all = match self.entries.values().all(|entry| entry.model) {
            true => count(shown.len(), "skill"),
            false => format!("the {} that it may call", count(shown.len(), "skill")),
        };
        let title = &self.agent.view.host.title;
        let (left_out, bare, short) =
            (with(DetailLevel::LeftOut), with(DetailLevel::NameOnly), with(DetailLevel::Shortened));
        let text = match (left_out, bare, short) {
            (0, 0, 0) => return None,
            (0, 0, _) => {
                format!("{title} shows its model shortened descriptions of {short} of {all}: its catalog is full")
            }
            (0, ..) if bare == shown.len() => {
                format!("{title} shows its model only the names of {all}: its catalog is full")
            }
            (0, ..) => format!("{title} shows its model only the names of {bare} of {all}: its catalog is full"),
            (_, 0, _) => format!("{title} hides {left_out} of {all} from its model: its catalog is full"),
            _ => format!(
                "{title} hides {left_out} of {all} from its model, and shows only the names of {bare}: its catalog is full"
            ),
        };
        Some((text, left_out + bare + short))
    }

    /// Says what takes the room: folders and plugins, then single skills; and what would have to go.
    fn details(&self, relief: &Relief<'_>) -> Vec<String> {
        let mut places: BTreeMap<String, (u64, usize)> = BTreeMap::new();
        for shown in &self.prompt.shown {
            let Some(entry) = self.entries.get(&*shown.path) else { continue };
            let place = places.entry(self.place(entry)).or_default();
            *place = (place.0 + shown.cost, place.1 + 1);
        }
        let mut places: Vec<(String, (u64, usize))> = places.into_iter().collect();
        places.sort_by_key(|(_, (cost, _))| std::cmp::Reverse(*cost));
        let of_all = self.of_all();
        let mut parts: Vec<String> = places
            .iter()
            .take(NAMED)
            .map(|(place, (cost, number))| format!("{} in {place} ({})", thousands(*cost), count(*number, "skill")))
            .collect();
        if let Some(rest) = Some(places.len().saturating_sub(NAMED)).filter(|rest| *rest > 0) {
            parts.push(count(rest, "other folder"));
        }
        if self.prompt.own > 0 {
            parts.push(format!("{} for the agent's own skills", thousands(self.prompt.own)));
        }
        let largest = self.largest().into_iter().map(|shown| format!("{} ({})", shown.name, thousands(shown.cost)));
        [
            format!(
                "with all descriptions it takes {} {}: {}",
                thousands(of_all),
                self.prompt.unit.as_str(),
                listed(&parts)
            ),
            format!("the largest: {}", listed(&largest.collect::<Vec<_>>())),
        ]
        .into_iter()
        .chain(self.names_text())
        .chain(self.excess_text(relief))
        .collect()
    }

    /// Returns the room that all descriptions take, with what is the agent's own.
    fn of_all(&self) -> u64 {
        let known = self.prompt.shown.iter().filter(|shown| self.entries.contains_key(&*shown.path));
        known.map(|shown| shown.cost).sum::<u64>() + self.prompt.own
    }

    /// Says that the names alone are too much, if they are.
    fn names_text(&self) -> Option<String> {
        let budget = self.prompt.budget.filter(|budget| self.prompt.used > *budget)?;
        let own = if self.prompt.own > 0 { " and the agent's own skills" } else { "" };
        let (used, budget) = (thousands(self.prompt.used), thousands(budget));
        Some(format!("the names alone{own} take {used}, more than its {budget}; they are shown all the same"))
    }

    /// Says how many skills have to go for everything to fit, and how many of them the command that is offered names.
    fn excess_text(&self, relief: &Relief<'_>) -> Option<String> {
        // Without any skill everything fits.
        let excess = relief.excess.filter(|number| *number < self.entries.len())?;
        let of = if relief.is_largest() { "skills" } else { "of the skills that can be switched off" };
        Some(match excess {
            1 if relief.is_largest() => "all descriptions would fit without the largest skill".to_owned(),
            1 => format!("all descriptions would fit without the largest {of}"),
            number if number > NAMED && !relief.offered.is_empty() => format!(
                "all descriptions would fit without the {number} largest {of}; `disable` can begin with the first {NAMED} \
                 of them"
            ),
            number => format!("all descriptions would fit without the {number} largest {of}"),
        })
    }

    /// Says which of the agent's settings give its catalog more room.
    fn room_text(&self) -> Option<String> {
        let is_room = |rule: &&SettingRule| rule.sets.as_deref().is_some_and(|sets| ROOM.contains(&sets));
        let rules = self.agent.view.host.settings.values().filter(is_room);
        let mut names: Vec<String> =
            rules.flat_map(|rule| &rule.from).filter_map(|source| self.setting_text(source)).collect();
        // Settings before variables.
        names.sort();
        (!names.is_empty()).then(|| format!("what gives it more room: {}", listed(&names)))
    }

    /// Names a setting and the first file that may hold it, or a variable.
    fn setting_text(&self, source: &SettingSource) -> Option<String> {
        let (host, around) = (&self.agent.view.host, &self.agent.view.around);
        let Some(key) = &source.key else { return source.env.as_ref().map(|name| format!("the variable `{name}`")) };
        let layers = source.layers.as_ref().and_then(|name| host.layers.get(name));
        let file = source.file.as_ref().or_else(|| layers?.iter().find_map(|layer| layer.files.first()));
        let place = file.and_then(|file| around.places(file, &host.vars).into_iter().next());
        let place = place.map(|path| format!(" in {}", paths::short(self.glance.workspace, &path)));
        Some(format!("`{key}`{}", place.unwrap_or_default()))
    }

    fn place(&self, entry: &Entry) -> String {
        let root = &self.agent.catalog.roots[entry.root].root;
        match &root.plugin {
            Some(plugin) => format!("plugin {}", plugin.name),
            None => paths::short(self.glance.workspace, &root.path),
        }
    }

    fn largest(&self) -> Vec<&ShownSkill> {
        by_cost(self.prompt).into_iter().take(NAMED).collect()
    }
}
