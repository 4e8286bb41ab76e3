//! Makes catalogs again and again, and looks only where something happened.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::{Catalog, Depth, Job, View, build_all, plan, widened};
use crate::discover::{Plan, Recall, Survey, Watched, survey};

/// What may have changed since the last look.
#[derive(Clone, Debug)]
pub enum Touched {
    /// Anything.
    Everything,
    /// What is at, in or above these paths, links resolved.
    Paths(Vec<PathBuf>),
}

/// Remembers what searches found, so that the next one looks only where something happened.
///
/// What it makes is what [`load`](super::load) makes, but for a file that was a skill and is not one any more: it may be
/// half written, so its last good version stays until it has been like that for a while.
#[derive(Debug)]
pub struct Memory {
    patience: Duration,
    searches: HashMap<(PathBuf, bool), Search>,
    watched: Watched,
    again: bool,
}

#[derive(Debug, Default)]
struct Search {
    plan: Plan,
    canonical: PathBuf,
    recall: Recall,
}

impl Memory {
    /// Makes an empty memory. A file that is no skill any more is believed when it stays so for as long as `patience`.
    pub fn new(patience: Duration) -> Memory {
        Memory { patience, searches: HashMap::new(), watched: Watched::default(), again: false }
    }

    /// Makes the catalog of each view, as [`load`](super::load) does.
    pub fn load(&mut self, views: &[View], depth: Depth, touched: &Touched) -> Vec<Catalog> {
        let wider = widened(views, depth);
        let views = wider.as_deref().unwrap_or(views);
        let mut jobs = plan(views, depth == Depth::Thorough);
        for job in &mut jobs {
            job.plan.prints = true;
        }
        let mut searches: Vec<Search> = jobs.iter().map(|job| self.take(job, touched)).collect();
        let run = |(job, search): (&Job, &mut Search)| search.run(job);
        let surveys: Vec<Survey> = match jobs.len() {
            0 | 1 => jobs.iter().zip(&mut searches).map(run).collect(),
            _ => jobs.par_iter().zip(&mut searches).map(run).collect(),
        };
        let catalogs = build_all(views, &jobs, &surveys);
        self.keep(jobs, searches, &surveys);
        rayon::spawn(move || drop(surveys));
        catalogs
    }

    /// Returns the folders that were looked at, links resolved: whatever happens in them counts.
    pub fn folders(&self) -> &[PathBuf] {
        &self.watched.folders
    }

    /// Returns the links that were met: what counts is where they lead.
    pub fn links(&self) -> &[PathBuf] {
        &self.watched.links
    }

    /// Tells whether to look again soon, whatever happens: a file is in doubt.
    pub fn is_in_doubt(&self) -> bool {
        self.again
    }

    /// Takes what is known about a folder, as far as nothing happened to it.
    fn take(&mut self, job: &Job, touched: &Touched) -> Search {
        let known = self.searches.remove(&job.key());
        let mut search = known.filter(|search| search.plan == job.plan).unwrap_or_default();
        match touched {
            Touched::Everything => search.recall.doubt_all(),
            Touched::Paths(paths) => search.recall.doubt(paths),
        }
        search.recall.begin(Instant::now(), self.patience);
        search
    }

    fn keep(&mut self, jobs: Vec<Job>, searches: Vec<Search>, surveys: &[Survey]) {
        let mut watched = Watched::default();
        self.searches.clear();
        self.again = false;
        for ((job, mut search), survey) in jobs.into_iter().zip(searches).zip(surveys) {
            self.again |= search.recall.finish(survey, &mut watched);
            search.canonical.clone_from(&survey.canonical);
            let key = job.key();
            search.plan = job.plan;
            self.searches.insert(key, search);
        }
        if self.watched != watched {
            self.watched = watched;
        }
    }
}

impl Search {
    fn run(&mut self, job: &Job) -> Survey {
        // Where the root leads is looked up each time: folders above it are not watched here.
        let leads_elsewhere = std::fs::canonicalize(&job.path).map_or(true, |real| real != self.canonical);
        if leads_elsewhere {
            self.recall.doubt_all();
        }
        survey(&job.path, &job.plan, Some(&self.recall))
    }
}

impl Job {
    fn key(&self) -> (PathBuf, bool) {
        (self.path.clone(), self.plan.flat)
    }
}

/// Returns what a view depends on besides its roots and settings: manifests of plugins above a root.
pub(super) fn manifests_above(view: &View) -> Vec<PathBuf> {
    let rules = &view.host.namespace;
    if !rules.above_root {
        return Vec::new();
    }
    let real = |root: &Path| std::fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
    let mut paths: Vec<PathBuf> = Vec::new();
    for root in &view.roots {
        let root = real(&root.path);
        let above = root.ancestors().skip(1);
        paths.extend(above.flat_map(|folder| rules.manifests.iter().map(move |file| folder.join(file))));
    }
    paths.sort();
    paths.dedup();
    paths
}

#[cfg(test)]
mod tests;
