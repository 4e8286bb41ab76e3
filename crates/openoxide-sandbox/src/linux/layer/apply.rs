//! Makes the permitted changes of a command in the real folder, each as a whole, below a descriptor of the folder.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::File;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, Read as _};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, RenameFlags, ResolveFlags, Stat, Timespec, Timestamps};
use rustix::io::Errno;
use rustix::process::{Gid, Uid};

use super::judge::{CONFLICT, Judge, SEALED};
use super::upper::{self, Entry};
use crate::policy::{REPOSITORY_HEAD, REPOSITORY_PARTS};
use crate::{Change, ChangeKind, Policy};

/// Most changes of one command.
const MOST: usize = 100_000;
/// Most folders below each other.
const DEEPEST: usize = 200;
const TOO_DEEP: &str = "it lies too deep";

/// A refusal of one change, for people.
type Refused = String;

/// When something happened, in seconds and nanoseconds, by the clock of file systems.
pub(super) type Time = (i64, i64);

/// Makes the changes that a command left in the upper folder of a layer in the real folder, and returns all of them.
pub(super) fn apply(policy: &Policy, made: Time, root: &Path, real: BorrowedFd<'_>, upper: &Path) -> Vec<Change> {
    let refused = |why| vec![Change { path: root.to_owned(), kind: ChangeKind::Changed, refused: Some(why) }];
    let upper = match upper::open(rustix::fs::CWD, upper.as_os_str(), OFlags::DIRECTORY) {
        Ok(upper) => upper,
        Err(error) => return refused(said(error)),
    };
    if is_untouched(upper.as_fd()) {
        return Vec::new();
    }
    let judge = Judge::new(policy, root, real);
    let becomes_repository = || is_repository(upper.as_fd(), Some(real)).then_some(SEALED);
    if let Some(why) = judge.refusal_of_all().or_else(becomes_repository) {
        return refused(why.to_owned());
    }
    let mut apply = Apply { judge, made, root, ours: HashMap::new(), changes: Vec::new() };
    apply.folder(upper.as_fd(), real, root, false);
    apply.changes
}

fn is_untouched(upper: BorrowedFd<'_>) -> bool {
    upper::names(upper).is_ok_and(|names| names.is_empty()) && !upper::is_opaque(upper)
}

struct Apply<'a> {
    judge: Judge<'a>,
    made: Time,
    root: &'a Path,
    /// When we changed something about a file that has other names: its device and number, and the time.
    ours: HashMap<(u64, u64), Time>,
    changes: Vec<Change>,
}

/// A name in the upper folder and in the real one.
struct Place<'a> {
    upper: BorrowedFd<'a>,
    real: BorrowedFd<'a>,
    name: &'a OsStr,
    path: PathBuf,
    /// What stands there in the real folder.
    there: Option<Stat>,
}

impl Apply<'_> {
    /// Makes the changes in a folder that is there; `is_new` if one above it took the place of one that was removed, so that
    /// nothing of the real folder is to be left.
    fn folder(&mut self, upper: BorrowedFd<'_>, real: BorrowedFd<'_>, path: &Path, is_new: bool) {
        let is_new = is_new || upper::is_opaque(upper);
        let names = match upper::names(upper) {
            Ok(names) => names,
            Err(error) => return self.refuse(path, ChangeKind::Changed, &error),
        };
        // Before anything of ours changes it.
        let is_newer = rustix::fs::fstat(real).is_ok_and(|there| self.is_newer(&there));
        for name in &names {
            if self.changes.len() >= MOST {
                return self.refuse(path, ChangeKind::Changed, &format!("only the first {MOST} changes are kept"));
            }
            self.name(upper, real, name, path.join(name), is_new);
        }
        if is_new {
            self.remove_all_but(&names, real, path, is_newer);
        }
    }

    fn name(&mut self, upper: BorrowedFd<'_>, real: BorrowedFd<'_>, name: &OsStr, path: PathBuf, is_new: bool) {
        let found = upper::entry(upper, name).and_then(|entry| Ok((entry, upper::stat(real, name)?)));
        let (entry, there) = match found {
            Ok(found) => found,
            Err(error) => return self.refuse(&path, ChangeKind::Changed, &error),
        };
        let kind = match (&entry, &there) {
            (Entry::Removed, None) => return,
            (Entry::Removed, Some(_)) => ChangeKind::Removed,
            (_, None) => ChangeKind::Created,
            (_, Some(_)) => ChangeKind::Changed,
        };
        let place = Place { upper, real, name, path, there };
        let refusal = self.judge.refusal(&place.path, &entry);
        let is_merged = matches!(entry, Entry::Folder(_)) && place.is_folder();
        let is_conflict =
            || !is_merged && place.there.as_ref().is_some_and(|there| !is_folder(there) && self.is_newer(there));
        if let Some(why) = refusal.or_else(|| is_conflict().then_some(CONFLICT)) {
            return self.refuse(&place.path, kind, &why);
        }
        match entry {
            Entry::Removed if is_too_deep(real, name, self.room(&place.path)) => {
                self.refuse(&place.path, kind, &TOO_DEEP);
            }
            Entry::Removed => {
                self.remove(real, name, &place.path);
            }
            Entry::Folder(mode) => self.merge(&place, mode, kind, is_new),
            Entry::File(mode) => {
                self.replace(&place, kind, |place| place.put_file(mode));
            }
            Entry::Link(target) => {
                self.replace(&place, kind, |place| place.put_link(&target));
            }
            Entry::Other => {}
        }
    }

    /// Makes a folder, if it is not there, and the changes in it.
    fn merge(&mut self, place: &Place<'_>, mode: Mode, kind: ChangeKind, is_new: bool) {
        let before = self.changes.len();
        let opened = upper::open(place.upper, place.name, OFlags::DIRECTORY).map_err(said).and_then(|upper| {
            if self.room(&place.path) == 0 {
                return Err(TOO_DEEP.to_owned());
            }
            let below = (place.is_folder() && !is_new).then(|| beneath(place.real, place.name).ok()).flatten();
            if is_repository(upper.as_fd(), below.as_ref().map(AsFd::as_fd)) {
                return Err(SEALED.to_owned());
            }
            if !place.is_folder() {
                self.clear(place)?;
                rustix::fs::mkdirat(place.real, place.name, Mode::RWXU).map_err(said)?;
                self.changes.truncate(before);
            }
            Ok((upper, beneath(place.real, place.name).map_err(said)?))
        });
        let (upper, real) = match opened {
            Ok(opened) => opened,
            Err(why) => return self.refuse(&place.path, kind, &why),
        };
        self.folder(upper.as_fd(), real.as_fd(), &place.path, is_new);
        let changed = set_mode(&real, mode - place.closed_to_others()).map_err(said);
        let is_empty =
            kind == ChangeKind::Created && self.changes[before..].iter().all(|change| change.refused.is_some());
        self.done(&place.path, kind, changed.map(|changed| is_empty || changed && kind == ChangeKind::Changed));
    }

    /// Puts a file or link in place. Those replace each other in one step; a folder in the way is removed before.
    fn replace(&mut self, place: &Place<'_>, kind: ChangeKind, put: impl FnOnce(&Place<'_>) -> io::Result<bool>) {
        let (names, before) = (self.other_names(place), self.changes.len());
        let cleared = if place.is_folder() { self.clear(place) } else { Ok(()) };
        let put = cleared.and_then(|()| put(place).map_err(said));
        if put.is_ok() {
            // One line says it for everything that it replaces; without it, each removal is listed.
            self.changes.truncate(before);
        }
        self.noted(names);
        self.done(&place.path, kind, put);
    }

    /// Returns how many folders there may be below each other at a path.
    fn room(&self, path: &Path) -> usize {
        (DEEPEST + self.root.components().count()).saturating_sub(path.components().count())
    }

    /// Removes what stands in the way of another kind of thing.
    fn clear(&mut self, place: &Place<'_>) -> Result<(), Refused> {
        if is_too_deep(place.real, place.name, self.room(&place.path)) {
            return Err(TOO_DEEP.to_owned());
        }
        if place.there.is_some() && !self.remove(place.real, place.name, &place.path) {
            return Err("something in what it replaces stays".to_owned());
        }
        Ok(())
    }

    /// Removes what the command did not see or has removed. In a folder that another process changed meanwhile, the two cannot be
    /// told apart.
    fn remove_all_but(&mut self, kept: &[OsString], real: BorrowedFd<'_>, path: &Path, is_newer: bool) {
        match upper::names(real) {
            Ok(names) => {
                for name in names.iter().filter(|name| !kept.contains(name)) {
                    let path = path.join(name);
                    match is_newer {
                        true => self.refuse(&path, ChangeKind::Removed, &CONFLICT),
                        false if is_too_deep(real, name, self.room(&path)) => {
                            self.refuse(&path, ChangeKind::Removed, &TOO_DEEP);
                        }
                        false => drop(self.remove(real, name, &path)),
                    }
                }
            }
            Err(error) => self.refuse(path, ChangeKind::Changed, &error),
        }
    }

    /// Removes what stands under a name, with everything in it that may go. Returns whether nothing is left.
    fn remove(&mut self, real: BorrowedFd<'_>, name: &OsStr, path: &Path) -> bool {
        let before = self.changes.len();
        let removed = self.try_to_remove(real, name, path);
        if removed == Ok(true) {
            // One line says it for everything in it.
            self.changes.truncate(before);
        }
        let is_gone = removed == Ok(true);
        self.done(path, ChangeKind::Removed, removed);
        is_gone
    }

    fn try_to_remove(&mut self, real: BorrowedFd<'_>, name: &OsStr, path: &Path) -> Result<bool, Refused> {
        let Some(there) = upper::stat(real, name).map_err(said)? else { return Ok(true) };
        if self.judge.is_sealed(path) || self.judge.is_way(path) {
            return Err(SEALED.to_owned());
        }
        if self.is_newer(&there) {
            return Err(CONFLICT.to_owned());
        }
        if !is_folder(&there) {
            let names = held_by_others(real, name, &there);
            let removed = rustix::fs::unlinkat(real, name, AtFlags::empty()).map(|()| true).map_err(said);
            self.noted(names);
            return removed;
        }
        let folder = beneath(real, name).map_err(said)?;
        let mut is_gone = true;
        for inner in upper::names(folder.as_fd()).map_err(said)? {
            is_gone &= self.remove(folder.as_fd(), &inner, &path.join(&inner));
        }
        if is_gone {
            rustix::fs::unlinkat(real, name, AtFlags::REMOVEDIR).map_err(said)?;
        }
        Ok(is_gone)
    }

    /// Tells whether another process changed a file, moved it or changed what is in a folder after the copies were made.
    fn is_newer(&self, there: &Stat) -> bool {
        changed(there) > self.made && self.ours.get(&(there.st_dev, there.st_ino)) != Some(&changed(there))
    }

    /// Opens the file at a place if it has other names, before one of them goes.
    fn other_names(&self, place: &Place<'_>) -> Option<OwnedFd> {
        held_by_others(place.real, place.name, place.there.as_ref()?)
    }

    /// Notes that it was us who changed a file last: the system counts the names of a file among what belongs to it.
    fn noted(&mut self, file: Option<OwnedFd>) {
        if let Some(found) = file.and_then(|file| rustix::fs::fstat(file).ok()) {
            self.ours.insert((found.st_dev, found.st_ino), changed(&found));
        }
    }

    /// Notes a change that was made, or tried; `Ok(false)` says that nothing was to be done.
    fn done(&mut self, path: &Path, kind: ChangeKind, done: Result<bool, Refused>) {
        match done {
            Ok(true) => self.changes.push(Change { path: path.to_owned(), kind, refused: None }),
            Ok(false) => {}
            Err(why) => self.refuse(path, kind, &why),
        }
    }

    fn refuse(&mut self, path: &Path, kind: ChangeKind, why: &dyn fmt::Display) {
        self.changes.push(Change { path: path.to_owned(), kind, refused: Some(why.to_string()) });
    }
}

impl Place<'_> {
    fn is_folder(&self) -> bool {
        self.there.as_ref().is_some_and(is_folder)
    }

    /// Puts a copy of the file in place. Returns whether anything differs. A file that has another name elsewhere, as one
    /// in a store of packages has, stays what it is there.
    fn put_file(&self, mode: Mode) -> io::Result<bool> {
        let mut from = File::from(upper::open(self.upper, self.name, OFlags::empty())?);
        let found = rustix::fs::fstat(&from)?;
        let mode = (mode & (Mode::RWXU | Mode::RWXG | Mode::RWXO)) - self.closed_to_others();
        if self.is_same(&mut from, &found, mode)? {
            return Ok(false);
        }
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let other = self.other_name();
        let mut to = File::from(rustix::fs::openat(self.real, &other, flags, Mode::RUSR | Mode::WUSR)?);
        let mut put = || {
            copy_data(&mut from, &mut to, found.st_size.cast_unsigned())?;
            if let Some(there) = &self.there {
                // Fails for an ordinary user, who then owns the new file.
                let _ = rustix::fs::fchown(&to, Some(Uid::from_raw(there.st_uid)), Some(Gid::from_raw(there.st_gid)));
            }
            rustix::fs::fchmod(&to, mode)?;
            rustix::fs::futimens(&to, &times(&found))?;
            self.rename(&other)
        };
        self.or_remove(&other, put())
    }

    /// Returns the bits that would let others do what they cannot do now: a command opens nothing up to other users of the
    /// machine. What others may read, they may also run. What is new is no more writable than the folder it is in.
    fn closed_to_others(&self) -> Mode {
        // The mode of a link says nothing.
        let is_link = |there: &&Stat| FileType::from_raw_mode(there.st_mode) == FileType::Symlink;
        let Some(there) = self.there.as_ref().filter(|there| !is_link(there)) else {
            let folder =
                rustix::fs::fstat(self.real).map_or(Mode::empty(), |folder| Mode::from_raw_mode(folder.st_mode));
            return (Mode::WGRP | Mode::WOTH) - folder;
        };
        let now = Mode::from_raw_mode(there.st_mode);
        let read = [(Mode::RGRP, Mode::XGRP), (Mode::ROTH, Mode::XOTH)];
        let run = read.into_iter().filter(|(read, _)| now.contains(*read)).fold(now, |now, (_, run)| now | run);
        (Mode::RWXG | Mode::RWXO) - run
    }

    fn put_link(&self, target: &Path) -> io::Result<bool> {
        if self.there.is_some() && upper::link(self.real, self.name).is_ok_and(|there| there == target) {
            return Ok(false);
        }
        let other = self.other_name();
        rustix::fs::symlinkat(target, self.real, &other)?;
        self.or_remove(&other, self.rename(&other))
    }

    /// Tells whether the real file has the same content and mode; if so, it gets the time of the other.
    fn is_same(&self, from: &mut File, found: &Stat, mode: Mode) -> io::Result<bool> {
        let is_alike = |there: &&Stat| {
            FileType::from_raw_mode(there.st_mode) == FileType::RegularFile && there.st_size == found.st_size
        };
        let Some(there) = self.there.as_ref().filter(is_alike) else { return Ok(false) };
        if Mode::from_raw_mode(there.st_mode) != mode {
            return Ok(false);
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let mut real = File::from(rustix::fs::openat(self.real, self.name, flags, Mode::empty())?);
        let is_same = same_bytes(from, &mut real)?;
        io::Seek::rewind(from)?;
        if is_same {
            rustix::fs::futimens(&real, &times(found))?;
        }
        Ok(is_same)
    }

    /// Gives what was made under another name its own. What is new replaces nothing.
    fn rename(&self, other: &OsStr) -> io::Result<()> {
        if !self.is_as_it_was() {
            return Err(io::Error::other(CONFLICT));
        }
        let flags = if self.there.is_some() { RenameFlags::empty() } else { RenameFlags::NOREPLACE };
        match rustix::fs::renameat_with(self.real, other, self.real, self.name, flags) {
            Err(Errno::EXIST) => Err(io::Error::other(CONFLICT)),
            renamed => Ok(renamed?),
        }
    }

    /// Looks again: copying took its time.
    fn is_as_it_was(&self) -> bool {
        let Some(there) = self.there.as_ref().filter(|there| !is_folder(there)) else { return true };
        let now = upper::stat(self.real, self.name).ok().flatten();
        now.is_some_and(|now| (now.st_dev, now.st_ino, changed(&now)) == (there.st_dev, there.st_ino, changed(there)))
    }

    fn or_remove(&self, other: &OsStr, put: io::Result<()>) -> io::Result<bool> {
        if put.is_err() {
            let _ = rustix::fs::unlinkat(self.real, other, AtFlags::empty());
        }
        put.map(|()| true)
    }

    /// Returns a name for what is not complete yet.
    fn other_name(&self) -> OsString {
        let mut name = OsString::from(".openoxide-");
        // What a killed process left keeps no name from us.
        name.push(format!("{:016x}", RandomState::new().hash_one(())));
        name.push("-");
        name.push(OsStr::from_bytes(&self.name.as_bytes()[..self.name.len().min(200)]));
        name
    }
}

/// Tells whether a folder is, or would become, a repository of Git, which may bring hooks of its own.
fn is_repository(upper: BorrowedFd<'_>, real: Option<BorrowedFd<'_>>) -> bool {
    let below = real.filter(|_| !upper::is_opaque(upper));
    let has = |name: &&str| match upper::entry(upper, OsStr::new(name)) {
        Ok(entry) => !matches!(entry, Entry::Removed),
        Err(_) => below.is_some_and(|real| matches!(upper::stat(real, OsStr::new(name)), Ok(Some(_)))),
    };
    has(&REPOSITORY_HEAD) && REPOSITORY_PARTS.iter().any(has)
}

/// Tells whether there are more folders below each other than this. It is asked before anything is removed, so that a refusal
/// leaves all of it.
fn is_too_deep(folder: BorrowedFd<'_>, name: &OsStr, room: usize) -> bool {
    let Ok(Some(there)) = upper::stat(folder, name) else { return false };
    if !is_folder(&there) {
        return false;
    }
    let Some(room) = room.checked_sub(1) else { return true };
    let Ok(inner) = beneath(folder, name) else { return false };
    upper::names(inner.as_fd()).is_ok_and(|names| names.iter().any(|name| is_too_deep(inner.as_fd(), name, room)))
}

/// Opens a folder without following a link and without crossing into another mount.
fn beneath(folder: BorrowedFd<'_>, name: &OsStr) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_XDEV;
    rustix::fs::openat2(folder, name, flags, Mode::empty(), resolve)
}

/// Gives a folder the mode that the command gave it. What it inherited from the folder above it stays.
fn set_mode(folder: &OwnedFd, mode: Mode) -> rustix::io::Result<bool> {
    let plain = Mode::RWXU | Mode::RWXG | Mode::RWXO;
    let now = Mode::from_raw_mode(rustix::fs::fstat(folder)?.st_mode);
    if now & plain == mode & plain {
        return Ok(false);
    }
    rustix::fs::fchmod(folder, (mode & plain) | (now - plain))?;
    Ok(true)
}

/// Copies a file with its holes: what took no room so far takes none now.
fn copy_data(from: &mut File, to: &mut File, size: u64) -> io::Result<()> {
    use rustix::fs::SeekFrom::{Data, Hole, Start};
    let mut at = 0;
    while at < size {
        let start = match rustix::fs::seek(&*from, Data(at)) {
            Ok(start) => start,
            Err(Errno::NXIO) => break,
            Err(error) => return Err(error.into()),
        };
        let end = rustix::fs::seek(&*from, Hole(start))?;
        rustix::fs::seek(&*from, Start(start))?;
        rustix::fs::seek(&*to, Start(start))?;
        io::copy(&mut from.by_ref().take(end - start), to)?;
        at = end;
    }
    to.set_len(size)
}

fn same_bytes(one: &mut File, other: &mut File) -> io::Result<bool> {
    let (mut ours, mut theirs) = (vec![0; 64 * 1024], vec![0; 64 * 1024]);
    loop {
        let read = one.read(&mut ours)?;
        if read == 0 {
            return Ok(other.read(&mut theirs[..1])? == 0);
        }
        match other.read_exact(&mut theirs[..read]) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
            other => other?,
        }
        if ours[..read] != theirs[..read] {
            return Ok(false);
        }
    }
}

fn times(found: &Stat) -> Timestamps {
    let time = |seconds: i64, nanoseconds: u64| Timespec { tv_sec: seconds, tv_nsec: nanoseconds.cast_signed() };
    Timestamps {
        last_access: time(found.st_atime, found.st_atime_nsec),
        last_modification: time(found.st_mtime, found.st_mtime_nsec),
    }
}

/// Opens a file that has other names.
fn held_by_others(folder: BorrowedFd<'_>, name: &OsStr, there: &Stat) -> Option<OwnedFd> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    (!is_folder(there) && there.st_nlink > 1)
        .then(|| rustix::fs::openat(folder, name, flags, Mode::empty()).ok())
        .flatten()
}

fn changed(found: &Stat) -> Time {
    (found.st_ctime, found.st_ctime_nsec.cast_signed())
}

fn is_folder(found: &Stat) -> bool {
    FileType::from_raw_mode(found.st_mode) == FileType::Directory
}

fn said(error: impl Into<io::Error>) -> Refused {
    error.into().to_string()
}
