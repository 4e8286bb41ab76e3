//! Makes the catalogs of some views; a folder that several hosts search is searched once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;

use super::{Catalog, View, build};
use crate::boundary::Boundary;
use crate::discover::{Plan, Survey, survey};
use crate::host::{Host, HostError, HostSpec, ScanRules};
use crate::root::{Resolver, Root, SleepingSearch, Surroundings};
use crate::{settings::HostSettings, skill::SkillScope};

/// How closely to look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Depth {
    /// The catalog, and what was met on the way.
    #[default]
    Quick,
    /// Everything below the roots, also where the host does not look.
    Thorough,
}

/// Makes the catalog of each view.
pub fn load(views: &[View], depth: Depth) -> Vec<Catalog> {
    let wider = widened(views, depth);
    let views = wider.as_deref().unwrap_or(views);
    let jobs = plan(views, depth == Depth::Thorough);
    let search = |job: &Job| survey(&job.path, &job.plan, None, None);
    let surveys: Vec<Survey> = match jobs.len() > 1 {
        true => jobs.par_iter().map(search).collect(),
        false => jobs.iter().map(search).collect(),
    };
    let catalogs = build_all(views, &jobs, &surveys.iter().collect::<Vec<_>>(), false);
    // Taking many small pieces apart takes a while; nobody has to wait for it.
    rayon::spawn(move || drop(surveys));
    catalogs
}

/// Finds the skills below one folder, as [`load`] would for a host with that single root.
///
/// ```no_run
/// # use openoxide_skills::catalog::discover_dir;
/// # use openoxide_skills::host::Hosts;
/// # use openoxide_skills::skill::SkillScope;
/// let hosts = Hosts::builtin();
/// let catalog = discover_dir("skills".as_ref(), SkillScope::Repo, &hosts.get("openoxide")?)?;
/// for entry in &catalog.skills {
///     println!("{}: {}", entry.skill.name, entry.skill.description);
/// }
/// # Ok::<(), openoxide_skills::host::HostError>(())
/// ```
pub fn discover_dir(dir: &Path, source: SkillScope, spec: &HostSpec) -> Result<Catalog, HostError> {
    let around = Surroundings { cwd: dir.to_owned(), project: dir.to_owned(), ..Surroundings::default() };
    let mut view = View::new(spec.clone(), HostSettings::default(), Arc::new(around))?;
    let boundary = view.around.boundary(source, dir, dir);
    view.roots = vec![Root::plain(dir.to_owned(), source, view.host.scan.clone(), boundary)];
    Ok(load(&[view], Depth::Quick).remove(0))
}

#[expect(clippy::mutable_key_type, reason = "what a boundary is compared by never changes")]
pub(super) fn build_all(views: &[View], jobs: &[Job], surveys: &[&Survey], alone: bool) -> Vec<Catalog> {
    let index: BTreeMap<JobKey<'_>, usize> = jobs.iter().enumerate().map(|(index, job)| (job.key(), index)).collect();
    let build = |view: &View| {
        let found = view.roots.iter().map(|root| {
            let at = index[&key_of(root)];
            (root, surveys[at], &jobs[at].plan)
        });
        build::build(view, &found.collect::<Vec<_>>(), alone)
    };
    match views.len() > 1 && !alone {
        true => views.par_iter().map(build).collect(),
        false => views.iter().map(build).collect(),
    }
}

/// Returns the views with the roots that are looked at only when everything is to be listed, if there are such.
pub(super) fn widened(views: &[View], depth: Depth) -> Option<Vec<View>> {
    let counts = |root: &Root| !root.asleep && root.off.is_none();
    if depth != Depth::Thorough || !views.iter().all(|view| view.roots.iter().all(counts)) {
        return None;
    }
    let wider: Vec<View> = views.iter().map(with_others).collect();
    let is_same = |view: &View| view.roots.iter().all(counts) && view.sleeping_search == SleepingSearch::Whole;
    (!wider.iter().all(is_same)).then_some(wider)
}

/// Adds the roots that only a touched file wakes, and those that are switched off, so that nothing in them goes unsaid.
fn with_others(view: &View) -> View {
    let resolver = Resolver { host: &view.host, settings: &view.settings, around: &view.around };
    let mut roots = view.roots.clone();
    let (sleeping, sleeping_search) = resolver.sleeping_roots(&roots);
    roots.extend(sleeping);
    roots.extend(resolver.roots_off(&roots));
    View { roots, sleeping_search, ..view.clone() }
}

/// A folder to search, and what to look at.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) path: PathBuf,
    pub(super) plan: Plan,
}

/// What is searched together: a folder, for folders or for single files, by one rule on links.
pub(super) type JobKey<'j> = (&'j Path, bool, &'j Boundary);

pub(super) fn key_of(root: &Root) -> JobKey<'_> {
    (&root.path, root.scan.layout.is_flat(), &root.boundary)
}

impl Job {
    pub(super) fn key(&self) -> JobKey<'_> {
        (&self.path, self.plan.flat, &self.plan.boundary)
    }
}

/// Returns what to look at in each folder, for all views; folders and single files are looked for apart.
#[expect(clippy::mutable_key_type, reason = "what a boundary is compared by never changes")]
pub(super) fn plan(views: &[View], thorough: bool) -> Vec<Job> {
    let mut needs: BTreeMap<JobKey<'_>, Vec<(&Host, &ScanRules)>> = BTreeMap::new();
    for view in views {
        for root in &view.roots {
            needs.entry(key_of(root)).or_default().push((&view.host, &root.scan));
        }
    }
    let jobs = needs.into_iter();
    let embedded = views.iter().find_map(|view| view.around.embedded.as_ref());
    let job = |((path, _, boundary), needs): (JobKey<'_>, Vec<_>)| {
        let embedded = embedded.filter(|skills| skills.belong_to(path)).cloned();
        Job { path: path.to_owned(), plan: Plan { embedded, ..Plan::new(needs, thorough, boundary.clone()) } }
    };
    jobs.map(job).collect()
}
