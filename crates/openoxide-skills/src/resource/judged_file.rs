//! Opens a file that is no part of a skill, such as settings: through links only where they may lead.

use std::fs::File;
use std::io;
use std::path::Path;

use rustix::fs::CWD;
use rustix::io::Errno;

use super::beneath::{READ, open_whole};
use crate::boundary::{Boundary, LinkRole, Target};
use crate::diagnostic::Diagnostic;

/// Why a file was not opened. Nothing of it was read.
#[derive(Debug, thiserror::Error)]
pub enum FileRefusal {
    /// It is a link, or is behind one, that leads where it may not.
    #[error("{}", .0.message)]
    Link(Box<Diagnostic>),
    /// It is a folder, a pipe, a device or a socket.
    #[error("this is no regular file")]
    Irregular,
    /// The system says so.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Opens a regular file by its absolute path; nothing if there is none. `boundary` is asked for only if there is a link,
/// and what is judged is what is read.
pub fn open_judged(path: &Path, boundary: impl FnOnce() -> Boundary) -> Result<Option<File>, FileRefusal> {
    let opened = match open_whole(path, READ) {
        // The second where a link stands for a folder, on systems that go by steps.
        Err(Errno::LOOP | Errno::NOTDIR) => open_linked(path, &boundary())?,
        outcome => outcome.map(File::from),
    };
    let file = match opened {
        Err(Errno::NOENT | Errno::NOTDIR) => return Ok(None),
        // A socket, or a device without a driver.
        Err(Errno::NXIO | Errno::NODEV) => return Err(FileRefusal::Irregular),
        Err(error) => return Err(FileRefusal::Io(error.into())),
        Ok(file) => file,
    };
    if !file.metadata()?.is_file() {
        return Err(FileRefusal::Irregular);
    }
    Ok(Some(file))
}

fn open_linked(path: &Path, boundary: &Boundary) -> Result<Result<File, Errno>, FileRefusal> {
    let refused = || FileRefusal::Link(Box::new(boundary.refusal()));
    let target = match Target::open(CWD, path) {
        Ok(target) => target,
        // One of the kernel's own links, such as `/proc/self/fd/3`, or a circle.
        Err(Errno::LOOP) => return Err(refused()),
        Err(error) => return Ok(Err(error)),
    };
    if !boundary.may_lead(&target, LinkRole::Other) {
        return Err(refused());
    }
    if !target.is_file() {
        return Err(FileRefusal::Irregular);
    }
    Ok(target.reopen(READ).map(File::from))
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::path::PathBuf;

    use rustix::fs::{FileType, Mode, mknodat};

    use super::*;
    use crate::root::LinkPlaces;

    struct Tree {
        _held: tempfile::TempDir,
        project: PathBuf,
    }

    /// A project with `in/file`, beside `out/file`.
    fn tree() -> Tree {
        let held = tempfile::tempdir().unwrap();
        let root = fs_err::canonicalize(held.path()).unwrap();
        for folder in ["project/in", "out"] {
            fs_err::create_dir_all(root.join(folder)).unwrap();
            fs_err::write(root.join(folder).join("file"), folder).unwrap();
        }
        Tree { project: root.join("project"), _held: held }
    }

    fn link(tree: &Tree, name: &str, to: &str) {
        std::os::unix::fs::symlink(to, tree.project.join(name)).unwrap();
    }

    /// The text of a file in an untrusted project, or the reason against it.
    fn untrusted(tree: &Tree, path: &str) -> String {
        let inside = || Boundary::of_untrusted(vec![tree.project.clone()], LinkPlaces::default());
        said(open_judged(&tree.project.join(path), inside))
    }

    fn said(opened: Result<Option<File>, FileRefusal>) -> String {
        let mut text = String::new();
        match opened {
            Ok(None) => "nothing".to_owned(),
            Ok(Some(mut file)) => file.read_to_string(&mut text).map(|_| text).unwrap(),
            Err(FileRefusal::Link(_)) => "link".to_owned(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn links_in_an_untrusted_project_stay_in_it() {
        let tree = tree();
        link(&tree, "near", "in/file");
        link(&tree, "far", "../out/file");
        link(&tree, "folder", "../out");
        link(&tree, "hop", "far");
        link(&tree, "own", "/proc/self/status");
        link(&tree, "circle", "circle");
        link(&tree, "nowhere", "../out/missing");
        for (path, expected) in [
            ("in/file", "project/in"),
            ("near", "project/in"),
            ("far", "link"),
            ("hop", "link"),
            ("folder/file", "link"),
            ("own", "link"),
            ("circle", "link"),
            ("nowhere", "nothing"),
            ("missing", "nothing"),
            ("in/file/below", "nothing"),
            ("in", "this is no regular file"),
        ] {
            assert_eq!(untrusted(&tree, path), expected, "{path}");
        }
    }

    #[test]
    fn the_user_links_to_what_is_the_users() {
        let tree = tree();
        link(&tree, "far", "../out/file");
        link(&tree, "folder", "../out");
        let user = || Boundary::of_user(vec![tree.project.clone()], LinkPlaces::default());
        for path in ["far", "folder/file"] {
            assert_eq!(said(open_judged(&tree.project.join(path), user)), "out", "{path}");
        }
    }

    #[test]
    fn a_pipe_is_not_waited_for() {
        let tree = tree();
        mknodat(CWD, tree.project.join("pipe"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        link(&tree, "linked", "pipe");
        for path in ["pipe", "linked"] {
            assert_eq!(untrusted(&tree, path), "this is no regular file");
        }
    }
}
