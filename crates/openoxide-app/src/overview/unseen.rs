//! Skills that an agent does not see because of where they are.

use std::{collections::BTreeSet, path::Path};

use openoxide_skills::catalog::{Catalog, Entry};
use openoxide_wire::SuggestionLine;

use super::glance::{Agent, Glance};
use super::{action::Action, dropped::DroppedSkills};
use crate::link::{Placement, is_elsewhere, unseen, would_drop};
use crate::{error::Error, paths, skill_id::SkillReference};

/// Up to this many skills that an agent does not see get a line each; more are one line.
const SINGLE: usize = 2;

/// Suggests what to do about skills that an agent does not see: those that are active here, then those of other agents.
/// Skills that it would drop join `dropped`.
pub(super) fn unseen_by<'g>(
    glance: &'g Glance<'g>,
    agent: &'g Agent,
    dropped: &mut DroppedSkills<'g>,
) -> Vec<SuggestionLine> {
    let looked_at = glance.own.entries().filter(|entry| !is_elsewhere(entry));
    let mut known: BTreeSet<&Path> = looked_at.map(Entry::canonical).collect();
    let mut names: BTreeSet<&str> = glance.own.skills.iter().map(|entry| entry.skill.name.as_ref()).collect();
    let all = unseen(glance.workspace, &glance.own, &agent.view, &agent.catalog);
    let mut lines = UnseenSkills { glance, agent, source: &glance.own, from: None }.suggest(all, dropped);
    for other in glance.agents.iter().filter(|other| !std::ptr::eq(*other, agent)) {
        let mut missed = unseen(glance.workspace, &other.catalog, &agent.view, &agent.catalog);
        // A second skill of the same name, here or in an agent before, would only make trouble.
        missed.retain(|(entry, _)| known.insert(entry.canonical()) && names.insert(&entry.skill.name));
        let from = Some(other.view.spec.id());
        lines.extend(UnseenSkills { glance, agent, source: &other.catalog, from }.suggest(missed, dropped));
    }
    lines
}

/// Skills of one catalog that an agent does not see.
struct UnseenSkills<'g> {
    glance: &'g Glance<'g>,
    agent: &'g Agent,
    source: &'g Catalog,
    /// The host whose catalog it is; absent: the one that was asked for.
    from: Option<String>,
}

impl<'g> UnseenSkills<'g> {
    fn suggest(
        &self,
        missed: Vec<(&'g Entry, Result<Placement, Error>)>,
        dropped: &mut DroppedSkills<'g>,
    ) -> Vec<SuggestionLine> {
        let (workspace, view) = (self.glance.workspace, &self.agent.view);
        let title = &view.host.title;
        let mut all = Vec::new();
        let mut free = Vec::new();
        for (entry, place) in missed {
            match place.and_then(|place| if place.is_free() { Ok(()) } else { Err(place.taken(workspace)) }) {
                // A link to what the agent would drop fixes nothing.
                Ok(()) if would_drop(view, entry).is_some() => dropped.add(entry, view),
                Ok(()) => free.push(entry),
                Err(problem) => {
                    let text = format!("{title} does not see it, and it cannot be linked: {problem}");
                    all.push(self.line(&entry.skill.name, text, &self.glance.explain(entry)));
                }
            }
        }
        if free.len() > SINGLE {
            let text = format!("{title} does not look where they are");
            all.insert(0, self.link(&format!("{} skills", free.len()), text, None));
            return all;
        }
        for entry in free {
            let root = paths::short(workspace, &self.source.roots[entry.root].root.path);
            let skill = Some(SkillReference::of(self.source, entry));
            all.push(self.link(&entry.skill.name, format!("{title} does not read {root}"), skill));
        }
        all
    }

    fn link(&self, subject: &str, text: String, skill: Option<SkillReference>) -> SuggestionLine {
        let action = Action::Link { skill, from: self.from.clone(), into: self.agent.view.spec.id() };
        SuggestionLine { fixes: true, ..self.line(subject, text, &action) }
    }

    fn line(&self, subject: &str, text: String, action: &Action) -> SuggestionLine {
        let agents = vec![self.agent.view.spec.id()];
        SuggestionLine { agents, ..self.glance.suggest(subject, text, action) }
    }
}
