//! What each host makes of a skill, and what can be done about it.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use openoxide_config::{SettingsOwner, Workspace};
use openoxide_skills::catalog::Searched;
use openoxide_skills::prelude::{Catalog, Entry, SkillScope, Status, View};
use openoxide_skills::text::{TerminalText, path_text};
use openoxide_wire::{ExplainedFileLine, HostFileLine, HostOutcome};

use super::{advice::Advice, looks_in::looks_in};
use crate::catalog_use::{detail_word, draw};
use crate::link::{Placement, is_elsewhere, unseen_place, would_drop};
use crate::switch::tried;
use crate::trial::{Change, Harm, Trial};
use crate::{Error, off::skills_off, paths, skill_id::SkillReference, skill_id::find};

fn ambiguous(number: usize) -> String {
    let none = if number == 2 { "neither" } else { "none of them" };
    format!("{number} skills of this name are active, so the name alone selects {none}")
}

/// Says that the model of an agent is not told of a skill that is active, and why.
fn untold(view: &View, entry: &Entry) -> &'static str {
    match (entry.model, entry.user) {
        (true, _) => "",
        _ if view.host.catalog.described_only && !entry.skill.described => {
            ": it has no description, so the model is not told of it"
        }
        (false, true) => ": only you can call it; the model is not told of it",
        (false, false) => ": neither you nor the model can call it",
    }
}

/// What hosts make of a skill, your agents first.
pub(super) struct Everywhere<'e> {
    workspace: &'e Workspace,
    searched: &'e Searched,
    hosts: Vec<Host<'e>>,
    /// How many of the hosts are the user's agents.
    mine: usize,
    /// Each file that some host finds, with the host that it is from; what is active somewhere first.
    found: Vec<(usize, &'e Entry)>,
}

struct Host<'e> {
    catalog: &'e Catalog,
    view: &'e View,
    /// The entries that the name means to it, active ones first.
    found: Vec<&'e Entry>,
}

impl<'e> Everywhere<'e> {
    /// Looks for a skill in every catalog, as the models see them. It is an error if no host finds it.
    pub(super) fn new(
        workspace: &'e Workspace,
        (searched, seen): (&'e Searched, &'e [Catalog]),
        views: &'e [View],
        mine: usize,
        subject: &str,
    ) -> Result<Everywhere<'e>, Error> {
        let mut unknown: Option<Error> = None;
        let mut hosts: Vec<Host<'e>> = Vec::new();
        for (catalog, view) in seen.iter().zip(views) {
            let found = find(workspace, catalog, subject).unwrap_or_else(|error| {
                // A near name in any host helps more than none.
                let suggests = |error: &Error| matches!(error, Error::UnknownSkill { near: Some(_), .. });
                if unknown.as_ref().is_none_or(|known| !suggests(known) && suggests(&error)) {
                    unknown = Some(error);
                }
                Vec::new()
            });
            hosts.push(Host { catalog, view, found });
        }
        let all = hosts.iter().enumerate().flat_map(|(at, host)| host.found.iter().map(move |entry| (at, *entry)));
        let mut found: Vec<(usize, &Entry)> = all.collect();
        found.sort_by_key(|(_, entry)| !entry.is_active());
        let mut known = BTreeSet::new();
        found.retain(|(_, entry)| known.insert(entry.canonical()));
        match unknown {
            Some(error) if found.is_empty() => Err(error),
            _ => Ok(Everywhere { workspace, searched, hosts, mine, found }),
        }
    }

    pub(super) fn files(&self) -> Vec<ExplainedFileLine> {
        let line = |(at, entry): &(usize, &Entry)| ExplainedFileLine {
            path: path_text(entry.found()),
            scope: entry.skill.scope.as_str().to_owned(),
            trusted: (entry.skill.scope == SkillScope::Repo).then(|| self.hosts[*at].view.around.trusted),
        };
        self.found.iter().map(line).collect()
    }

    pub(super) fn outcome(&self, column: usize) -> HostOutcome {
        let Host { catalog, view, found } = &self.hosts[column];
        let active: Vec<&&Entry> = found.iter().filter(|entry| entry.is_active()).collect();
        let (status, detail) = match (active.as_slice(), found.first()) {
            ([], None) => ("not found", self.missing(view)),
            ([], Some(entry)) => (entry.status.as_str(), self.reason(entry)),
            ([one], _) => {
                let place = paths::short(self.workspace, one.dir());
                match self.detail_of(view, catalog, one) {
                    Some(detail) => (detail, format!("{place}: its catalog is full")),
                    None => (Status::Active.as_str(), place + untold(view, one)),
                }
            }
            (many, _) => ("ambiguous", ambiguous(many.len())),
        };
        let file = |entry: &&Entry| HostFileLine {
            path: path_text(entry.found()),
            status: entry.status.as_str().to_owned(),
            reason: entry.reason.as_ref().map(|reason| format!("{}: {}", reason.code, reason.text)),
        };
        HostOutcome {
            host: catalog.host.clone(),
            title: view.host.title.clone(),
            mine: false,
            status: status.to_owned(),
            detail,
            files: found.iter().map(file).collect(),
        }
    }

    /// Says what an agent's catalog shows of a skill, if that is not all of it for want of room.
    fn detail_of(&self, view: &View, catalog: &Catalog, entry: &Entry) -> Option<&'static str> {
        if entry.name_only {
            return None;
        }
        let prompt = draw(self.workspace, view, &Arc::new(catalog.clone()))?;
        let shown = prompt.shown.iter().find(|shown| *shown.path == *entry.skill.path)?;
        detail_word(shown.detail)
    }

    /// Returns what can be done so that an agent uses the skill.
    pub(super) fn advice(&self, column: usize) -> Option<Advice> {
        let host = &self.hosts[column];
        let id = || host.view.spec.id();
        match host.found.first() {
            None => self.link(host),
            _ if host.found.iter().any(|entry| entry.status == Status::Untrusted) => Some(Advice::Trust),
            Some(entry) if matches!(entry.status, Status::Disabled | Status::Denied) => self.enable(column, entry),
            Some(entry) if entry.status == Status::Invalid && !is_elsewhere(entry) => {
                Some(Advice::Check { folder: entry.dir().to_owned(), host: id() })
            }
            Some(_) => None,
        }
    }

    /// Returns the switch that makes an agent use the skill, if its settings, changed in memory, do that: the user's own
    /// rather than the project's.
    fn enable(&self, column: usize, entry: &Entry) -> Option<Advice> {
        let (host, found) = (&self.hosts[column], &self.searched.catalogs[column]);
        let skill = SkillReference::of(host.catalog, entry);
        let selectors = [skill.selector()?];
        let activates = |owner: &SettingsOwner| {
            let trial = tried(self.workspace, (host.view, found), &selectors, true, *owner);
            let seen = trial.map(|trial| trial.catalog.as_model_sees(&trial.view));
            seen.is_some_and(|seen| seen.skills.iter().any(|other| other.canonical() == entry.canonical()))
        };
        let owner = [SettingsOwner::User, SettingsOwner::Project].into_iter().find(activates)?;
        Some(Advice::Enable { skill, host: host.view.spec.id(), owner })
    }

    /// Returns the link that shows the skill to an agent that does not look where it is.
    fn link(&self, host: &Host<'_>) -> Option<Advice> {
        let is_known = self.hosts[..self.mine].iter().any(|host| !host.found.is_empty());
        // What an agent of the user finds and ignores is not spread to the next one.
        let can_be_linked = |at: usize, entry: &Entry| entry.is_active() && (at < self.mine || !is_known);
        let (at, entry) = self.found.iter().find(|(at, entry)| can_be_linked(*at, entry))?;
        let source = self.hosts[*at].catalog;
        let place = unseen_place(self.workspace, (source, entry), host.view, host.catalog)?;
        if !place.is_free() || would_drop(host.view, entry).is_some() {
            return None;
        }
        let skill = match self.found.len() {
            1 => SkillReference::of(source, entry),
            // The name means more than one.
            _ => SkillReference { name: None, folder: entry.dir().to_owned() },
        };
        let into = host.view.spec.id();
        match self.harm(host, entry, &place) {
            None => Some(Advice::Link { skill, into }),
            Some(Harm::Overflow(title)) => {
                let full = self.hosts.iter().find(|host| host.view.host.title == title);
                Some(Advice::Full { host: full.map_or(into, |host| host.view.spec.id()), title })
            }
            Some(Harm::Clash(_) | Harm::Ignored(_) | Harm::NoUse | Harm::Untried) => None,
        }
    }

    /// Tries the link, and says what harm it does to your agents.
    fn harm(&self, host: &Host<'_>, entry: &Entry, place: &Placement) -> Option<Harm> {
        let agents = self.hosts[..self.mine].iter().enumerate().map(|(number, host)| (number, host.view));
        let agent = self.hosts.iter().position(|other| std::ptr::eq(other, host))?;
        let link = Change::Link { link: place.planned(), agent, name: entry.skill.name.to_string() };
        Trial::new(self.workspace, self.searched, agents).accept(vec![link]).err()
    }

    /// Returns the titles of the hosts that are no agents of the user's and in which the skill is active.
    pub(super) fn active_elsewhere(&self) -> Vec<String> {
        let others = self.hosts[self.mine..].iter();
        let active = others.filter(|host| host.found.iter().any(|entry| entry.is_active()));
        active.map(|host| host.view.host.title.clone()).collect()
    }

    fn reason(&self, entry: &Entry) -> String {
        let Some(reason) = &entry.reason else { return String::new() };
        let text = paths::abbreviate_home(self.workspace, &reason.text);
        format!("{} [{}]", TerminalText(&text), reason.code)
    }

    /// Says why a host finds no such skill.
    fn missing(&self, view: &View) -> String {
        if let Some(off) = skills_off(self.workspace, view) {
            return off.to_string();
        }
        let is_file =
            |entry: &Entry| !entry.found().file_name().is_some_and(|name| name.eq_ignore_ascii_case("SKILL.md"));
        let mut folders =
            self.found.iter().filter(|(_, entry)| is_file(entry)).filter_map(|(_, entry)| entry.found().parent());
        let reads = |folder: &Path| view.roots.iter().any(|root| root.path == folder && !root.scan.layout.is_flat());
        match folders.find(|folder| reads(folder)) {
            Some(folder) => {
                format!("it is a single file, and {} is searched for folders", paths::short(self.workspace, folder))
            }
            None if view.roots.is_empty() => "its settings name no folder to look in".to_owned(),
            None => format!("it looks only in {}", looks_in(self.workspace, view)),
        }
    }
}
