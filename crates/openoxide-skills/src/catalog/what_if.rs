//! What one search found, kept so that it can say what a change would do, without making it.

use super::load::{Job, build_all, plan, widened};
use super::{Catalog, Depth, View};
use crate::discover::{PlannedLink, Survey, survey};
use rayon::prelude::*;

/// The catalogs of some views, and what they were made from.
#[derive(Debug)]
pub struct Searched {
    views: Vec<View>,
    jobs: Vec<Job>,
    surveys: Vec<Survey>,
    /// The catalog of each view.
    pub catalogs: Vec<Catalog>,
}

impl Searched {
    /// Makes the catalog of each view, as [`load`](super::load) does, and keeps what was found.
    pub fn load(views: &[View], depth: Depth) -> Searched {
        let views = widened(views, depth).unwrap_or_else(|| views.to_vec());
        let jobs = plan(&views, depth == Depth::Thorough);
        let surveys: Vec<Survey> = jobs.par_iter().map(|job| survey(&job.path, &job.plan, None, None)).collect();
        let catalogs = build_all(&views, &jobs, &surveys.iter().collect::<Vec<_>>(), false);
        Searched { views, jobs, surveys, catalogs }
    }

    /// Returns the catalogs that would be others if skills were put where some view looks, each with the view's number.
    ///
    /// Only the folders that get something are searched again; nothing is written.
    pub fn with_links(&self, links: &[PlannedLink]) -> Vec<(usize, Catalog)> {
        let changed: Vec<Option<Survey>> =
            self.jobs.iter().zip(&self.surveys).map(|(job, known)| with_links(job, known, links)).collect();
        let surveys: Vec<&Survey> =
            changed.iter().zip(&self.surveys).map(|(changed, known)| changed.as_ref().unwrap_or(known)).collect();
        let is_changed = |view: &View| {
            let of_view = |job: &Job| view.roots.iter().any(|root| super::load::key_of(root) == job.key());
            self.jobs.iter().zip(&changed).any(|(job, changed)| changed.is_some() && of_view(job))
        };
        let numbers: Vec<usize> = (0..self.views.len()).filter(|number| is_changed(&self.views[*number])).collect();
        let views: Vec<View> = numbers.iter().map(|number| self.views[*number].clone()).collect();
        numbers.into_iter().zip(build_all(&views, &self.jobs, &surveys, false)).collect()
    }
}

/// Searches a folder again as if links were there, if one of them lies in it.
fn with_links(job: &Job, known: &Survey, links: &[PlannedLink]) -> Option<Survey> {
    let holds = |link: &PlannedLink| match known.exists {
        true => known.folders.iter().any(|folder| link.is_in(folder.canonical())),
        false => link.makes(&job.path),
    };
    let planned: Vec<PlannedLink> = links.iter().filter(|link| holds(link)).cloned().collect();
    let plan = crate::discover::Plan { planned, ..job.plan.clone() };
    (!plan.planned.is_empty()).then(|| survey(&job.path, &plan, None, None))
}
