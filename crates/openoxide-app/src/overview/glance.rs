//! A project as the agents of a person see it.

use std::sync::Arc;

use openoxide_config::{ConfigProblem, DetectedHost, HostInstallation, MyAgentsOrigin, Workspace};
use openoxide_live::PlaceSettings;
use openoxide_skills::catalog::Searched;
use openoxide_skills::prelude::{Catalog, Depth, Entry, Prompt, View};
use openoxide_wire::SuggestionLine;

use super::action::Action;
use crate::{catalog_use::draw, error::Error, skill_id::SkillReference};

pub(super) struct Glance<'g> {
    pub(super) workspace: &'g Workspace,
    /// How the agents came to be known.
    pub(super) origin: MyAgentsOrigin,
    pub(super) agents: Vec<Agent>,
    /// What commands without a host look at comes first, then each agent.
    pub(super) searched: Searched,
    command: &'g dyn Fn(&Action) -> String,
}

pub(super) struct Agent {
    /// Its number in the search.
    pub(super) number: usize,
    pub(super) installation: HostInstallation,
    /// What is wrong with its own settings.
    pub(super) problems: Vec<ConfigProblem>,
    pub(super) view: View,
    pub(super) catalog: Arc<Catalog>,
    /// What the model would see; absent for a host that has no templates.
    pub(super) prompt: Option<Prompt>,
}

impl<'g> Glance<'g> {
    pub(super) fn new(
        settings: &'g PlaceSettings,
        command: &'g dyn Fn(&Action) -> String,
    ) -> Result<Glance<'g>, Error> {
        let PlaceSettings { workspace, view, .. } = settings;
        let mine = workspace.my_agents()?;
        let views: Vec<View> =
            std::iter::once(&**view).chain(mine.hosts.iter().map(|host| &host.view)).cloned().collect();
        let searched = Searched::load(&views, Depth::Quick);
        let agent = |(at, DetectedHost { installation, view, problems }): (usize, DetectedHost)| {
            let catalog = Arc::new(searched.catalogs[at + 1].clone().as_model_sees(&view));
            let prompt = draw(workspace, &view, &catalog);
            Agent { number: at + 1, installation, problems, view, catalog, prompt }
        };
        let agents = mine.hosts.into_iter().enumerate().map(agent).collect();
        Ok(Glance { workspace, origin: mine.origin, agents, searched, command })
    }

    /// Returns what commands without a host look at.
    pub(super) fn own(&self) -> &Catalog {
        &self.searched.catalogs[0]
    }

    /// Suggests something that concerns no agent in particular and has no code, and that the action only shows.
    pub(super) fn suggest(&self, subject: &str, text: String, action: &Action) -> SuggestionLine {
        SuggestionLine {
            subject: subject.to_owned(),
            text,
            details: Vec::new(),
            code: None,
            command: self.command(action),
            fixes: false,
            choices: Vec::new(),
            agents: Vec::new(),
            cost: 1,
        }
    }

    pub(super) fn command(&self, action: &Action) -> String {
        (self.command)(action)
    }

    pub(super) fn explain(&self, catalog: &Catalog, entry: &Entry) -> Action {
        Action::Explain(SkillReference::of(catalog, entry))
    }

    /// Returns the skill in an agent that reads it, if there is one.
    pub(super) fn described(&self, entry: &Entry) -> Option<&Entry> {
        let mut active = self.searched.catalogs.iter().flat_map(|catalog| &catalog.skills);
        active.find(|other| other.canonical() == entry.canonical())
    }
}
