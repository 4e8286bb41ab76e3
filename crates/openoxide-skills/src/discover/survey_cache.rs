//! Caches what a survey read from the disk, folder by folder, so that the next one reads only what changed.
//!
//! Everything here is what the disk said, never what follows from it: the next search goes the same way as one that
//! remembers nothing, and only asks here before it asks the disk.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::folder::{Folder, Inner, Manifest, Survey};
use super::{file::FileFact, listing::Listing};
use crate::diagnostic::Code;

/// More pairs of a link and a touched path than this cost more than looking at everything.
const PAIRS_MAX: usize = 1_000_000;

/// A file that is written again and again, and is no skill all that time, is taken for what it is after so long.
const DOUBT_MAX: Duration = Duration::from_secs(10);

/// What a search of one root found.
#[derive(Debug, Default)]
pub(crate) struct SurveyCache {
    known: HashMap<OsString, FolderRecord>,
    /// Contents before a full invalidation; its files are compared with the disk.
    past: HashMap<OsString, FolderRecord>,
    /// Where something really is that a link, or the root, leads to; and where it was found.
    links: Vec<(PathBuf, PathBuf)>,
    /// Files that are no skills any more, but were until a moment ago.
    doubts: HashMap<Arc<Path>, Doubt>,
    learned: Mutex<Learned>,
    /// Folders of which something is looked at each time.
    unsure: HashSet<OsString>,
    watched: Watched,
    now: Option<Instant>,
    patience: Duration,
}

#[derive(Debug, Default)]
struct FolderRecord {
    /// Where it really is, if that is elsewhere.
    real: Option<PathBuf>,
    listing: Option<Cached<(Arc<Listing>, bool)>>,
    /// What it holds, by [`Pass`].
    contents: [Option<Cached<Contents>>; 2],
    inner: Vec<Inner>,
}

/// When a folder's files are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// Before it is listed, from outside.
    Probe,
    /// After it is listed.
    Listing,
}

/// The files of a folder that matter, and its manifests.
pub(super) type Contents = (Vec<FileFact>, Vec<Manifest>);

pub(super) struct Reading {
    pub(super) contents: Contents,
    pub(super) inner: Vec<Inner>,
    /// Whether a link is on the way to a manifest.
    pub(super) linked: bool,
}

/// Something known, and whether nothing happened to it since.
#[derive(Debug)]
pub(super) struct Cached<T> {
    pub(super) value: T,
    pub(super) sure: bool,
}

#[derive(Clone, Copy, Debug)]
struct Doubt {
    content: Option<u64>,
    /// Since when it has been like that.
    since: Instant,
    /// Since when it has been no skill.
    first: Instant,
}

/// What a search learned: folders by path and real path, and files in doubt.
#[derive(Debug, Default)]
struct Learned {
    folders: Vec<(OsString, Option<PathBuf>, Learning)>,
    doubts: HashMap<Arc<Path>, Doubt>,
}

#[derive(Debug)]
enum Learning {
    Listing(Arc<Listing>, bool),
    Contents(Pass, Cached<Contents>, Vec<Inner>),
}

/// What to watch; a change there makes the catalog stale.
#[derive(Clone, Debug, Default)]
pub struct Watched {
    /// Folders to watch, links resolved.
    pub folders: Vec<PathBuf>,
    /// Links to watch for a changed target, dangling ones included.
    pub links: Vec<PathBuf>,
}

impl SurveyCache {
    /// Begins a search. A file that is no skill any more is believed when it stays so for as long as `patience`.
    pub(crate) fn begin(&mut self, now: Instant, patience: Duration) {
        self.now = Some(now);
        self.patience = patience;
    }

    pub(crate) fn doubt_all(&mut self) {
        self.past = std::mem::take(&mut self.known);
        self.links.clear();
        self.unsure.clear();
    }

    /// Doubts what is at, in or above these paths, links resolved. Returns the folders whose files are in doubt, if
    /// nothing else is.
    pub(crate) fn doubt(&mut self, touched: &[PathBuf]) -> Option<HashSet<OsString>> {
        if self.links.len().saturating_mul(touched.len()) > PAIRS_MAX {
            self.doubt_all();
            return None;
        }
        let links = std::mem::take(&mut self.links);
        let mut gone: HashSet<OsString> = HashSet::new();
        let mut files = std::mem::take(&mut self.unsure);
        for path in touched {
            for (real, found) in &links {
                if let Ok(rest) = path.strip_prefix(real) {
                    let at = if rest.as_os_str().is_empty() { found.clone() } else { found.join(rest) };
                    self.doubt_at(&at, &mut gone, &mut files);
                } else if real.starts_with(path) {
                    self.doubt_at(found, &mut gone, &mut files);
                }
            }
        }
        self.links = links;
        if !gone.is_empty() {
            self.known.retain(|path, _| !Path::new(path).ancestors().any(|outer| gone.contains(outer.as_os_str())));
        }
        // Where links lead has to be found out anew.
        let is_plain = gone.is_empty() && self.links.len() == 1 && self.watched.links.is_empty();
        is_plain.then_some(files)
    }

    fn doubt_at(&mut self, path: &Path, gone: &mut HashSet<OsString>, files: &mut HashSet<OsString>) {
        if self.known.contains_key(path.as_os_str()) {
            gone.insert(path.as_os_str().to_owned());
        }
        for (steps, outer) in path.ancestors().skip(1).enumerate() {
            let Some(known) = self.known.get_mut(outer.as_os_str()) else { continue };
            known.contents.iter_mut().flatten().for_each(|contents| contents.sure = false);
            files.insert(outer.as_os_str().to_owned());
            if let Some(listing) = known.listing.as_mut().filter(|_| steps == 0) {
                listing.sure = false;
            }
        }
    }

    /// Returns the last names of a folder, and whether there are more.
    pub(super) fn listing(&self, folder: &Folder) -> Option<&Cached<(Arc<Listing>, bool)>> {
        record(&self.known, folder)?.listing.as_ref()
    }

    pub(super) fn learn_listing(&self, folder: &Folder, listing: &Arc<Listing>, cut: bool) {
        self.learn(folder, Learning::Listing(Arc::clone(listing), cut));
    }

    /// Returns what a folder holds, by what is known or by reading.
    pub(super) fn contents<E>(
        &self,
        folder: &Folder,
        pass: Pass,
        read: impl FnOnce() -> Result<Reading, E>,
    ) -> Result<Contents, E> {
        let old = record(&self.known, folder).and_then(|record| record.contents[pass as usize].as_ref());
        if let Some(old) = old.filter(|old| old.sure) {
            return Ok(old.value.clone());
        }
        let Reading { contents: (files, manifests), inner, linked } = read()?;
        let old = old.or_else(|| record(&self.past, folder)?.contents[pass as usize].as_ref());
        let Cached { value: files, sure } = self.judged(old.map(|old| old.value.0.as_slice()), files);
        let value = (files, manifests);
        self.learn(folder, Learning::Contents(pass, Cached { value: value.clone(), sure: sure && !linked }, inner));
        Ok(value)
    }

    /// Keeps the last good version of a file that is no skill any more, until it has been like that for a while: it may
    /// be half written.
    fn judged(&self, old: Option<&[FileFact]>, mut files: Vec<FileFact>) -> Cached<Vec<FileFact>> {
        let mut sure = true;
        for file in &mut files {
            // Where a link leads may change without a trace in this folder.
            sure &= !file.is_link;
            if file.is_good() {
                continue;
            }
            let same = |known: &&FileFact| known.name == file.name && known.is_good();
            let Some(good) = old.and_then(|old| old.iter().find(same)) else { continue };
            if self.is_doubtful(file) {
                *file = good.clone();
                sure = false;
            }
        }
        Cached { value: files, sure }
    }

    /// Tells whether a bad file may be about to change again; remembers since when it has been like that.
    fn is_doubtful(&self, file: &FileFact) -> bool {
        let Some(now) = self.now.filter(|_| !self.patience.is_zero()) else { return false };
        let known = self.doubts.get(&file.path).copied();
        let since = known.filter(|known| known.content == file.content).map_or(now, |known| known.since);
        let doubt = Doubt { content: file.content, since, first: known.map_or(now, |known| known.first) };
        let waits = now.duration_since(doubt.since) < self.patience && now.duration_since(doubt.first) < DOUBT_MAX;
        if waits {
            self.learned().doubts.insert(Arc::clone(&file.path), doubt);
        }
        waits
    }

    fn learn(&self, folder: &Folder, what: Learning) {
        self.learned().folders.push((folder.path.as_os_str().to_owned(), folder.canonical.clone(), what));
    }

    fn learned(&self) -> MutexGuard<'_, Learned> {
        self.learned.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells whether a file is in doubt, so that the search has to be repeated soon.
    pub(crate) fn is_in_doubt(&self) -> bool {
        !self.doubts.is_empty()
    }

    pub(crate) fn watched(&self) -> &Watched {
        &self.watched
    }

    pub(crate) fn ends(&self) -> impl Iterator<Item = &Path> {
        self.links.iter().skip(1).map(|(real, _)| real.as_path())
    }

    /// Takes in what a search learned. Returns whether something else has to be watched now; where only files were read
    /// again, that is seldom so.
    pub(crate) fn finish(&mut self, survey: &Survey, only_files: bool) -> bool {
        let Learned { folders, doubts } = std::mem::take(&mut *self.learned());
        self.past = HashMap::new();
        self.doubts = doubts;
        let mut is_new = !only_files;
        for (path, real, what) in folders {
            is_new |= self.know(path, real, what);
        }
        is_new && self.gather(survey)
    }

    /// Takes in one thing; returns whether other folders have to be watched for it.
    fn know(&mut self, path: OsString, real: Option<PathBuf>, what: Learning) -> bool {
        if let Learning::Contents(_, Cached { sure: false, .. }, _) = what {
            self.unsure.insert(path.clone());
        }
        let known = self.known.entry(path).or_default();
        if known.real != real {
            *known = FolderRecord { real, ..FolderRecord::default() };
        }
        match what {
            Learning::Listing(listing, cut) => {
                known.listing = Some(Cached { value: (listing, cut), sure: true });
                false
            }
            Learning::Contents(pass, contents, inner) => {
                let is_first = known.contents[pass as usize].replace(contents).is_none();
                let is_same = known.inner == inner;
                known.inner = inner;
                !is_same || (is_first && pass == Pass::Listing)
            }
        }
    }

    /// Finds what has to be watched, and where links lead; returns whether that is something else than before.
    fn gather(&mut self, survey: &Survey) -> bool {
        let mut watched = Watched::default();
        self.links.clear();
        if survey.exists {
            self.links.push((survey.canonical.clone(), survey.root.clone()));
            for folder in &survey.folders {
                self.gather_folder(folder, &mut watched);
            }
        } else {
            self.known.clear();
        }
        let is_link = |code: Code| matches!(code, Code::LinkDangling | Code::LinkCycle | Code::LinkLeadsOut);
        let problems = survey.problems.iter().filter(|(_, problem)| is_link(problem.code));
        watched.links.extend(problems.map(|(path, _)| path.clone()));
        let is_new = !watched.is_same(&self.watched);
        self.watched = watched;
        is_new
    }

    fn gather_folder(&mut self, folder: &Folder, watched: &mut Watched) {
        watched.folders.push(folder.canonical().to_owned());
        if folder.linked {
            self.links.push((folder.canonical().to_owned(), folder.path.clone()));
            watched.links.push(folder.path.clone());
        }
        for file in folder.files.iter().filter(|file| file.is_link) {
            self.links.extend(file.link.as_ref().map(|real| (real.to_path_buf(), file.path.to_path_buf())));
            watched.links.push(file.path.to_path_buf());
        }
        let known = self.known.get(folder.path.as_os_str());
        for (real, found) in known.map_or(&[][..], |known| known.inner.as_slice()) {
            watched.folders.extend(real.clone());
            if !real.as_ref().is_some_and(|real| real.starts_with(folder.canonical())) {
                self.links.extend(real.clone().map(|real| (real, found.clone())));
                watched.links.push(found.clone());
            }
        }
    }
}

impl Watched {
    /// Compares by bytes: there are many, and they are as they were found.
    fn is_same(&self, other: &Watched) -> bool {
        let same = |left: &[PathBuf], right: &[PathBuf]| {
            left.len() == right.len()
                && left.iter().zip(right).all(|(left, right)| left.as_os_str() == right.as_os_str())
        };
        same(&self.folders, &other.folders) && same(&self.links, &other.links)
    }
}

fn record<'k>(known: &'k HashMap<OsString, FolderRecord>, folder: &Folder) -> Option<&'k FolderRecord> {
    known.get(folder.path.as_os_str()).filter(|known| known.real == folder.canonical)
}
