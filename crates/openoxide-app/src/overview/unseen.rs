//! Skills that an agent does not see because of where they are.

use std::collections::BTreeSet;
use std::path::Path;

use openoxide_skills::catalog::{Catalog, Entry};

use super::advice::{Action, Advice};
use super::dropped::DroppedSkills;
use super::glance::{Agent, Glance};
use crate::find::SkillReference;
use crate::link::{LinkProblem, Placement, is_elsewhere, unseen, would_drop};
use crate::paths;

/// Up to this many skills that an agent does not see get a line each; more are one line.
const SINGLE: usize = 2;

/// Returns what to do about skills that an agent does not see: those that are active here, then those of other agents.
/// Skills that it would drop join `dropped`.
pub(super) fn unseen_by<'g>(glance: &'g Glance<'g>, agent: &'g Agent, dropped: &mut DroppedSkills<'g>) -> Vec<Advice> {
    let looked_at = glance.own.entries().filter(|entry| !is_elsewhere(entry));
    let mut known: BTreeSet<&Path> = looked_at.map(Entry::canonical).collect();
    let mut names: BTreeSet<&str> = glance.own.skills.iter().map(|entry| entry.skill.name.as_ref()).collect();
    let all = unseen(glance.workspace, &glance.own, &agent.view, &agent.catalog);
    let mut advice = UnseenSkills { glance, agent, source: &glance.own, from: None }.advice(all, dropped);
    for other in glance.agents.iter().filter(|other| !std::ptr::eq(*other, agent)) {
        let mut missed = unseen(glance.workspace, &other.catalog, &agent.view, &agent.catalog);
        // A second skill of the same name, here or in an agent before, would only make trouble.
        missed.retain(|(entry, _)| known.insert(entry.canonical()) && names.insert(&entry.skill.name));
        let from = Some(other.view.spec.id());
        advice.extend(UnseenSkills { glance, agent, source: &other.catalog, from }.advice(missed, dropped));
    }
    advice
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
    fn advice(
        &self,
        missed: Vec<(&'g Entry, Result<Placement, LinkProblem>)>,
        dropped: &mut DroppedSkills<'g>,
    ) -> Vec<Advice> {
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
                    let text = format!("{title} does not see it, and it cannot be linked: {}", problem.message);
                    all.push(self.one(&entry.skill.name, text, self.glance.explain(entry), false));
                }
            }
        }
        if free.len() > SINGLE {
            let text = format!("{title} does not look where they are");
            all.insert(0, self.one(&format!("{} skills", free.len()), text, self.link(None), true));
            return all;
        }
        for entry in free {
            let root = paths::short(workspace, &self.source.roots[entry.root].root.path);
            let link = self.link(Some(SkillReference::of(self.source, entry)));
            all.push(self.one(&entry.skill.name, format!("{title} does not read {root}"), link, true));
        }
        all
    }

    fn link(&self, skill: Option<SkillReference>) -> Action {
        Action::Link { skill, from: self.from.clone(), into: self.agent.view.spec.id() }
    }

    fn one(&self, subject: &str, text: String, action: Action, fixes: bool) -> Advice {
        let agents = vec![self.agent.view.spec.id()];
        Advice { subject: subject.to_owned(), text, code: None, action, fixes, agents }
    }
}
