//! What a policy grants, as the files and folders that were there when it was checked, whatever happens to their paths.
//!
//! A path can be exchanged for a link between two looks at it, by any user who may write in a folder above it. So each file and
//! folder is opened once, without following a link, and what the sandbox got is compared with it before anything runs.

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::{fmt, io, os::fd::AsFd};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
use serde::{Deserialize, Serialize};

use super::visible_files;
use crate::{Policy, PolicyError, private_folder::others_replace, system_paths};

/// How a granted path may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Access {
    Read,
    Write,
}

/// A file or folder, whatever path leads to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Identity {
    device: u64,
    number: u64,
}

impl Identity {
    pub(crate) fn of(file: impl AsFd) -> io::Result<Self> {
        let found = rustix::fs::fstat(file)?;
        Ok(Self { device: found.st_dev, number: found.st_ino })
    }

    /// Opens what a path leads to without any link, if it is still this one.
    pub(crate) fn open(self, path: &Path) -> io::Result<OwnedFd> {
        let file = open(path)?;
        if Self::of(&file)? == self {
            return Ok(file);
        }
        Err(io::Error::other("it was exchanged while the sandbox was built"))
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.device, self.number)
    }
}

impl std::str::FromStr for Identity {
    type Err = io::Error;

    fn from_str(text: &str) -> io::Result<Self> {
        let pair = text.split_once(':').and_then(|(device, number)| Some((device.parse().ok()?, number.parse().ok()?)));
        let (device, number) = pair.ok_or_else(|| io::Error::other("an argument is malformed"))?;
        Ok(Self { device, number })
    }
}

/// Opens what a path leads to; an error if there is a link anywhere in the path.
pub(crate) fn open(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    Ok(rustix::fs::openat2(CWD, path, flags, Mode::empty(), resolve)?)
}

/// A path of the policy for the helper.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Grant {
    pub(super) path: OsString,
    pub(crate) access: Access,
    /// What the path leads to.
    pub(crate) identity: Identity,
    /// Where the copy is that the command gets instead, if it may write.
    pub(crate) copy: Option<OsString>,
}

impl Grant {
    pub(crate) fn path(&self) -> &Path {
        Path::new(&self.path)
    }

    /// Returns what is mounted at the path.
    pub(crate) fn source(&self) -> &Path {
        self.copy.as_ref().map_or(self.path(), Path::new)
    }
}

/// What a policy grants, held open so that no number is given to another file meanwhile.
pub(crate) struct Held {
    grants: Vec<Grant>,
    _open: Vec<OwnedFd>,
}

impl Held {
    /// Opens every path of a policy once, shallow ones first, so that the deeper one applies.
    pub(crate) fn open(policy: &Policy) -> Result<Self, PolicyError> {
        let (mut grants, mut files) = (Vec::new(), Vec::new());
        for (path, access) in mounted(policy) {
            check_way(policy, path)?;
            let absent = |error: io::Error| PolicyError::Absent { path: path.clone(), why: error.to_string() };
            let file = open(path).map_err(absent)?;
            let identity = Identity::of(&file).map_err(absent)?;
            grants.push(Grant { path: path.clone().into(), access, identity, copy: None });
            files.push(file);
        }
        Ok(Self { grants, _open: files })
    }

    pub(crate) fn grants(&self) -> &[Grant] {
        &self.grants
    }
}

/// Returns the paths of a policy that need a mount of their own, shallow ones first.
///
/// What may be read needs none inside another: the owner of the outer folder could put a link where the mount is to stand,
/// while bubblewrap, which goes by paths, makes it.
fn mounted(policy: &Policy) -> Vec<(&PathBuf, Access)> {
    let writable = policy.writable.iter().map(|path| (path, Access::Write));
    let readable = policy.readable.iter().map(|path| (path, Access::Read));
    let mut all: Vec<(&PathBuf, Access)> = writable.chain(readable).collect();
    // Of the same path, the one to write comes first and stays.
    all.sort_by_key(|(path, access)| (path.components().count(), *path, *access == Access::Read));
    all.dedup_by(|next, first| next.0 == first.0);
    let around = |path: &Path| all.iter().rev().find(|(other, _)| *other != path && path.starts_with(other));
    let is_needed = |&&(path, access): &&(&PathBuf, Access)| match around(path) {
        Some((_, around)) => access == Access::Write && *around == Access::Read,
        None => access == Access::Write || !is_shown_anyway(path),
    };
    all.iter().filter(is_needed).copied().collect()
}

/// Tells whether every command can read a path, because it lies among the system's programs.
fn is_shown_anyway(path: &Path) -> bool {
    system_paths::PROGRAMS.iter().chain(visible_files::SETTINGS).any(|folder| path.starts_with(folder))
}

/// Checks that only the user, or root, can exchange a folder on the way to one that is granted inside another: its mount could
/// be made to stand anywhere.
fn check_way(policy: &Policy, path: &Path) -> Result<(), PolicyError> {
    let mut granted = policy.readable.iter().chain(&policy.writable);
    let is_inside = granted.any(|outer| outer != path && path.starts_with(outer));
    if is_inside && path.ancestors().any(others_replace) {
        let why =
            "others can exchange a folder on the way to it: it, and what is above it, must be yours alone".to_owned();
        return Err(PolicyError::Absent { path: path.to_owned(), why });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grants_are_in_order_and_each_is_there_once() {
        let root = tempfile::tempdir().unwrap();
        let root = std::fs::canonicalize(root.path()).unwrap();
        for name in ["w/a/skill", "w/b", "r/out", "r/x"] {
            fs_err::create_dir_all(root.join(name)).unwrap();
        }
        let paths = |names: &[&str]| names.iter().map(|name| root.join(name)).collect();
        let policy = Policy {
            readable: paths(&["w/a/skill", "w", "r", "r/x"]),
            writable: paths(&["w", "r/out", "w/b"]),
            ..Policy::default()
        };
        let held = Held::open(&policy).unwrap();
        let line =
            |grant: &Grant| format!("{} {:?}", grant.path().strip_prefix(&root).unwrap().display(), grant.access);
        let shown: Vec<String> = held.grants().iter().map(line).collect();
        assert_eq!(shown, ["r Read", "w Write", "r/out Write"]);
    }

    #[test]
    fn what_was_exchanged_is_not_opened() {
        let root = tempfile::tempdir().unwrap();
        let root = std::fs::canonicalize(root.path()).unwrap();
        for name in ["above/project", "other/project"] {
            fs_err::create_dir_all(root.join(name)).unwrap();
        }
        let project = root.join("above/project");
        let identity = Identity::of(open(&project).unwrap()).unwrap();
        identity.open(&project).unwrap();
        assert_eq!(identity.to_string().parse::<Identity>().unwrap(), identity);
        fs_err::rename(root.join("above"), root.join("aside")).unwrap();
        std::os::unix::fs::symlink("aside", root.join("above")).unwrap();
        assert!(identity.open(&project).is_err(), "the same folder, through a link");
        fs_err::remove_file(root.join("above")).unwrap();
        fs_err::rename(root.join("other"), root.join("above")).unwrap();
        assert!(identity.open(&project).is_err(), "another folder");
    }
}
