//! Skills that an agent does not see because of where they are.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use openoxide_skills::catalog::{Catalog, Entry};
use openoxide_wire::SuggestionLine;

use super::glance::{Agent, Glance};
use super::{action::Action, dropped::DroppedSkills};
use crate::catalog_use::is_full;
use crate::link::{Placement, is_elsewhere, unseen, would_drop};
use crate::numbers::{count, listed};
use crate::trial::{Change, Harm, Trial};
use crate::{paths, skill_id::SkillReference};

/// Up to this many skills that an agent does not see get a line each; more are one line.
const SINGLE: usize = 2;

/// Skills of one catalog that an agent does not see.
pub(super) struct UnseenSkills<'g> {
    glance: &'g Glance<'g>,
    agent: &'g Agent,
    source: &'g Catalog,
    /// The host whose catalog it is; absent: what commands without a host look at.
    from: Option<String>,
    /// The skills that can be linked.
    free: Vec<(&'g Entry, Placement)>,
    /// More skills with the name of another one. To link all links them too.
    repeated: Vec<(&'g Entry, Placement)>,
    /// What is wrong with the place of the others.
    taken: Vec<(&'g Entry, String)>,
}

impl<'g> UnseenSkills<'g> {
    /// Finds the skills that an agent does not see: of those that commands without a host look at, then of each other agent. Skills that it would drop join `dropped`.
    pub(super) fn of(
        glance: &'g Glance<'g>,
        agent: &'g Agent,
        dropped: &mut DroppedSkills<'g>,
    ) -> Vec<UnseenSkills<'g>> {
        let others = || glance.agents.iter().filter(|other| !std::ptr::eq(*other, agent));
        let looked_at = glance.own().entries().filter(|entry| !is_elsewhere(entry));
        let mut known: BTreeSet<&Path> = looked_at.map(Entry::canonical).collect();
        let mut names: BTreeSet<&str> = glance.own().skills.iter().map(|entry| entry.skill.name.as_ref()).collect();
        let own = unseen(glance.workspace, glance.own(), &agent.view, &agent.catalog);
        let mut all = vec![UnseenSkills::new(glance, agent, (glance.own(), None), own, dropped)];
        for other in others() {
            let missed = unseen(glance.workspace, &other.catalog, &agent.view, &agent.catalog);
            // A second skill of the same name, here or in an agent before, would only make trouble.
            let (missed, repeated): (Vec<_>, Vec<_>) = missed
                .into_iter()
                .partition(|(entry, _)| known.insert(entry.canonical()) && names.insert(&entry.skill.name));
            let from = Some(other.view.spec.id());
            let mut unseen = UnseenSkills::new(glance, agent, (&other.catalog, from), missed, dropped);
            unseen.repeated = repeated.into_iter().filter_map(|(entry, place)| Some((entry, place.ok()?))).collect();
            all.push(unseen);
        }
        all
    }

    fn new(
        glance: &'g Glance<'g>,
        agent: &'g Agent,
        (source, from): (&'g Catalog, Option<String>),
        missed: Vec<(&'g Entry, Result<Placement, crate::Error>)>,
        dropped: &mut DroppedSkills<'g>,
    ) -> UnseenSkills<'g> {
        let mut unseen =
            UnseenSkills { glance, agent, source, from, free: Vec::new(), repeated: Vec::new(), taken: Vec::new() };
        for (entry, place) in missed {
            let place = place.and_then(|place| match place.is_free() {
                true => Ok(place),
                false => Err(place.taken(glance.workspace)),
            });
            match place {
                // A link to what the agent would drop fixes nothing.
                Ok(_) if would_drop(&agent.view, entry).is_some() => dropped.add(entry, agent),
                Ok(place) => unseen.free.push((entry, place)),
                Err(problem) => unseen.taken.push((entry, problem.to_string())),
            }
        }
        unseen
    }

    /// Returns how many there are, if they are those of this agent.
    pub(super) fn number_for(&self, agent: &Agent) -> usize {
        if std::ptr::eq(self.agent, agent) { self.free.len() } else { 0 }
    }

    /// Suggests what to do; a link is suggested only if no agent is worse off with it.
    pub(super) fn suggest(&self, trial: &Trial<'_>) -> Vec<SuggestionLine> {
        let title = &self.agent.view.host.title;
        let mut lines = self.links(trial);
        for (entry, problem) in &self.taken {
            let name = &entry.skill.name;
            let text = format!("{name}: {title} does not see it, and it cannot be linked: {problem}");
            lines.push(self.line(name, text, &self.glance.explain(self.source, entry)));
        }
        lines
    }

    fn links(&self, trial: &Trial<'_>) -> Vec<SuggestionLine> {
        let changes = || self.free.iter().map(|(entry, place)| self.change(entry, place));
        let each = || self.single(trial.accept_each(&changes().map(|change| vec![change]).collect::<Vec<_>>()));
        if self.free.len() > SINGLE {
            let repeated = self.repeated.iter().filter(|(_, place)| place.is_free());
            let all = changes().chain(repeated.map(|(entry, place)| self.change(entry, place)));
            return match trial.accept(all.collect()) {
                Ok(()) => vec![self.link_all()],
                Err(Harm::Overflow(full)) => self.too_many(&full).into_iter().collect(),
                // Together they clash: each for itself, if few are left.
                Err(Harm::Clash(_) | Harm::Ignored(_) | Harm::NoUse | Harm::Untried) => each(),
            };
        }
        each()
    }

    /// Suggests each link that does no harm.
    fn single(&self, harms: Vec<Result<(), Harm>>) -> Vec<SuggestionLine> {
        let good = self.free.iter().zip(harms).filter(|(_, harm)| harm.is_ok());
        good.map(|((entry, _), _)| self.link_one(entry)).collect()
    }

    fn change(&self, entry: &Entry, place: &Placement) -> Change {
        Change::Link { link: place.planned(), agent: self.agent.number, name: entry.skill.name.to_string() }
    }

    fn link_one(&self, entry: &Entry) -> SuggestionLine {
        let (name, title) = (&entry.skill.name, &self.agent.view.host.title);
        let text = format!("{name} is in {}, where {title} does not look", self.root(entry));
        self.link(name, text, Some(SkillReference::of(self.source, entry)))
    }

    fn link_all(&self) -> SuggestionLine {
        let (subject, title) = (format!("{} skills", self.free.len()), &self.agent.view.host.title);
        let text = format!("{subject} are in {}, where {title} does not look", self.roots());
        SuggestionLine { cost: self.free.len(), ..self.link(&subject, text, None) }
    }

    /// Says that there are more skills than fit, unless the agent's catalog is full already, which is said by itself.
    fn too_many(&self, full: &str) -> Option<SuggestionLine> {
        let title = &self.agent.view.host.title;
        if self.agent.prompt.as_ref().is_some_and(is_full) {
            return None;
        }
        let subject = format!("{} skills", self.free.len());
        let whose = if full == title { "its catalog".to_owned() } else { format!("the catalog of {full}") };
        let text = format!(
            "{subject} are in {}, where {title} does not look; {whose} has no room for all of them",
            self.roots()
        );
        Some(SuggestionLine { cost: self.free.len(), ..self.line(&subject, text, &Action::List) })
    }

    fn root(&self, entry: &Entry) -> String {
        paths::short(self.glance.workspace, &self.source.roots[entry.root].root.path)
    }

    /// Names the folders that the skills are in, those with most of them first.
    fn roots(&self) -> String {
        const NAMED: usize = 3;
        let mut roots: BTreeMap<String, usize> = BTreeMap::new();
        for (entry, _) in &self.free {
            *roots.entry(self.root(entry)).or_default() += 1;
        }
        if let (1, Some((only, _))) = (roots.len(), roots.first_key_value()) {
            return only.clone();
        }
        let mut roots: Vec<(String, usize)> = roots.into_iter().collect();
        roots.sort_by_key(|(_, number)| std::cmp::Reverse(*number));
        let mut named: Vec<String> =
            roots.iter().take(NAMED).map(|(root, number)| format!("{root} ({number})")).collect();
        named.extend((roots.len() > NAMED).then(|| count(roots.len() - NAMED, "other folder")));
        listed(&named)
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
