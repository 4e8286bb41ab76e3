//! The hosts that skills are checked for: their verdicts are the levels of findings.

use std::path::Path;

use openoxide_config::{MyAgentsOrigin, Workspace};
use openoxide_skills::judge::Judges;
use openoxide_skills::prelude::{Host, View};

use super::targets::Targets;
use crate::error::Error;

/// The hosts that skills are checked for, and the standard beside them.
#[derive(Debug)]
pub struct Frame {
    /// The hosts: an error if one drops the skill, a warning if one reads it differently.
    pub views: Vec<View>,
    /// The standard: what only it minds is a note. Absent where it is one of the hosts.
    standard: Option<View>,
    /// Whether the request or a setting names the one host.
    pub(super) is_named: bool,
    /// Whether no agent was found, and our own rules stand in for one.
    pub(super) is_own: bool,
    /// Whether every host judges every skill, wherever it lies.
    pub(super) judges_all: bool,
}

impl Frame {
    /// Finds the hosts: the agents that the user works with, or every host. The standard is one of them if the check is
    /// strict, or if the request names it.
    pub(super) fn find(workspace: &Workspace, all_hosts: bool, strict: bool) -> Result<Frame, Error> {
        let agents = workspace.my_agents()?;
        // A setting names one host; the request for all of them is newer than that.
        let is_named = agents.origin == MyAgentsOrigin::Named && !all_hosts;
        let is_own = agents.origin == MyAgentsOrigin::NoneFound && !all_hosts;
        let mut views: Vec<View> = match all_hosts {
            true => workspace.views()?.into_iter().filter(|view| !view.host.standard).collect(),
            false => agents.hosts.into_iter().map(|agent| agent.view).collect(),
        };
        let is_there = views.iter().any(|view| view.host.standard);
        // One host alone is checked for that host alone, unless the check is strict.
        let mut standard = if is_there || (is_named && !strict) { None } else { standard(workspace)? };
        if strict {
            views.extend(standard.take());
        }
        Ok(Frame { views, standard, is_named, is_own, judges_all: all_hosts })
    }

    /// Returns the hosts that judge the skill in a folder: those that find it there, or all if none does. The standard looks
    /// nowhere, and judges always.
    pub(super) fn hosts_for(&self, targets: &Targets, folder: &Path) -> Vec<&Host> {
        let finders = targets.finders.get(folder).filter(|_| !self.judges_all);
        let judges = |(number, view): &(usize, &View)| {
            view.host.standard || finders.is_none_or(|finders| finders.contains(number))
        };
        self.views.iter().enumerate().filter(judges).map(|(_, view)| &view.host).collect()
    }

    /// Returns who judges; `hosts` are this frame's.
    pub(super) fn judges<'j>(&'j self, hosts: &'j [&'j Host]) -> Judges<'j> {
        Judges { hosts, beside: self.standard.as_ref().map(|view| &view.host) }
    }
}

fn standard(workspace: &Workspace) -> Result<Option<View>, Error> {
    let is_standard = |host: &Host| host.standard;
    let spec = workspace.hosts.all().find(|spec| spec.host().is_ok_and(|host| is_standard(&host)));
    Ok(spec.map(|spec| workspace.view(&spec.id())).transpose()?.map(|(view, _)| view))
}
