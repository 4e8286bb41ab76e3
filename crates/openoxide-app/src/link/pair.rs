//! A project as one host sees it, and as another does.

use std::{cell::OnceCell, path::Path};

use openoxide_config::Workspace;
use openoxide_skills::catalog::{Catalog, Depth, Entry, PlannedLink, Searched, View, load};
use openoxide_skills::text::TerminalText;

use super::{existing::is_only_way, place::is_elsewhere};
use crate::{Error, ErrorKind, find};

pub(super) struct HostPair<'p> {
    pub(super) workspace: &'p Workspace,
    /// The other host's view.
    pub(super) view: View,
    /// What the first host and the other one see.
    searched: Searched,
    /// What every host sees; looked at only when these two do not suffice.
    all: OnceCell<Vec<Catalog>>,
}

impl<'p> HostPair<'p> {
    pub(super) fn of(workspace: &'p Workspace, own: &View, other: &str) -> Result<HostPair<'p>, Error> {
        let (view, _) = workspace.view(other)?;
        if view.spec.id() == own.spec.id() {
            let message = format!("{} sees its own skills already", view.host.title);
            let error = Error::other(ErrorKind::Invalid, "same-host", message);
            return Err(error.with_help("name another host; `openoxide hosts` lists them"));
        }
        let searched = Searched::load(&[own.clone(), view.clone()], Depth::Quick);
        Ok(HostPair { workspace, view, searched, all: OnceCell::new() })
    }

    /// Returns what the first host sees.
    pub(super) fn own(&self) -> &Catalog {
        &self.searched.catalogs[0]
    }

    /// Returns what the other host sees.
    pub(super) fn other(&self) -> &Catalog {
        &self.searched.catalogs[1]
    }

    /// Returns what the other host would see with these links.
    pub(super) fn other_with(&self, links: &[PlannedLink]) -> Catalog {
        let changed = self.searched.with_links(links).into_iter().find(|(number, _)| *number == 1);
        changed.map_or_else(|| self.other().clone(), |(_, catalog)| catalog)
    }

    /// Returns what a name or path means, active skills first.
    pub(super) fn find(&self, skill: &str) -> Result<Vec<&Entry>, Error> {
        let find = |catalog| find(self.workspace, catalog, skill);
        find(self.own()).or_else(|error| find(self.other()).map_err(|_| error)).or_else(|error| {
            let mut found: Vec<Vec<&Entry>> = self.all().iter().filter_map(|catalog| find(catalog).ok()).collect();
            // What is active for some agent comes before what is active for none.
            found.sort_by_key(|entries| !entries.iter().any(|entry| entry.is_active()));
            found.into_iter().next().ok_or(error)
        })
    }

    fn all(&self) -> &[Catalog] {
        self.all.get_or_init(|| load(&self.workspace.views().unwrap_or_default(), Depth::Quick))
    }

    /// Returns whether no host would find a skill any more without what stands at `path`.
    pub(super) fn is_only_way(&self, entry: &Entry, path: &Path) -> bool {
        let own = std::slice::from_ref(self.own());
        is_only_way(own, entry, path) && is_only_way(self.all(), entry, path)
    }

    /// Returns the other host's own entry for a skill, as [`seen_in`] finds it.
    pub(super) fn seen(&self, entry: &Entry, place: Option<&Path>) -> Option<&Entry> {
        seen_in(self.other(), entry, place)
    }

    pub(super) fn title(&self) -> String {
        TerminalText(&self.view.host.title).to_string()
    }
}

/// Returns a host's own entry for a skill: the file itself, or what was made of it at `place`.
pub(super) fn seen_in<'c>(catalog: &'c Catalog, entry: &Entry, place: Option<&Path>) -> Option<&'c Entry> {
    let is_it = |seen: &&Entry| {
        let at_place = place.is_some() && seen.found().parent() == place;
        !is_elsewhere(seen) && (seen.canonical() == entry.canonical() || at_place)
    };
    catalog.entries().find(is_it)
}
