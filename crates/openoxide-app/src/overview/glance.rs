//! A project as OpenOxide and the agents that were found see it.

use std::sync::Arc;

use openoxide_config::{ConfigProblem, DetectedHost, HostInstallation, Workspace};
use openoxide_live::PlaceSettings;
use openoxide_runtime::seen_by_model;
use openoxide_skills::prelude::{Catalog, Depth, Entry, Model, Prompt, View, load, render};
use openoxide_wire::SuggestionLine;

use super::action::Action;
use crate::{error::Error, prompt::now, skill_id::SkillReference};

pub(super) struct Glance<'g> {
    pub(super) workspace: &'g Workspace,
    pub(super) view: &'g View,
    pub(super) own: Catalog,
    pub(super) agents: Vec<Agent>,
    command: &'g dyn Fn(&Action) -> String,
}

pub(super) struct Agent {
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
        let detected = workspace.detected_hosts()?;
        let views: Vec<View> =
            std::iter::once(&**view).chain(detected.iter().map(|host| &host.view)).cloned().collect();
        let mut catalogs = load(&views, Depth::Quick);
        let own = catalogs.remove(0);
        let model = Model { window: None, now: now() };
        let mut agents = Vec::new();
        for (DetectedHost { installation, view, problems }, catalog) in detected.into_iter().zip(catalogs) {
            let catalog = Arc::new(catalog);
            // Only the size is shown, so that unreadable permission rules are no reason to show nothing.
            let seen = seen_by_model(workspace, Arc::clone(&catalog)).unwrap_or_else(|_| Arc::clone(&catalog));
            let prompt = render(&view, &seen, model).ok();
            agents.push(Agent { installation, problems, view, catalog, prompt });
        }
        Ok(Glance { workspace, view, own, agents, command })
    }

    /// Suggests something that concerns no agent in particular and has no code, and that the action only shows.
    pub(super) fn suggest(&self, subject: &str, text: String, action: &Action) -> SuggestionLine {
        let (subject, command) = (subject.to_owned(), (self.command)(action));
        SuggestionLine { subject, text, code: None, command, fixes: false, agents: Vec::new() }
    }

    pub(super) fn explain(&self, entry: &Entry) -> Action {
        Action::Explain(SkillReference::of(&self.own, entry))
    }
}
