//! Makes catalogs repeatedly, and searches only the folders that changed.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::load::{Job, build_all, plan, widened};
use super::{Catalog, Depth, View};
use crate::boundary::Boundary;
use crate::discover::{FirstSearch, Plan, Survey, SurveyCache, Watched, leads_there, refresh, survey};
use crate::host::{ManifestFolders, NamespaceRules};

/// What may have changed since the last look.
#[derive(Clone, Debug)]
pub enum Changes {
    /// Anything.
    Everything,
    /// What is at, in or above these paths, links resolved.
    Paths(Vec<PathBuf>),
}

/// Remembers what searches found, so that the next one looks only where something happened.
///
/// What it makes is what [`load`](super::load) makes, but for a file that was a skill and is not one any more: it may be
/// half written, so its last good version stays until it has been like that for a while.
#[derive(Debug, Default)]
pub struct IncrementalLoader {
    patience: Duration,
    searches: BTreeMap<(PathBuf, bool, Boundary), Search>,
    watched: Watched,
    revision: u64,
    again: bool,
}

#[derive(Debug, Default)]
struct Search {
    plan: Plan,
    cache: SurveyCache,
    survey: Survey,
    /// Where each folder stands in the survey; made when one is looked for.
    places: HashMap<OsString, usize>,
    /// The folders whose files are in doubt, if nothing else is.
    files: Option<HashSet<OsString>>,
    first: Option<FirstSearch>,
}

impl IncrementalLoader {
    /// Makes an empty memory. A file that is no skill any more is believed when it stays so for as long as `patience`.
    pub fn new(patience: Duration) -> IncrementalLoader {
        IncrementalLoader { patience, ..IncrementalLoader::default() }
    }

    /// Makes the catalog of each view, as [`load`](super::load) does.
    pub fn load(&mut self, views: &[View], depth: Depth, touched: &Changes) -> Vec<Catalog> {
        let wider = widened(views, depth);
        let views = wider.as_deref().unwrap_or(views);
        let mut jobs = plan(views, depth == Depth::Thorough);
        for job in &mut jobs {
            job.plan.prints = true;
        }
        let mut all_known = self.searches.len() == jobs.len();
        let mut searches: Vec<Search> = jobs.iter().map(|job| self.take(job, touched, &mut all_known)).collect();
        let run = |(job, search): (&Job, &mut Search)| search.run(job);
        let is_new: Vec<bool> = match all_known || jobs.len() < 2 {
            true => jobs.iter().zip(&mut searches).map(run).collect(),
            false => jobs.par_iter().zip(&mut searches).map(run).collect(),
        };
        let surveys: Vec<&Survey> = searches.iter().map(|search| &search.survey).collect();
        let catalogs = build_all(views, &jobs, &surveys, all_known);
        self.keep(jobs, searches);
        if !all_known || is_new.contains(&true) {
            self.gather(views);
        }
        catalogs
    }

    /// Returns the folders, links and plugin manifests to watch; a changed target of a link makes the catalog stale.
    pub fn watched(&self) -> &Watched {
        &self.watched
    }

    /// Returns a number that grows when folders or links to watch come or go.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Tells whether to look again soon, whatever happens: a file is in doubt.
    pub fn is_in_doubt(&self) -> bool {
        self.again
    }

    /// Takes what is known about a folder, as far as nothing happened to it.
    fn take(&mut self, job: &Job, touched: &Changes, all_known: &mut bool) -> Search {
        let known = self.searches.remove(&owned(job));
        let is_known = known.as_ref().is_some_and(|search| search.plan == job.plan);
        *all_known &= is_known;
        let mut search = known.unwrap_or_default();
        if !is_known {
            search = Search { first: search.first, ..Search::default() };
        }
        search.files = match touched {
            Changes::Everything => {
                *all_known = false;
                search.cache.doubt_all();
                None
            }
            Changes::Paths(paths) => search.cache.doubt(paths),
        };
        search.cache.begin(Instant::now(), self.patience);
        search
    }

    fn keep(&mut self, jobs: Vec<Job>, searches: Vec<Search>) {
        self.again = searches.iter().any(|search| search.cache.is_in_doubt());
        let keyed = |(job, search): (Job, Search)| (owned(&job), Search { plan: job.plan, ..search });
        self.searches = jobs.into_iter().zip(searches).map(keyed).collect();
    }

    fn gather(&mut self, views: &[View]) {
        self.revision += 1;
        let watched = || self.searches.values().map(|search| search.cache.watched());
        let folders = watched().flat_map(|watched| watched.folders.iter().cloned()).collect();
        let links = watched().flat_map(|watched| watched.links.iter().cloned());
        let ends: Vec<&Path> = self.searches.values().flat_map(|search| search.cache.ends()).collect();
        let manifests = views.iter().flat_map(|view| manifests_at(&view.host.namespace, &ends));
        let links = links.chain(manifests).collect();
        self.watched = Watched { folders, links };
    }
}

impl Search {
    /// Looks where something happened; returns whether something else has to be watched now.
    fn run(&mut self, job: &Job) -> bool {
        // Where the root leads is looked up each time: folders above it are not watched here.
        let leads_there = leads_there(&self.survey);
        if !leads_there {
            self.cache.doubt_all();
        }
        // A folder that could not be read is none of those whose files are known, and may be readable now.
        let is_whole = self.survey.exists && self.survey.problems.is_empty();
        let files = self.files.take().filter(|_| leads_there && is_whole);
        if let Some(survey) = files.and_then(|files| self.refresh(job, &files)) {
            self.survey = survey;
            return self.cache.finish(&self.survey, true);
        }
        let mut survey = survey(&job.path, &job.plan, Some(&self.cache), self.first.as_ref());
        if leads_there {
            // What was not looked at again lies where it did.
            survey.mounts.extend(&self.survey.mounts);
        }
        self.first = FirstSearch::after(self.first.take(), &survey);
        let old = std::mem::replace(&mut self.survey, survey);
        // Taking many small pieces apart takes a while; nobody has to wait for it.
        let places = std::mem::take(&mut self.places);
        rayon::spawn(move || drop((old, places)));
        self.cache.finish(&self.survey, false)
    }

    /// Reads files again in the folders where something happened to them, if that is all that is new.
    fn refresh(&mut self, job: &Job, files: &HashSet<OsString>) -> Option<Survey> {
        if self.places.is_empty() {
            let folders = self.survey.folders.iter().enumerate();
            self.places = folders.map(|(index, folder)| (folder.path.as_os_str().to_owned(), index)).collect();
        }
        let places: Option<Vec<usize>> = files.iter().map(|path| self.places.get(path).copied()).collect();
        let survey = std::mem::take(&mut self.survey);
        refresh(survey, &job.plan, &self.cache, places?)
    }
}

fn owned(job: &Job) -> (PathBuf, bool, Boundary) {
    let (path, flat, boundary) = job.key();
    (path.to_owned(), flat, boundary.clone())
}

/// Returns the manifests of plugins that skills at the ends of links may belong to, whether or not they are there.
fn manifests_at(rules: &NamespaceRules, ends: &[&Path]) -> Vec<PathBuf> {
    if rules.manifests.is_empty() {
        return Vec::new();
    }
    let most = if rules.folders == ManifestFolders::ToTop { usize::MAX } else { 1 };
    let folders: HashSet<&Path> = ends.iter().flat_map(|end| end.ancestors().skip(1).take(most)).collect();
    folders.into_iter().flat_map(|folder| rules.manifests.iter().map(|file| folder.join(file))).collect()
}

#[cfg(test)]
mod tests;
