//! A project as one host sees it, and as another does.

use std::{cell::OnceCell, path::Path};

use openoxide_config::Workspace;
use openoxide_skills::catalog::{Catalog, Depth, Entry, View, load};
use openoxide_skills::text::TerminalText;

use super::{existing::is_only_way, place::is_elsewhere};
use crate::{Error, ErrorKind, find};

pub(super) struct HostPair<'p> {
    pub(super) workspace: &'p Workspace,
    /// What the first host sees.
    pub(super) own: Catalog,
    /// The other host's view.
    pub(super) view: View,
    /// What the other host sees.
    pub(super) other: Catalog,
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
        let mut catalogs = load(&[own.clone(), view.clone()], Depth::Quick);
        let (other, own) = (catalogs.remove(1), catalogs.remove(0));
        Ok(HostPair { workspace, own, view, other, all: OnceCell::new() })
    }

    /// Returns what a name or path means, active skills first.
    pub(super) fn find(&self, skill: &str) -> Result<Vec<&Entry>, Error> {
        let find = |catalog| find(self.workspace, catalog, skill);
        find(&self.own).or_else(|error| find(&self.other).map_err(|_| error)).or_else(|error| {
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
        let own = std::slice::from_ref(&self.own);
        is_only_way(own, entry, path) && is_only_way(self.all(), entry, path)
    }

    /// Returns the other host's own entry for a skill: the file itself, or what was made of it at `place`.
    pub(super) fn seen(&self, entry: &Entry, place: Option<&Path>) -> Option<&Entry> {
        let is_it = |seen: &&Entry| {
            let at_place = place.is_some() && seen.found().parent() == place;
            !is_elsewhere(seen) && (seen.canonical() == entry.canonical() || at_place)
        };
        self.other.entries().find(is_it)
    }

    pub(super) fn title(&self) -> String {
        TerminalText(&self.view.host.title).to_string()
    }
}
