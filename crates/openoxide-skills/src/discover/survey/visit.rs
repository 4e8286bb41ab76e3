//! Visits one folder: lists it, reads the files that matter, and describes the folders in it.

use std::path::{Path, PathBuf};
use std::{ffi::OsStr, os::fd::BorrowedFd, os::unix::ffi::OsStrExt as _, sync::Arc};

use rayon::prelude::*;
use rustix::fs::FileType;
use rustix::io::Errno;

use super::{LazyFolder, Surveyor, Visit, add_files};
use crate::boundary::{LinkRole, Target};
use crate::diagnostic::{Code, Diagnostic};
use crate::discover::file::{self, FileFact, FileLocation};
use crate::discover::folder::{Folder, Inner, Manifest, inner_folders, linked_manifests};
use crate::discover::listing::Listing;
use crate::discover::plan::{first_name, is_called};
use crate::discover::survey_cache::{Contents, Pass, Reading};

/// Fewer entries than this are not worth a second thread.
const PARALLEL_FROM: usize = 24;
/// A folder with no more folders than this is searched together with them, while it is open.
const AHEAD_MAX: usize = 32;

impl Surveyor<'_> {
    pub(super) fn open_and_visit(&self, index: usize) -> Result<Visit, Errno> {
        let folder = &self.survey.folders[index];
        self.visit(&self.folder(folder), folder, true)
    }

    /// Names a folder of the survey. Its path was resolved before, and is not allowed to change into a link again.
    fn folder<'f>(&'f self, folder: &'f Folder) -> LazyFolder<'f> {
        match folder.canonical().strip_prefix(&self.survey.canonical) {
            Ok(below) if !below.as_os_str().is_empty() => LazyFolder::inside(self.root, below),
            _ => LazyFolder::at(folder.canonical(), self.mounts),
        }
    }

    /// Lists a folder, reads what it holds, and looks at its children, or into them if they are few.
    pub(super) fn visit(&self, dir: &LazyFolder<'_>, folder: &Folder, ahead: bool) -> Result<Visit, Errno> {
        let (listing, cut) = self.listing(dir, folder)?;
        let (files, manifests) = self.contents(dir, folder, &listing)?;
        let mut visit = Visit { entries: listing.len(), cut, files, manifests, ..Visit::default() };
        if folder.depth < self.plan.depth && !folder.repeats && !self.is_beyond_all(folder, &visit) {
            self.children(folder, dir, &listing, &mut visit);
        }
        if ahead && visit.children.len() <= AHEAD_MAX {
            for (folder, ahead) in &mut visit.children {
                if !folder.linked && self.is_searched(folder) {
                    *ahead = Some(self.look_ahead(dir, folder));
                }
            }
        }
        Ok(visit)
    }

    /// Reads the files of a folder again, and its manifests; nothing if what the rest of the search found depends on
    /// what is different now.
    pub(super) fn read_again(&self, index: usize) -> Option<Contents> {
        let (cache, folder) = (self.cache?, &self.survey.folders[index]);
        if folder.linked {
            return None;
        }
        let (mut files, mut manifests) = (Vec::new(), Vec::new());
        if index != 0 && self.plan.probes() {
            let outer = self.folder(&self.survey.folders[folder.parent]);
            files = self.probed(&outer, folder.path.file_name()?, folder, None);
        }
        if let Some(last) = cache.listing(folder) {
            let dir = self.folder(folder);
            let (listing, _) = self.listing(&dir, folder).ok().filter(|now| *now == last.value)?;
            let (listed, found) = self.contents(&dir, folder, &listing).ok()?;
            add_files(&mut files, listed);
            manifests = found;
        }
        let sure = self.plan.sure_size;
        let is_alike = |(old, new): (&FileFact, &FileFact)| {
            old.name == new.name
                && (old.is_link, old.parsed.is_empty(), old.size <= sure)
                    == (new.is_link, new.parsed.is_empty(), new.size <= sure)
        };
        let alike = files.len() == folder.files.len() && folder.files.iter().zip(&files).all(is_alike);
        alike.then_some((files, manifests))
    }

    fn listing(&self, dir: &LazyFolder<'_>, folder: &Folder) -> Result<(Arc<Listing>, bool), Errno> {
        if let Some(known) = self.cache.and_then(|cache| cache.listing(folder)).filter(|known| known.sure) {
            return Ok(known.value.clone());
        }
        let (listing, cut) = Listing::read(dir.fd()?, self.plan.entries)?;
        let listing = Arc::new(listing);
        if let Some(cache) = self.cache {
            cache.learn_listing(folder, &listing, cut);
        }
        Ok((listing, cut))
    }

    /// Returns the files of a listed folder that matter, and its manifests.
    fn contents(&self, dir: &LazyFolder<'_>, folder: &Folder, listing: &Listing) -> Result<Contents, Errno> {
        if self.text.is_spent() {
            return Ok(Contents::default());
        }
        let read = || Ok((self.files(folder, dir.fd()?, listing), self.manifests(folder, listing)));
        let contents = self.known_or_read(folder, listing, read);
        contents.inspect(|(files, _)| self.text.spend(files))
    }

    fn known_or_read(
        &self,
        folder: &Folder,
        listing: &Listing,
        read: impl FnOnce() -> Result<Contents, Errno>,
    ) -> Result<Contents, Errno> {
        let Some(cache) = self.cache else { return read() };
        cache.contents(folder, Pass::Listing, || {
            let contents = read()?;
            let names = self.plan.inner_names().into_iter().filter(|name| listing.contains(name));
            let mut inner = inner_folders(folder, names);
            let manifests = || self.plan.manifests.iter().filter(|file| listing.contains(first_name(file)));
            let through_link = |file: &String| {
                let path = folder.path.join(file);
                inner.iter().any(|(_, found)| path.starts_with(found) && found.is_symlink())
            };
            let links = linked_manifests(folder, manifests());
            let linked = !links.is_empty() || manifests().any(through_link);
            inner.extend(links);
            Ok(Reading { contents, inner, linked })
        })
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

    fn look_ahead(&self, parent: &LazyFolder<'_>, folder: &Folder) -> Result<Visit, Errno> {
        let name = folder.path.file_name().unwrap_or_default();
        self.visit(&LazyFolder::inside(parent, Path::new(name)), folder, false)
    }

    /// Reads the files of a folder that matter, unless they were read when it was probed.
    fn files(&self, folder: &Folder, dir: BorrowedFd<'_>, listing: &Listing) -> Vec<FileFact> {
        let is_root = folder.depth == 0;
        let was_probed = !is_root && self.plan.probes();
        let mut facts = Vec::new();
        for (name, kind) in listing.iter() {
            let Some(text) = name.to_str() else { continue };
            let exact = self.plan.files.get(text);
            let single = text.strip_suffix(".md").filter(|_| self.plan.flat);
            let is_read = match exact {
                _ if self.plan.flat => single.is_some(),
                Some(_) if is_root => self.plan.root_itself,
                Some(_) => !was_probed,
                None => is_near_miss(text),
            };
            if !is_read {
                continue;
            }
            let called = single.map_or_else(|| folder_name(&folder.path), str::to_owned);
            let real = single.map_or_else(|| folder_name(folder.canonical()), str::to_owned);
            let location = FileLocation {
                fd: dir,
                rel: Path::new(name),
                found: &folder.path,
                dir: &folder.path,
                folder: &called,
                real_folder: &real,
                regular: kind == FileType::RegularFile,
                mounts: self.mounts,
            };
            let name = exact.cloned().unwrap_or_else(|| Arc::from(text));
            facts.extend(file::read_skill(&location, &name, self.plan));
        }
        let first = facts.iter_mut().find(|fact| self.plan.files.contains(&*fact.name));
        if let Some(first) = first.filter(|_| !self.plan.flat && self.plan.has_sidecar_folder(listing)) {
            first.sidecars = file::read_sidecars(dir, Path::new(""), &self.plan.sidecars, self.mounts);
        }
        facts
    }

    fn manifests(&self, folder: &Folder, listing: &Listing) -> Vec<Manifest> {
        let listed = self.plan.manifests.iter().filter(|file| listing.contains(first_name(file)));
        let read = |file: &String| file::read_manifest(folder.canonical(), file, &self.plan.boundary);
        listed.filter_map(|file| Some((file.clone(), read(file)?))).collect()
    }

    fn children(&self, outer: &Folder, dir: &LazyFolder<'_>, listing: &Listing, visit: &mut Visit) {
        let folders: Vec<(&OsStr, FileType)> =
            listing.iter().filter(|(name, kind)| self.is_wanted(name, *kind)).collect();
        if outer.depth == 0 && self.plan.enter_skills {
            visit.ordinary = folders.iter().filter(|(name, kind)| self.is_ordinary(name, *kind)).count();
        }
        let holds_skill = visit.files.iter().any(|file| self.plan.files.contains(&file.name));
        let look = |entry: &(&OsStr, FileType)| self.child(outer, dir, entry.0, entry.1, holds_skill);
        let outcomes: Vec<Result<Option<Folder>, (PathBuf, Diagnostic)>> =
            match folders.len() >= PARALLEL_FROM && !self.text.in_order {
                true => folders.par_iter().with_min_len(8).map(look).collect(),
                false => folders.iter().map(look).collect(),
            };
        visit.children.reserve(outcomes.len());
        for outcome in outcomes {
            match outcome {
                Ok(folder) => visit.children.extend(folder.map(|folder| (folder, None))),
                Err(problem) => visit.problems.push(problem),
            }
        }
    }

    /// Tells whether every host enters a folder of this name.
    fn is_ordinary(&self, name: &OsStr, kind: FileType) -> bool {
        let name = name.to_string_lossy();
        let is_ignored = || self.plan.sometimes_ignored.iter().any(|ignored| is_called(&name, ignored));
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
        dir: &LazyFolder<'_>,
        name: &OsStr,
        kind: FileType,
        holds_skill: bool,
    ) -> Result<Option<Folder>, (PathBuf, Diagnostic)> {
        let path = outer.path.join(name);
        let linked = kind == FileType::Symlink;
        let target = if linked { follow(dir, name, &path)? } else { None };
        if linked && target.is_none() {
            return Ok(None);
        }
        let hidden = name.as_bytes().starts_with(b".");
        let aside = self.is_aside(outer, hidden, holds_skill);
        let mut folder = Folder { path, depth: outer.depth + 1, hidden, linked, aside, ..Folder::default() };
        if let Some(target) = &target {
            let role = LinkRole::Folder { name, flat: self.plan.flat };
            if !self.plan.boundary.may_lead(target, role) {
                return self.barred(folder).map(Some);
            }
            self.mounts.add(target.mount());
        }
        let real = target.as_ref().map(|target| target.path().to_owned());
        folder.canonical = real.or_else(|| outer.canonical.as_ref().map(|outer| outer.join(name)));
        if (self.plan.probes() || linked) && !self.plan.flat {
            folder.files = self.probed(dir, name, &folder, target.as_ref());
        }
        Ok(Some(folder))
    }

    /// Describes a linked folder that is not looked at: it is named, and nothing is said of what is there.
    pub(super) fn barred(&self, folder: Folder) -> Result<Folder, (PathBuf, Diagnostic)> {
        let refusal = self.plan.boundary.refusal();
        let files = &self.plan.files;
        match files.get("SKILL.md").or_else(|| files.first()).filter(|_| !self.plan.flat) {
            Some(name) => {
                let files = vec![FileFact::barred(name, &folder.path, refusal)];
                Ok(Folder { barred: true, files, ..folder })
            }
            None => Err((folder.path, refusal)),
        }
    }

    /// Returns the files of a folder that are looked for before it is listed.
    fn probed(&self, outer: &LazyFolder<'_>, name: &OsStr, folder: &Folder, target: Option<&Target>) -> Vec<FileFact> {
        if self.text.is_spent() {
            return Vec::new();
        }
        // A linked folder is looked at where it really is; any other from its parent, so that nothing can come between.
        let probe = || match target {
            Some(target) => Ok::<_, Errno>((self.probe(target.fd(), Path::new(""), name, folder), Vec::new())),
            None => Ok((self.probe(outer.fd()?, Path::new(name), name, folder), Vec::new())),
        };
        let contents = match self.cache {
            None => probe(),
            Some(cache) => cache.contents(folder, Pass::Probe, || {
                Ok(Reading { contents: probe()?, inner: self.inner(folder), linked: false })
            }),
        };
        let files = contents.unwrap_or_default().0;
        self.text.spend(&files);
        files
    }

    /// Finds the folders in a folder that is not listed which hold metadata files or manifests, and manifests that are
    /// links.
    fn inner(&self, folder: &Folder) -> Vec<Inner> {
        let mut inner = inner_folders(folder, self.plan.inner_names());
        if !inner.is_empty() {
            inner.extend(linked_manifests(folder, &self.plan.manifests));
        }
        inner
    }

    pub(super) fn probe(&self, fd: BorrowedFd<'_>, base: &Path, name: &OsStr, folder: &Folder) -> Vec<FileFact> {
        let called = crate::text::path_text(Path::new(name));
        let real = folder.linked.then(|| folder_name(folder.canonical()));
        let mut files = Vec::with_capacity(1);
        for file in &self.plan.files {
            let location = FileLocation {
                fd,
                rel: &base.join(&**file),
                found: &folder.path,
                dir: folder.canonical(),
                folder: &called,
                real_folder: real.as_deref().unwrap_or(&called),
                regular: false,
                mounts: self.mounts,
            };
            files.extend(file::read_skill(&location, file, self.plan));
        }
        if let Some(first) = files.first_mut().filter(|_| !self.plan.sidecars.is_empty()) {
            first.sidecars = file::read_sidecars(fd, base, &self.plan.sidecars, self.mounts);
        }
        files
    }

    fn is_ignored(&self, name: &OsStr) -> bool {
        let name = name.to_string_lossy();
        !self.plan.thorough && self.plan.ignored.iter().any(|ignored| is_called(&name, ignored))
    }

    /// Tells whether no host looks into a child of this folder.
    fn is_aside(&self, outer: &Folder, hidden: bool, holds_skill: bool) -> bool {
        let reach = &self.plan.reach;
        outer.aside
            || (hidden && !reach.hidden)
            || outer.depth >= reach.depth
            || (!reach.skills && outer.depth != 0 && (holds_skill || outer.has_skill(self.plan)))
    }
}

/// Holds the folder that a link leads to; a link to something else is nothing.
fn follow(dir: &LazyFolder<'_>, name: &OsStr, path: &Path) -> Result<Option<Target>, (PathBuf, Diagnostic)> {
    match dir.fd().and_then(|dir| Target::open(dir, Path::new(name))) {
        Ok(target) => Ok(target.is_folder().then_some(target)),
        Err(error) => {
            let code = if error == Errno::NOENT { Code::LinkDangling } else { Code::LinkCycle };
            Err((path.to_owned(), Diagnostic::dead_link(code)))
        }
    }
}

/// Tells whether a file name is a skill's but for its spelling.
fn is_near_miss(name: &str) -> bool {
    ["SKILL.md", "SKILLS.md", "SKILL.markdown"].iter().any(|near| name.eq_ignore_ascii_case(near))
}

fn folder_name(path: &Path) -> String {
    crate::text::path_text(Path::new(path.file_name().unwrap_or_default()))
}
