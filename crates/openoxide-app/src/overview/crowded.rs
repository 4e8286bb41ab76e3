//! Catalogs that are too large for their budget: what takes the room, and what can be done.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

use openoxide_skills::host::SettingDoes;
use openoxide_skills::prelude::{Entry, Prompt};
use openoxide_skills::render::{DetailLevel, ShownSkill};
use openoxide_wire::SuggestionLine;

use super::action::Action;
use super::glance::{Agent, Glance};
use crate::catalog_use::{draw, rank};
use crate::numbers::{count, listed, thousands};
use crate::{paths, skill_id::SkillReference};

/// How many folders, and how many skills, are named.
const NAMED: usize = 3;

/// Suggests what to do about the catalog of an agent, if it is full.
pub(super) fn crowded(glance: &Glance<'_>, agent: &Agent) -> Option<SuggestionLine> {
    let prompt = agent.prompt.as_ref()?;
    let crowd = Crowd { glance, agent, prompt, entries: entries(agent) };
    let (text, cost) = crowd.loss()?;
    let host = agent.view.spec.id();
    let line = glance.suggest(&agent.view.host.title, text, &Action::Prompt(host.clone()));
    let choices = crowd.choices();
    Some(SuggestionLine { details: crowd.details(!choices.is_empty()), choices, agents: vec![host], cost, ..line })
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
            false => format!("the {} that its model may call", count(shown.len(), "skill")),
        };
        let title = &self.agent.view.host.title;
        let (left_out, bare, short) =
            (with(DetailLevel::LeftOut), with(DetailLevel::NameOnly), with(DetailLevel::Shortened));
        let text = match (left_out, bare, short) {
            (0, 0, 0) => return None,
            (0, 0, _) => format!("{title} shortens the descriptions of {short} of {all}: its catalog is full"),
            (0, ..) => format!("{title} shows {bare} of {all} without their description: its catalog is full"),
            (_, 0, _) => format!("{title} does not show {left_out} of {all} to its model: its catalog is full"),
            _ => format!(
                "{title} does not show {left_out} of {all} to its model, and {bare} without their description: its \
                 catalog is full"
            ),
        };
        Some((text, left_out + bare + short))
    }

    /// Says what takes the room: folders and plugins, then single skills. `is_offered`: the largest can be switched off.
    fn details(&self, is_offered: bool) -> Vec<String> {
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
        .chain(self.excess_text(is_offered))
        .collect()
    }

    /// Returns the room that all descriptions take, with what is the agent's own.
    fn of_all(&self) -> u64 {
        let known = self.prompt.shown.iter().filter(|shown| self.entries.contains_key(&*shown.path));
        known.map(|shown| shown.cost).sum::<u64>() + self.prompt.own
    }

    /// Says how many skills have to go for everything to fit, and how many of them the command that is offered names.
    fn excess_text(&self, is_offered: bool) -> Option<String> {
        Some(match self.excess()? {
            1 => "all descriptions would fit without the largest skill".to_owned(),
            number if number > NAMED && is_offered => format!(
                "all descriptions would fit without the {number} largest skills; `disable` below names the first \
                 {NAMED} of them"
            ),
            number => format!("all descriptions would fit without the {number} largest skills"),
        })
    }

    /// Returns how many skills have to go for everything to fit, if the largest go first.
    fn excess(&self) -> Option<usize> {
        let mut excess = self.of_all().saturating_sub(self.prompt.budget?);
        let number = self.by_cost().into_iter().take_while(|shown| {
            let is_needed = excess > 0;
            excess = excess.saturating_sub(shown.cost);
            is_needed
        });
        Some(number.count()).filter(|number| *number > 0 && excess == 0)
    }

    fn place(&self, entry: &Entry) -> String {
        let root = &self.agent.catalog.roots[entry.root].root;
        match &root.plugin {
            Some(plugin) => format!("plugin {}", plugin.name),
            None => paths::short(self.glance.workspace, &root.path),
        }
    }

    fn by_cost(&self) -> Vec<&ShownSkill> {
        let mut shown: Vec<&ShownSkill> = self.prompt.shown.iter().collect();
        shown.sort_by_key(|shown| std::cmp::Reverse(shown.cost));
        shown
    }

    fn largest(&self) -> Vec<&ShownSkill> {
        self.by_cost().into_iter().take(NAMED).collect()
    }

    /// Offers to switch the largest skills off, where the agent has a switch and the others win by that.
    fn choices(&self) -> Vec<String> {
        const SWITCHES: [SettingDoes; 6] = [
            SettingDoes::Switch,
            SettingDoes::SwitchFolders,
            SettingDoes::SetStates,
            SettingDoes::SwitchOff,
            SettingDoes::SwitchOffAnyCase,
            SettingDoes::Permit,
        ];
        let host = &self.agent.view.host;
        if !SWITCHES.into_iter().any(|does| host.setting_that(does).is_some()) {
            return Vec::new();
        }
        // What the text says is enough is what the command names.
        let number = self.excess().map_or(NAMED, |number| number.min(NAMED));
        let largest: Vec<&ShownSkill> = self.by_cost().into_iter().take(number).collect();
        if !self.others_win_without(&largest) {
            return Vec::new();
        }
        let entries = largest.into_iter().filter_map(|shown| self.entries.get(&*shown.path));
        let skills: Vec<SkillReference> = entries
            .map(|entry| SkillReference::of(&self.agent.catalog, entry))
            .filter(SkillReference::is_printable)
            .collect();
        let disable = Action::Disable { skills, host: self.agent.view.spec.id() };
        vec![self.glance.command(&disable)]
    }

    /// Tells whether more is shown of some skill, and of none less, without these.
    fn others_win_without(&self, skills: &[&ShownSkill]) -> bool {
        let mut catalog = (*self.agent.catalog).clone();
        catalog.skills.retain(|entry| !skills.iter().any(|shown| *shown.path == *entry.skill.path));
        let Some(after) = draw(self.glance.workspace, &self.agent.view, &Arc::new(catalog)) else { return false };
        let before: HashMap<&Path, DetailLevel> =
            self.prompt.shown.iter().map(|shown| (&*shown.path, shown.detail)).collect();
        let changes = after.shown.iter().filter_map(|now| Some((rank(*before.get(&*now.path)?), rank(now.detail))));
        let (mut wins, mut loses) = (false, false);
        for (before, now) in changes {
            wins |= now > before;
            loses |= now < before;
        }
        wins && !loses
    }
}
