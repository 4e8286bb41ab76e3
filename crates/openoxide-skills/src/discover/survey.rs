//! Surveys everything below a root in one pass, level by level, in a fixed order.

use std::os::fd::{AsFd as _, BorrowedFd};
use std::path::{Path, PathBuf};
use std::{collections::HashSet, sync::Arc};

use rayon::prelude::*;
use rustix::io::Errno;

use super::file::{self, FileFact};
use super::folder::{Folder, Manifest, Survey};
use super::open::MountLog;
use super::{plan::Plan, survey_cache::SurveyCache};
use crate::boundary::{LinkRole, Mounts, Target};
use crate::diagnostic::{Code, Diagnostic};

mod lazy_folder;
mod planned;
#[cfg(test)]
mod tests;
mod text_budget;
mod visit;

use lazy_folder::{FOLDER, LazyFolder};
use text_budget::TextBudget;

/// Folders that are searched before what they held is counted.
const AT_ONCE: usize = 512;

/// Looks at everything below `root` that the plan asks for; what is known from an earlier search is not looked at again.
///
/// `first` is the search that first found the folder, if this is not it: no mount that came later is crossed.
pub(crate) fn survey(root: &Path, plan: &Plan, cache: Option<&SurveyCache>, first: Option<&FirstSearch>) -> Survey {
    let mut survey = Survey { root: root.to_owned(), canonical: root.to_owned(), ..Survey::default() };
    let dir = match open_root(root, plan, first) {
        Ok(dir) => dir,
        Err(RootProblem::Missing) => {
            return survey_of_planned(root, plan).unwrap_or_else(|| with_embedded(survey, plan));
        }
        Err(RootProblem::Unusable(exists, problem)) => {
            survey.problems.push((root.to_owned(), *problem));
            survey.exists = exists;
            return survey;
        }
    };
    let canonical = dir.path().to_owned();
    let known = first.filter(|first| first.canonical == dir.path()).map(|first| &first.mounts);
    let mounts = MountLog::new(dir.mount(), known);
    let search = |dir: BorrowedFd<'_>, text: &TextBudget| {
        let survey = Survey { root: root.to_owned(), canonical: canonical.clone(), ..Survey::default() };
        Surveyor::new(plan, cache, survey, &LazyFolder::opened(dir, &mounts), &mounts, text).run()
    };
    let text = TextBudget::new(plan.text);
    let found = search(dir.fd(), &text);
    if !text.is_spent() {
        return found;
    }
    // Which files were read before the limit was reached depends on the threads, so they are read again in order. A descriptor
    // keeps its place in a listing, and this one is at the end.
    drop(found);
    let mut found = match dir.reopen(FOLDER) {
        Ok(again) => search(again.as_fd(), &TextBudget::in_order(plan.text)),
        Err(error) => {
            survey.problems.push((root.to_owned(), unreadable(&error.into())));
            Survey { exists: true, ..survey }
        }
    };
    found.limits.push((Code::TextLimit, plan.text));
    found
}

/// Surveys a root that is not there yet and that planned links make.
fn survey_of_planned(root: &Path, plan: &Plan) -> Option<Survey> {
    let link = plan.planned.iter().find(|link| link.makes(root))?;
    let canonical = link.real_folder.clone();
    let mounts = MountLog::default();
    let survey = Survey { root: root.to_owned(), canonical: canonical.clone(), exists: true, ..Survey::default() };
    let (dir, text) = (LazyFolder::at(root, &mounts), TextBudget::new(plan.text));
    let mut surveyor = Surveyor::new(plan, None, survey, &dir, &mounts, &text);
    let canonical = (canonical != root).then_some(canonical);
    surveyor.survey.folders.push(Folder { path: root.to_owned(), canonical, ..Folder::default() });
    surveyor.add_planned();
    Some(surveyor.survey)
}

/// Adds the skills that come inside the program to the survey of a root that they are not written to.
fn with_embedded(mut survey: Survey, plan: &Plan) -> Survey {
    let Some(embedded) = &plan.embedded else { return survey };
    survey.embedded = Some(Arc::clone(embedded));
    survey.folders.push(Folder { path: survey.root.clone(), ..Folder::default() });
    for name in &plan.files {
        for (folder, bytes) in embedded.named(name) {
            let path = survey.root.join(folder);
            let mut file = FileFact::embedded(name, &path, bytes, plan);
            file.add_sidecars(&plan.sidecars, |sidecar| embedded.file(&Path::new(folder).join(sidecar)));
            survey.folders.push(Folder { path, depth: 1, files: vec![file], ..Folder::default() });
        }
    }
    survey
}

/// Where a root was when it was first found, and the mounts that were there.
#[derive(Debug)]
pub(crate) struct FirstSearch {
    canonical: PathBuf,
    mounts: Mounts,
}

impl FirstSearch {
    /// Remembers a search. A root that leads elsewhere now is found anew.
    pub(crate) fn after(earlier: Option<FirstSearch>, survey: &Survey) -> Option<FirstSearch> {
        if !survey.exists || survey.mounts.is_empty() {
            return earlier;
        }
        let mut mounts = survey.mounts.clone();
        mounts.extend(
            earlier.filter(|first| first.canonical == survey.canonical).into_iter().flat_map(|first| first.mounts),
        );
        Some(FirstSearch { canonical: survey.canonical.clone(), mounts })
    }

    fn knows(&self, root: &Target) -> bool {
        self.canonical != root.path() || self.mounts.contains(&root.mount())
    }
}

/// Why a root is not searched.
enum RootProblem {
    Missing,
    /// Whether there is such a folder, and what is wrong.
    Unusable(bool, Box<Diagnostic>),
}

/// Opens a root. A link on the way to it is judged like any other.
fn open_root(root: &Path, plan: &Plan, first: Option<&FirstSearch>) -> Result<Target, RootProblem> {
    if plan.embedded.as_ref().is_some_and(|embedded| !embedded.is_written()) {
        return Err(RootProblem::Missing);
    }
    let dir = Target::open_folder(root, FOLDER).map_err(|error| match error {
        Errno::NOENT | Errno::NOTDIR => RootProblem::Missing,
        error => RootProblem::Unusable(error == Errno::ACCESS, Box::new(unreadable(&error.into()))),
    })?;
    if !plan.boundary.may_be_root(root, &dir, LinkRole::Root { flat: plan.flat }) {
        return Err(RootProblem::Unusable(false, Box::new(plan.boundary.root_refusal())));
    }
    match first.is_none_or(|first| first.knows(&dir)) {
        true => Ok(dir),
        false => Err(RootProblem::Unusable(false, Box::new(unreadable(&Errno::XDEV.into())))),
    }
}

/// Tells whether a root still leads where it did when it was searched, on the same mount.
pub(crate) fn leads_there(survey: &Survey) -> bool {
    Target::open_folder(&survey.root, FOLDER)
        .is_ok_and(|now| now.path() == survey.canonical && survey.mounts.contains(&now.mount()))
}

/// Reads files again in some folders of a survey; `None`: what is there now changes more than these files.
pub(crate) fn refresh(survey: Survey, plan: &Plan, cache: &SurveyCache, folders: Vec<usize>) -> Option<Survey> {
    // What was cut may fit now.
    if survey.limits.iter().any(|(code, _)| *code == Code::TextLimit) {
        return None;
    }
    let dir = open_root(&survey.root, plan, None).ok().filter(|dir| dir.path() == survey.canonical)?;
    let mounts = MountLog::new(dir.mount(), Some(&survey.mounts));
    let root = LazyFolder::opened(dir.fd(), &mounts);
    let is_left = |index: usize| !folders.contains(&index);
    let left = survey.folders.iter().enumerate().filter(|(index, _)| is_left(*index));
    let text = TextBudget::new(plan.text);
    text.spend(left.flat_map(|(_, folder)| &folder.files));
    let mut surveyor = Surveyor::new(plan, Some(cache), survey, &root, &mounts, &text);
    for index in folders {
        let (files, manifests) = surveyor.read_again(index)?;
        let folder = &mut surveyor.survey.folders[index];
        (folder.files, folder.manifests) = (files, manifests);
    }
    let mut survey = surveyor.survey;
    survey.mounts.extend(mounts.taken());
    // A whole search says where the limit cuts.
    (!text.is_spent()).then_some(survey)
}

struct Surveyor<'p> {
    plan: &'p Plan,
    cache: Option<&'p SurveyCache>,
    survey: Survey,
    /// The root: most folders are its children, and are found from it fastest.
    root: &'p LazyFolder<'p>,
    mounts: &'p MountLog,
    text: &'p TextBudget,
    /// Every folder by its canonical path, once links are about.
    seen: Option<HashSet<PathBuf>>,
    entries: usize,
    /// Folders in the root that every host enters.
    ordinary: usize,
}

#[derive(Default)]
struct Visit {
    entries: usize,
    cut: bool,
    ordinary: usize,
    files: Vec<FileFact>,
    manifests: Vec<Manifest>,
    children: Vec<(Folder, Ahead)>,
    problems: Vec<(PathBuf, Diagnostic)>,
}

/// What a folder holds, where it was visited together with the folder around it.
type Ahead = Option<Result<Visit, Errno>>;

impl<'p> Surveyor<'p> {
    fn new(
        plan: &'p Plan,
        cache: Option<&'p SurveyCache>,
        survey: Survey,
        root: &'p LazyFolder<'p>,
        mounts: &'p MountLog,
        text: &'p TextBudget,
    ) -> Surveyor<'p> {
        Surveyor { plan, cache, survey, root, mounts, text, seen: None, entries: 0, ordinary: 0 }
    }

    fn run(mut self) -> Survey {
        let root = self.survey.root.clone();
        let canonical = (self.survey.canonical != root).then(|| self.survey.canonical.clone());
        self.survey.folders.push(Folder { path: root, canonical, ..Folder::default() });
        let visit = self.visit(self.root, &self.survey.folders[0], false);
        self.ordinary = visit.as_ref().map_or(0, |visit| visit.ordinary);
        let mut level = self.settle(0, visit);
        while !level.is_empty() {
            level = level.chunks_mut(AT_ONCE).flat_map(|some| self.search(some)).collect();
        }
        self.add_planned();
        self.survey.mounts = self.mounts.taken();
        self.survey
    }

    /// Searches some folders of one level; returns those of the next.
    fn search(&mut self, some: &mut [(usize, Ahead)]) -> Vec<(usize, Ahead)> {
        let visit = |(folder, ahead): &mut (usize, Ahead)| ahead.take().unwrap_or_else(|| self.open_and_visit(*folder));
        let visits: Vec<Result<Visit, Errno>> = match some.len() > 1 && !self.text.in_order {
            true => some.par_iter_mut().map(visit).collect(),
            false => some.iter_mut().map(visit).collect(),
        };
        some.iter().zip(visits).flat_map(|((folder, _), visit)| self.settle(*folder, visit)).collect()
    }

    fn unopened(&mut self, index: usize, error: Errno) {
        if error == Errno::NOTDIR || (index == 0 && error == Errno::NOENT) {
            return;
        }
        self.survey.exists |= index == 0;
        let path = self.survey.folders[index].path.clone();
        self.survey.problems.push((path, unreadable(&error.into())));
    }

    /// Tells whether the folder was found before; remembers it. Free while there are no links.
    fn repeats(&mut self, folder: &Folder) -> bool {
        // What is found where no host looks must not hide the same folder from where one does.
        if folder.aside {
            return folder.linked;
        }
        if self.seen.is_none() && folder.linked {
            let known = self.survey.folders.iter().filter(|folder| !folder.aside);
            self.seen = Some(known.map(|folder| folder.canonical().to_owned()).collect());
        }
        self.seen.as_mut().is_some_and(|seen| !seen.insert(folder.canonical().to_owned()))
    }

    /// Records what a folder holds, or why that is not known; returns the children that are searched further.
    fn settle(&mut self, index: usize, visit: Result<Visit, Errno>) -> Vec<(usize, Ahead)> {
        let Ok(visit) = visit.map_err(|error| self.unopened(index, error)) else { return Vec::new() };
        self.survey.exists = true;
        let left = self.plan.entries.saturating_sub(self.entries);
        if visit.cut || visit.entries > left {
            self.reached(Code::EntryLimit, self.plan.entries);
        }
        if left == 0 {
            return Vec::new();
        }
        self.entries += visit.entries;
        let folder = &mut self.survey.folders[index];
        folder.entries = visit.entries;
        // A linked folder's files were read when it was found.
        add_files(&mut folder.files, visit.files);
        folder.manifests = visit.manifests;
        self.survey.problems.extend(visit.problems);
        if folder.repeats {
            return Vec::new();
        }
        self.survey.folders.reserve(visit.children.len().min(self.plan.folders));
        visit.children.into_iter().filter_map(|child| self.record(index, child)).collect()
    }

    /// Records a folder; returns it if it is searched further.
    fn record(&mut self, parent: usize, (mut folder, ahead): (Folder, Ahead)) -> Option<(usize, Ahead)> {
        folder.parent = parent;
        if self.survey.folders.len() >= self.plan.folders {
            self.reached(Code::FolderLimit, self.plan.folders);
            return None;
        }
        folder.repeats = self.repeats(&folder);
        if folder.repeats
            && !folder.aside
            && self.survey.folders[folder.parent].canonical().starts_with(folder.canonical())
        {
            let problem = Diagnostic::warning(Code::LinkCycle, "the link leads back to a folder that holds it");
            self.survey.problems.push((folder.path.clone(), problem.help("remove the link")));
            folder.cycle = true;
        }
        // A folder that was found before is looked at once more only for its own files, if those were not read yet.
        let is_read = folder.linked || self.plan.probes();
        let goes_on = self.is_searched(&folder) && !(folder.repeats && is_read);
        self.survey.folders.push(folder);
        goes_on.then(|| (self.survey.folders.len() - 1, ahead))
    }

    /// Tells whether a folder is searched, as far as its place says.
    fn is_searched(&self, folder: &Folder) -> bool {
        if folder.barred {
            return false;
        }
        let is_leaf = folder.has_skill(self.plan) && !self.plan.enter_skills;
        let deep_enough =
            if self.plan.probes() { folder.depth >= self.plan.depth } else { folder.depth > self.plan.depth };
        let followed = !folder.linked || self.plan.follow_folders || self.plan.thorough;
        followed && !is_leaf && !deep_enough
    }

    fn reached(&mut self, code: Code, limit: usize) {
        if !self.survey.limits.iter().any(|(seen, _)| *seen == code) {
            self.survey.limits.push((code, limit));
        }
    }
}

/// Adds the files of a listing to those that were looked for before.
fn add_files(files: &mut Vec<FileFact>, listed: Vec<FileFact>) {
    if files.is_empty() {
        *files = listed;
    } else {
        let known: Vec<Arc<str>> = files.iter().map(|file| Arc::clone(&file.name)).collect();
        files.extend(listed.into_iter().filter(|file| !known.contains(&file.name)));
    }
}

fn unreadable(error: &std::io::Error) -> Diagnostic {
    if error.raw_os_error() == Some(Errno::XDEV.raw_os_error()) {
        let message = "something was mounted here after the first search, so the folder is not read";
        return Diagnostic::warning(Code::Unreadable, message).help("start the program again if the mount is yours");
    }
    Diagnostic::warning(Code::Unreadable, format!("the folder cannot be read: {}", file::reason(error)))
        .help("check the folder's permissions")
}
