//! One pass over everything below a root, level by level, in a fixed order.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::Errno;

use super::Plan;
use super::file::{self, FileFact, Place};
use super::listing::Listing;
use crate::code::Code;
use crate::diagnostic::Diagnostic;

/// Folders that are searched before what they held is counted.
const AT_ONCE: usize = 512;
/// How folders are opened.
const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC).union(OFlags::NONBLOCK);
/// Fewer entries than this are not worth a second thread.
const PARALLEL_FROM: usize = 24;
/// A folder with no more folders than this is searched together with them, while it is open.
const AHEAD_MAX: usize = 32;

/// What lies below a root.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    pub(crate) root: PathBuf,
    /// The root with links resolved.
    pub(crate) canonical: PathBuf,
    /// Whether there is such a folder.
    pub(crate) exists: bool,
    /// Folders, breadth first, names sorted; the root is the first.
    pub(crate) folders: Vec<Folder>,
    /// Problems with folders.
    pub(crate) problems: Vec<(PathBuf, Diagnostic)>,
    /// Limits of the plan that were reached.
    pub(crate) limits: Vec<(Code, usize)>,
}

/// A manifest's path in its folder, and its bytes or why they cannot be read.
pub(crate) type Manifest = (String, Result<Vec<u8>, String>);

/// One folder below a root.
#[derive(Debug, Default)]
pub(crate) struct Folder {
    pub(crate) path: PathBuf,
    pub(crate) canonical: Option<PathBuf>,
    pub(crate) parent: usize,
    pub(crate) depth: usize,
    pub(crate) hidden: bool,
    pub(crate) linked: bool,
    /// How many entries it has; 0 where it was not listed, as a skill's own folder often is not.
    pub(crate) entries: usize,
    pub(crate) files: Vec<FileFact>,
    /// Whether it is the same folder as one found earlier; it is not searched again.
    pub(crate) repeats: bool,
    /// Whether it is a link to a folder that holds it.
    pub(crate) cycle: bool,
    /// Whether it lies where no host looks, and is searched only for what does not count.
    pub(crate) aside: bool,
    /// Manifests in it, by their path.
    pub(crate) manifests: Vec<Manifest>,
}

impl Folder {
    /// Returns the folder with links resolved.
    pub(crate) fn canonical(&self) -> &Path {
        self.canonical.as_deref().unwrap_or(&self.path)
    }

    fn has_skill(&self, plan: &Plan) -> bool {
        self.files.iter().any(|file| plan.files.contains(&file.name) && !(file.is_link && file.parsed.is_empty()))
    }
}

/// Looks at everything below `root` that the plan asks for.
pub(crate) fn survey(root: &Path, plan: &Plan) -> Survey {
    let canonical = match std::fs::canonicalize(root) {
        Ok(canonical) => canonical,
        Err(error) => {
            let mut survey = Survey { root: root.to_owned(), canonical: root.to_owned(), ..Survey::default() };
            if error.kind() != std::io::ErrorKind::NotFound && error.kind() != std::io::ErrorKind::NotADirectory {
                survey.problems.push((root.to_owned(), unreadable(&error)));
            }
            return survey;
        }
    };
    let survey = Survey { root: root.to_owned(), canonical, ..Survey::default() };
    Surveyor { plan, survey, root: None, seen: None, entries: 0, ordinary: 0 }.run()
}

struct Surveyor<'p> {
    plan: &'p Plan,
    survey: Survey,
    /// The root, once it is open: most folders are its children, and are found from it fastest.
    root: Option<OwnedFd>,
    /// Every folder by its canonical path, once links are about.
    seen: Option<HashSet<PathBuf>>,
    entries: usize,
    /// Folders in the root that every host enters.
    ordinary: usize,
}

/// What a folder holds.
#[derive(Default)]
struct Visit {
    entries: usize,
    cut: bool,
    ordinary: usize,
    files: Vec<FileFact>,
    manifests: Vec<Manifest>,
    children: Vec<Child>,
    problems: Vec<(PathBuf, Diagnostic)>,
}

/// A folder in a folder, and what it holds where that was looked at ahead.
struct Child {
    folder: Folder,
    ahead: Option<Result<Visit, Errno>>,
}

/// A folder to search, and what it holds where that was looked at ahead.
struct Task {
    folder: usize,
    ahead: Option<Result<Visit, Errno>>,
}

impl Surveyor<'_> {
    fn run(mut self) -> Survey {
        let root = self.survey.root.clone();
        let canonical = (self.survey.canonical != root).then(|| self.survey.canonical.clone());
        let opened = rustix::fs::open(&root, FOLDER, Mode::empty());
        self.survey.folders.push(Folder { path: root, canonical, ..Folder::default() });
        let visit = opened.and_then(|dir| {
            let visit = self.visit(dir.as_fd(), &self.survey.folders[0], false);
            self.root = Some(dir);
            visit
        });
        self.ordinary = visit.as_ref().map_or(0, |visit| visit.ordinary);
        let mut level = self.settle(0, visit);
        while !level.is_empty() {
            let mut next = Vec::new();
            for some in level.chunks_mut(AT_ONCE) {
                next.extend(self.search(some));
            }
            level = next;
        }
        self.survey
    }

    /// Searches some folders of one level; returns those of the next.
    fn search(&mut self, some: &mut [Task]) -> Vec<Task> {
        let visit = |task: &mut Task| task.ahead.take().unwrap_or_else(|| self.open_and_visit(task.folder));
        let visits: Vec<Result<Visit, Errno>> = if some.len() > 1 {
            some.par_iter_mut().map(visit).collect()
        } else {
            some.iter_mut().map(visit).collect()
        };
        let mut next = Vec::new();
        for (task, visit) in some.iter().zip(visits) {
            next.extend(self.settle(task.folder, visit));
        }
        next
    }

    fn open_and_visit(&self, index: usize) -> Result<Visit, Errno> {
        let folder = &self.survey.folders[index];
        // The path of a linked folder was resolved before, and is not allowed to change into a link again.
        let flags = FOLDER | OFlags::NOFOLLOW;
        let dir = match (&self.root, folder.path.file_name()) {
            (Some(root), Some(name)) if folder.parent == 0 && !folder.linked => {
                rustix::fs::openat(root, name, flags, Mode::empty())
            }
            _ => rustix::fs::open(folder.canonical(), flags, Mode::empty()),
        };
        self.visit(dir?.as_fd(), folder, true)
    }

    /// Lists a folder, reads what it holds, and looks at its children, or into them if they are few.
    fn visit(&self, dir: BorrowedFd<'_>, folder: &Folder, ahead: bool) -> Result<Visit, Errno> {
        let (listing, cut) = Listing::read(dir, self.plan.entries)?;
        let mut visit = Visit { entries: listing.len(), cut, ..Visit::default() };
        visit.files = self.files(folder, dir, &listing);
        visit.manifests = self.manifests(folder, &listing);
        if folder.depth < self.plan.depth && !folder.repeats && !self.is_beyond_all(folder, &visit) {
            self.children(folder, dir, &listing, &mut visit);
        }
        if ahead && visit.children.len() <= AHEAD_MAX {
            let Visit { children, .. } = &mut visit;
            children.iter_mut().filter(|child| !child.folder.linked && self.is_searched(&child.folder)).for_each(
                |child| {
                    child.ahead = Some(self.look_ahead(dir, &child.folder));
                },
            );
        }
        Ok(visit)
    }

    /// Tells whether no host gets as far as the folders inside this one: those that look inside skills have entered as
    /// many folders as they may before it is their turn, and say so.
    fn is_beyond_all(&self, folder: &Folder, visit: &Visit) -> bool {
        let is_sure = |file: &FileFact| {
            self.plan.sure_files.contains(&*file.name) && !file.is_link && file.size <= self.plan.sure_size
        };
        let is_full = self.ordinary >= self.plan.inner_folders && !self.plan.thorough && !self.plan.flat;
        is_full && folder.depth > 0 && visit.files.iter().any(is_sure)
    }

    fn look_ahead(&self, parent: BorrowedFd<'_>, folder: &Folder) -> Result<Visit, Errno> {
        let name = folder.path.file_name().unwrap_or_default();
        let dir = rustix::fs::openat(parent, name, FOLDER | OFlags::NOFOLLOW, Mode::empty())?;
        self.visit(dir.as_fd(), folder, false)
    }

    fn unopened(&mut self, index: usize, error: Errno) {
        if error == Errno::NOTDIR || (index == 0 && error == Errno::NOENT) {
            return;
        }
        self.survey.exists |= index == 0;
        let path = self.survey.folders[index].path.clone();
        self.survey.problems.push((path, unreadable(&error.into())));
    }

    /// Reads the files of a folder that matter, unless they were read when it was probed.
    fn files(&self, folder: &Folder, dir: BorrowedFd<'_>, listing: &Listing) -> Vec<FileFact> {
        let is_root = folder.depth == 0;
        let was_probed = !is_root && self.plan.probes();
        let mut facts = Vec::new();
        for (name, kind) in listing.iter() {
            let Some(text) = name.to_str() else { continue };
            let exact = self.plan.files.get(text);
            let wanted = match exact {
                _ if self.plan.flat => text.strip_suffix(".md").is_some(),
                Some(_) if is_root => self.plan.root_itself,
                Some(_) => !was_probed,
                None => is_near_miss(text),
            };
            if wanted {
                let called = if self.plan.flat {
                    text.strip_suffix(".md").unwrap_or(text).to_owned()
                } else {
                    folder_name(&folder.path)
                };
                let real = if self.plan.flat { called.clone() } else { folder_name(folder.canonical()) };
                let place = Place {
                    fd: dir,
                    rel: Path::new(name),
                    found: &folder.path,
                    dir: &folder.path,
                    folder: &called,
                    real_folder: &real,
                    regular: kind == FileType::RegularFile,
                };
                let name = exact.cloned().unwrap_or_else(|| Arc::from(text));
                facts.extend(file::read_skill(&place, &name, self.plan));
            }
        }
        let first = facts.iter_mut().find(|fact| self.plan.files.contains(&*fact.name));
        if let Some(first) = first.filter(|_| !self.plan.flat && self.plan.has_sidecar_folder(listing)) {
            first.sidecars = file::read_sidecars(dir, Path::new(""), &self.plan.sidecars);
        }
        facts
    }

    fn manifests(&self, folder: &Folder, listing: &Listing) -> Vec<Manifest> {
        let mut found = Vec::new();
        for manifest in &self.plan.manifests {
            let first = manifest.split('/').next().unwrap_or(manifest);
            if listing.contains(first) {
                let path = folder.path.join(manifest);
                if path.is_file() {
                    found.extend(file::read_manifest(&path).map(|bytes| (manifest.clone(), bytes)));
                }
            }
        }
        found
    }

    /// Looks at what may be a folder, in order.
    fn children(&self, outer: &Folder, dir: BorrowedFd<'_>, listing: &Listing, visit: &mut Visit) {
        let folders: Vec<(&OsStr, FileType)> =
            listing.iter().filter(|(name, kind)| self.is_wanted(name, *kind)).collect();
        if outer.depth == 0 && self.plan.enter_skills {
            visit.ordinary = folders.iter().filter(|(name, kind)| self.is_ordinary(name, *kind)).count();
        }
        let holds_skill = visit.files.iter().any(|file| self.plan.files.contains(&file.name));
        let look = |entry: &(&OsStr, FileType)| self.child(outer, dir, entry.0, entry.1, holds_skill);
        let outcomes: Vec<Result<Option<Folder>, (PathBuf, Diagnostic)>> = if folders.len() >= PARALLEL_FROM {
            folders.par_iter().with_min_len(8).map(look).collect()
        } else {
            folders.iter().map(look).collect()
        };
        for outcome in outcomes {
            match outcome {
                Ok(folder) => visit.children.extend(folder.map(|folder| Child { folder, ahead: None })),
                Err(problem) => visit.problems.push(problem),
            }
        }
    }

    /// Tells whether every host enters a folder of this name.
    fn is_ordinary(&self, name: &OsStr, kind: FileType) -> bool {
        let name = name.to_string_lossy();
        let is_ignored = || {
            let bare = name.trim_end_matches(['.', ' ']).to_lowercase();
            self.plan.sometimes_ignored.contains(&bare)
        };
        kind == FileType::Directory && !name.starts_with('.') && !is_ignored()
    }

    fn is_wanted(&self, name: &OsStr, kind: FileType) -> bool {
        let may_be_folder = matches!(kind, FileType::Directory | FileType::Unknown | FileType::Symlink);
        let hidden = name.as_bytes().starts_with(b".");
        may_be_folder && (!hidden || self.plan.enter_hidden) && !self.is_ignored(name)
    }

    /// Describes a child, and reads its files if they are looked for before it is listed.
    fn child(
        &self,
        outer: &Folder,
        dir: BorrowedFd<'_>,
        name: &OsStr,
        kind: FileType,
        holds_skill: bool,
    ) -> Result<Option<Folder>, (PathBuf, Diagnostic)> {
        let path = outer.path.join(name);
        let target = match kind {
            FileType::Symlink => match follow(&path)? {
                Some(target) => Some(target),
                None => return Ok(None),
            },
            _ => None,
        };
        let hidden = name.as_bytes().starts_with(b".");
        let linked = target.is_some();
        let canonical = target.or_else(|| outer.canonical.as_ref().map(|outer| outer.join(name)));
        let aside = self.is_aside(outer, hidden, holds_skill);
        let mut folder = Folder { path, canonical, depth: outer.depth + 1, hidden, linked, aside, ..Folder::default() };
        if self.plan.probes() || linked {
            folder.files = self.probe(dir, name, &folder);
        }
        Ok(Some(folder))
    }

    fn probe(&self, dir: BorrowedFd<'_>, name: &OsStr, folder: &Folder) -> Vec<FileFact> {
        if self.plan.flat {
            return Vec::new();
        }
        let called = crate::text::path_text(Path::new(name));
        let real = folder.linked.then(|| folder_name(folder.canonical()));
        // A linked folder is looked at where it really is; any other from its parent, so that nothing can come between.
        let (fd, base) = match folder.linked {
            false => (dir, Path::new(name)),
            true => (rustix::fs::CWD, folder.canonical()),
        };
        let mut files = Vec::with_capacity(1);
        for file in &self.plan.files {
            let place = Place {
                fd,
                rel: &base.join(&**file),
                found: &folder.path,
                dir: folder.canonical(),
                folder: &called,
                real_folder: real.as_deref().unwrap_or(&called),
                regular: false,
            };
            files.extend(file::read_skill(&place, file, self.plan));
        }
        if let Some(first) = files.first_mut().filter(|_| !self.plan.sidecars.is_empty()) {
            first.sidecars = file::read_sidecars(fd, base, &self.plan.sidecars);
        }
        files
    }

    fn is_ignored(&self, name: &OsStr) -> bool {
        if self.plan.ignored.is_empty() || self.plan.thorough {
            return false;
        }
        let folded = name.to_string_lossy().trim_end_matches(['.', ' ']).to_lowercase();
        self.plan.ignored.contains(&folded)
    }

    /// Tells whether no host looks into a child of this folder.
    fn is_aside(&self, outer: &Folder, hidden: bool, holds_skill: bool) -> bool {
        let reach = &self.plan.reach;
        outer.aside
            || (hidden && !reach.hidden)
            || outer.depth >= reach.depth
            || (!reach.skills && outer.depth != 0 && (holds_skill || outer.has_skill(self.plan)))
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
    fn settle(&mut self, index: usize, visit: Result<Visit, Errno>) -> Vec<Task> {
        let visit = match visit {
            Ok(visit) => visit,
            Err(error) => {
                self.unopened(index, error);
                return Vec::new();
            }
        };
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
        if folder.files.is_empty() {
            folder.files = visit.files;
        } else {
            let known: Vec<Arc<str>> = folder.files.iter().map(|file| Arc::clone(&file.name)).collect();
            folder.files.extend(visit.files.into_iter().filter(|file| !known.contains(&file.name)));
        }
        folder.manifests = visit.manifests;
        self.survey.problems.extend(visit.problems);
        if folder.repeats {
            return Vec::new();
        }
        visit.children.into_iter().filter_map(|child| self.record(index, child)).collect()
    }

    /// Records a folder; returns it if it is searched further.
    fn record(&mut self, parent: usize, child: Child) -> Option<Task> {
        let Child { mut folder, ahead } = child;
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
        goes_on.then(|| Task { folder: self.survey.folders.len() - 1, ahead })
    }

    /// Tells whether a folder is searched, as far as its place says.
    fn is_searched(&self, folder: &Folder) -> bool {
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

/// Returns the folder that a link leads to; a link to something else is nothing.
fn follow(path: &Path) -> Result<Option<PathBuf>, (PathBuf, Diagnostic)> {
    match std::fs::canonicalize(path) {
        Ok(target) => Ok(target.is_dir().then_some(target)),
        Err(error) => {
            let code = if error.kind() == std::io::ErrorKind::NotFound { Code::LinkDangling } else { Code::LinkCycle };
            let problem = Diagnostic::warning(code, "the link leads nowhere").help("mend or remove the link");
            Err((path.to_owned(), problem))
        }
    }
}

fn unreadable(error: &std::io::Error) -> Diagnostic {
    Diagnostic::warning(Code::Unreadable, format!("the folder cannot be read: {}", file::reason(error)))
        .help("check the folder's permissions")
}

/// Tells whether a file name is a skill's but for its spelling.
fn is_near_miss(name: &str) -> bool {
    name.eq_ignore_ascii_case("SKILL.md")
        || name.eq_ignore_ascii_case("SKILLS.md")
        || name.eq_ignore_ascii_case("SKILL.markdown")
}

fn folder_name(path: &Path) -> String {
    crate::text::path_text(Path::new(path.file_name().unwrap_or_default()))
}
