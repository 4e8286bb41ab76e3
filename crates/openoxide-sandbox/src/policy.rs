//! Which files a command may read and change, and whether it may reach the network.

use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use crate::system_paths;

mod seals;

pub use seals::SEALED_NAMES;
#[cfg(target_os = "linux")]
pub(crate) use seals::{REPOSITORY_HEAD, REPOSITORY_PARTS};

/// Which files a command may read and change, besides the system's programs and a private `/tmp`.
///
/// Paths are absolute and contain no symbolic link, so that exactly the path that the user saw is enforced. Resolve them
/// when the grant is made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// Files and folders that it may read, and run programs from. Below a writable one, changes of them are not kept.
    pub readable: Vec<PathBuf>,
    /// Folders that it may change.
    pub writable: Vec<PathBuf>,
    /// Paths that it may read and never change, although they are below a writable folder, nor create. [`SEALED_NAMES`] are
    /// sealed without being named here.
    pub sealed: Vec<PathBuf>,
    /// More names that are sealed wherever they stand, beside [`SEALED_NAMES`].
    pub sealed_names: Vec<String>,
    /// Folders elsewhere whose links other programs obey: what they lead to is sealed as well.
    pub linked_from: Vec<PathBuf>,
    /// The project. The names of folders above it seal nothing in it.
    pub project: Option<PathBuf>,
    /// Whether it may reach the network.
    pub network: bool,
}

/// The reason why a policy cannot be enforced.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum PolicyError {
    /// A path is relative, or has `.` or `..` in it.
    #[error("`{}` is not a complete path; write it from `/`, without `..`", .0.display())]
    Relative(PathBuf),
    /// A path does not exist, or cannot be examined.
    #[error("`{}` cannot be given to a command: {why}", path.display())]
    Absent {
        /// The path.
        path: PathBuf,
        /// What the system said.
        why: String,
    },
    /// A path leads elsewhere through a link.
    #[error("`{}` leads to `{}` by a link; grant that path if it is meant", path.display(), target.display())]
    Moved {
        /// The path.
        path: PathBuf,
        /// Where it leads.
        target: PathBuf,
    },
    /// The path belongs to the system.
    #[error("`{}` belongs to the system and cannot be given to a command; choose a folder of your own", .0.display())]
    System(PathBuf),
    /// A folder to write is one that other programs obey, or lies in one.
    #[error(
        "`{}` cannot be given to be written: `{}` is sealed, because other programs obey what stands there; choose another folder",
        path.display(),
        sealed.display()
    )]
    Sealed {
        /// The folder.
        path: PathBuf,
        /// The part of it that is sealed.
        sealed: PathBuf,
    },
    /// A folder is sealed and writable.
    #[error("`{}` is to be writable inside `{}`, which is sealed; take one of the two back", writable.display(), sealed.display())]
    Contradiction {
        /// The writable folder.
        writable: PathBuf,
        /// The sealed one.
        sealed: PathBuf,
    },
    /// The command would start in a folder that it may not read.
    #[error("the command is to start in `{}`, which it may not read", .0.display())]
    Cwd(PathBuf),
}

impl Policy {
    /// Lets the command read a path.
    #[must_use]
    pub fn read(mut self, path: impl Into<PathBuf>) -> Self {
        self.readable.push(path.into());
        self
    }

    /// Lets the command change a folder, except what other programs obey: whatever has one of [`SEALED_NAMES`] at any
    /// depth, what links with such a name lead to, and the repository that a `.git` file in the folder points to.
    #[must_use]
    pub fn write(mut self, folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        self.sealed.extend(git_folder(&folder).filter(|target| target.starts_with(&folder)));
        self.writable.push(folder);
        self
    }

    /// Checks that the policy can be enforced exactly as it is written.
    pub fn check(&self, cwd: Option<&Path>) -> Result<(), PolicyError> {
        for path in self.readable.iter().chain(&self.writable) {
            check_unlinked(path)?;
            check_not_system(path)?;
        }
        for path in &self.writable {
            check_not_programs(path)?;
            if let Some(sealed) = self.sealed_part(path) {
                return Err(PolicyError::Sealed { path: path.clone(), sealed });
            }
            if let Some(sealed) = self.sealed.iter().find(|sealed| path.starts_with(sealed)) {
                return Err(PolicyError::Contradiction { writable: path.clone(), sealed: sealed.clone() });
            }
        }
        self.sealed.iter().try_for_each(|path| check_absolute(path))?;
        match cwd {
            Some(cwd) if !self.covers(cwd) => Err(PolicyError::Cwd(cwd.to_owned())),
            Some(cwd) => check_unlinked(cwd),
            None => Ok(()),
        }
    }

    /// Returns the part of a path that is sealed by its name. No profile, rule or setting makes anything at or below it writable.
    pub fn sealed_part(&self, path: &Path) -> Option<PathBuf> {
        seals::sealed_part(path, self.project.as_deref(), &self.sealed_names)
    }

    /// Tells whether a path is sealed itself: by its name, because it was named, or because it is a repository. Nothing above it is asked.
    #[cfg(target_os = "linux")]
    pub(crate) fn is_sealed(&self, path: &Path) -> bool {
        let is_named = |sealed: &PathBuf| sealed == path;
        self.sealed.iter().any(is_named)
            || self.readable.iter().any(is_named)
            || seals::is_sealed(path, self.project.as_deref(), &self.sealed_names)
    }

    /// Tells whether the name of a path seals it.
    #[cfg(target_os = "linux")]
    pub(crate) fn seals_name(&self, path: &Path) -> bool {
        seals::has_sealed_name(path, self.project.as_deref(), &self.sealed_names)
    }

    fn covers(&self, path: &Path) -> bool {
        self.readable.iter().chain(&self.writable).any(|granted| path.starts_with(granted))
            || system_paths::PROGRAMS.iter().any(|folder| path.starts_with(folder))
    }
}

/// Returns the repository that a `.git` file points to.
pub(crate) fn git_folder(folder: &Path) -> Option<PathBuf> {
    let text = small_text(&folder.join(".git"), 4096)?;
    let target = text.strip_prefix("gitdir:")?.trim();
    std::fs::canonicalize(folder.join(target)).ok()
}

/// Reads a regular file of at most so many bytes, and waits for no pipe.
pub(crate) fn small_text(path: &Path, most: u64) -> Option<String> {
    use std::{io::Read as _, os::unix::fs::OpenOptionsExt as _};
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = std::fs::OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path).ok()?;
    let is_small = file.metadata().is_ok_and(|found| found.is_file() && found.len() <= most);
    let mut text = String::new();
    is_small.then(|| file.take(most).read_to_string(&mut text).ok()).flatten()?;
    Some(text)
}

fn check_absolute(path: &Path) -> Result<(), PolicyError> {
    let is_plain = |part| matches!(part, std::path::Component::RootDir | std::path::Component::Normal(_));
    let is_complete = path.is_absolute() && path.components().all(is_plain);
    if is_complete { Ok(()) } else { Err(PolicyError::Relative(path.to_owned())) }
}

fn check_unlinked(path: &Path) -> Result<(), PolicyError> {
    check_absolute(path)?;
    match std::fs::canonicalize(path) {
        Ok(target) if target == path => Ok(()),
        Ok(target) => Err(PolicyError::Moved { path: path.to_owned(), target }),
        Err(error) => Err(PolicyError::Absent { path: path.to_owned(), why: error.to_string() }),
    }
}

fn check_not_system(path: &Path) -> Result<(), PolicyError> {
    let of_kernel = system_paths::KERNEL.iter().any(|folder| path.starts_with(folder));
    let is_private = path == Path::new(system_paths::TEMP) || path.starts_with(system_paths::HOME);
    if path == Path::new("/") || of_kernel || is_private {
        return Err(PolicyError::System(path.to_owned()));
    }
    Ok(())
}

fn check_not_programs(path: &Path) -> Result<(), PolicyError> {
    let touches = |folder: &str| path.starts_with(folder) || Path::new(folder).starts_with(path);
    if system_paths::PROGRAMS.iter().chain(["/etc", "/boot", "/run"].iter()).any(|folder| touches(folder)) {
        return Err(PolicyError::System(path.to_owned()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_meant_is_refused() {
        let refused = |policy: Policy| policy.check(None).unwrap_err();
        let root = tempfile::tempdir().unwrap();
        let folder = std::fs::canonicalize(root.path()).unwrap();
        let link = folder.join("link");
        std::os::unix::fs::symlink("/etc", &link).unwrap();
        for path in ["/", "/usr", "/usr/share", "/etc", "/proc", "/dev", "/tmp", "/nix"] {
            let error = refused(Policy { writable: vec![path.into()], ..Policy::default() });
            assert!(matches!(error, PolicyError::System(_) | PolicyError::Absent { .. }), "{path}: {error}");
        }
        assert_eq!(refused(Policy::default().read("a/b")), PolicyError::Relative("a/b".into()));
        assert_eq!(
            refused(Policy { sealed: vec!["/a/../b".into()], ..Policy::default() }),
            PolicyError::Relative("/a/../b".into())
        );
        assert_eq!(
            refused(Policy::default().read(&link)),
            PolicyError::Moved { path: link.clone(), target: "/etc".into() }
        );
        fs_err::create_dir_all(folder.join(".git/objects")).unwrap();
        let policy = Policy::default().write(folder.join(".git/objects"));
        assert!(matches!(refused(policy), PolicyError::Sealed { .. }));
        fs_err::create_dir_all(folder.join("kept/inside")).unwrap();
        let mut policy = Policy::default().write(&folder).write(folder.join("kept/inside"));
        policy.sealed.push(folder.join("kept"));
        assert!(matches!(refused(policy), PolicyError::Contradiction { .. }));
        let policy = Policy::default().read(folder.join(".git"));
        assert_eq!(policy.check(Some(&folder)), Err(PolicyError::Cwd(folder.clone())));
        assert_eq!(policy.check(Some(&folder.join(".git"))), Ok(()));
    }

    #[test]
    fn the_repository_of_a_worktree_is_sealed() {
        let root = tempfile::tempdir().unwrap();
        let folder = std::fs::canonicalize(root.path()).unwrap();
        fs_err::create_dir_all(folder.join("elsewhere/repo")).unwrap();
        fs_err::write(folder.join(".git"), "gitdir: elsewhere/repo\n").unwrap();
        let seals = Policy::default().write(&folder).sealed;
        assert_eq!(seals, [folder.join("elsewhere/repo")]);
    }
}
