//! A project as OpenOxide and the agents that were found see it.

use std::sync::Arc;

use openoxide_config::{ConfigProblem, DetectedHost, HostInstallation, Workspace};
use openoxide_live::PlaceSettings;
use openoxide_runtime::seen_by_model;
use openoxide_skills::catalog::{Catalog, Depth, Entry, View, load};
use openoxide_skills::render::{Model, Prompt, render};

use super::advice::Action;
use crate::error::{Error, ErrorKind};
use crate::find::SkillReference;
use crate::prompt::now;

/// A project as OpenOxide and the agents that were found see it.
pub(super) struct Glance<'g> {
    pub(super) workspace: &'g Workspace,
    pub(super) view: &'g View,
    pub(super) own: Catalog,
    pub(super) agents: Vec<Agent>,
}

/// An agent that was found.
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
    pub(super) fn new(settings: &'g PlaceSettings) -> Result<Glance<'g>, Error> {
        let PlaceSettings { workspace, view, .. } = settings;
        let detected = workspace.detected_hosts()?;
        let views: Vec<View> = std::iter::once(view).chain(detected.iter().map(|host| &host.view)).cloned().collect();
        let mut catalogs = load(&views, Depth::Quick).into_iter();
        let not_searched = || Error::other(ErrorKind::Internal, "not-searched", "the project was not searched");
        let own = catalogs.next().ok_or_else(not_searched)?;
        let model = Model { window: None, now: now() };
        let mut agents = Vec::new();
        for (DetectedHost { installation, view, problems }, catalog) in detected.into_iter().zip(catalogs) {
            let catalog = Arc::new(catalog);
            // Only the size is shown, so that unreadable permission rules are no reason to show nothing.
            let seen = seen_by_model(workspace, Arc::clone(&catalog)).unwrap_or_else(|_| Arc::clone(&catalog));
            let prompt = render(&view, &seen, model).ok();
            agents.push(Agent { installation, problems, view, catalog, prompt });
        }
        Ok(Glance { workspace, view, own, agents })
    }

    /// Returns the action that explains a skill.
    pub(super) fn explain(&self, entry: &Entry) -> Action {
        Action::Explain { skill: SkillReference::of(&self.own, entry) }
    }
}
