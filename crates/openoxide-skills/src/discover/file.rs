//! Opens and reads single files without ever blocking, following a link by accident, or reading without a bound.

use std::hash::{BuildHasher as _, Hash as _, Hasher as _, RandomState};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::{cell::RefCell, io};

use rustix::fs::{AtFlags, CWD, FileType, OFlags};
use rustix::io::Errno;

use super::open::{MountLog, open_plain};
use super::plan::Plan;
use crate::boundary::{Boundary, LinkRole, Target, true_path};
use crate::diagnostic::{Code, Diagnostic, Level};
pub use crate::parse::PREFIX_MAX;
use crate::parse::{Head, Parsed};

/// Bytes of a file that are read at once; nearly every frontmatter ends within them.
const FIRST_READ: usize = 4 * 1024;
/// Where nearly every other head ends: a frontmatter of 64 KiB and the first lines after it.
const SECOND_READ: usize = 68 * 1024;
/// Longest metadata file or manifest.
const SMALL_MAX: usize = 64 * 1024;

/// A file that is a skill, or looks like one.
#[derive(Clone, Debug)]
pub(crate) struct FileFact {
    pub(crate) name: Arc<str>,
    pub(crate) path: Arc<Path>,
    /// How the file is read, by reader.
    pub(crate) parsed: Vec<Arc<Parsed>>,
    pub(crate) size: u64,
    /// Fingerprint of the bytes, if requested.
    pub(crate) content: Option<u64>,
    /// Where it really is, if it is a link.
    pub(crate) link: Option<Box<Path>>,
    pub(crate) is_link: bool,
    pub(crate) problem: Option<Box<Diagnostic>>,
    pub(crate) sidecars: Vec<Sidecar>,
}

impl FileFact {
    /// Returns how many bytes of the file's frontmatter are kept, and of the metadata beside it.
    pub(crate) fn text_size(&self) -> usize {
        let of = |parsed: &Arc<Parsed>| parsed.description.len() + parsed.frontmatter.text_size();
        let sidecars = self.sidecars.iter().filter_map(|sidecar| Some(sidecar.bytes.as_ref().ok()?.len()));
        self.parsed.iter().map(of).max().unwrap_or(0) + sidecars.sum::<usize>()
    }

    fn unread(name: &Arc<str>, found: &Path) -> FileFact {
        FileFact {
            name: Arc::clone(name),
            path: found.join(&**name).into(),
            parsed: Vec::new(),
            size: 0,
            content: None,
            link: None,
            is_link: false,
            problem: None,
            sidecars: Vec::new(),
        }
    }

    /// Makes the fact of a file in a folder that is a link, and that is not looked at: nobody knows whether it is there.
    pub(super) fn barred(name: &Arc<str>, found: &Path, refusal: Diagnostic) -> FileFact {
        FileFact { problem: Some(Box::new(refusal)), ..FileFact::unread(name, found) }
    }

    /// Makes the fact of a file that comes inside the program.
    pub(super) fn embedded(name: &Arc<str>, found: &Path, bytes: &[u8], plan: &Plan) -> FileFact {
        let folder = found.file_name().unwrap_or_default().to_string_lossy();
        let head = Head { bytes, text: std::str::from_utf8(bytes), whole: true, folder: &folder, real_folder: &folder };
        let parsed = plan.readers.read(head).unwrap_or_default();
        FileFact { parsed, size: bytes.len() as u64, ..FileFact::unread(name, found) }
    }

    /// Adds the metadata files that come with it.
    pub(super) fn add_sidecars<'f>(
        &mut self,
        files: impl IntoIterator<Item = &'f String>,
        bytes: impl Fn(&str) -> Option<&'static [u8]>,
    ) {
        let found = files.into_iter().filter_map(|file| Some((file, bytes(file)?)));
        self.sidecars.extend(found.map(|(file, bytes)| Sidecar { file: file.clone(), bytes: Ok(bytes.to_vec()) }));
    }

    /// Tells whether it is a skill to every reader.
    pub(super) fn is_good(&self) -> bool {
        let reads = !self.parsed.is_empty() && self.parsed.iter().all(|parsed| parsed.invalid().is_none());
        reads && self.problem.is_none() && self.size > 0
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Sidecar {
    pub(crate) file: String,
    pub(crate) bytes: Result<Vec<u8>, String>,
}

/// Where a file is: a folder that is open, and the way from it.
pub(super) struct FileLocation<'p> {
    pub(super) fd: BorrowedFd<'p>,
    /// The way from `fd`: a name, or a folder and a name.
    pub(super) rel: &'p Path,
    /// The folder as it was found.
    pub(super) found: &'p Path,
    /// The folder, for what has no descriptor.
    pub(super) dir: &'p Path,
    /// What the skill is called by its place.
    pub(super) folder: &'p str,
    /// The same with links resolved.
    pub(super) real_folder: &'p str,
    /// Whether a listing said that it is a regular file.
    pub(super) regular: bool,
    pub(super) mounts: &'p MountLog,
}

impl FileLocation<'_> {
    fn path(&self) -> PathBuf {
        self.dir.join(self.rel.file_name().unwrap_or_default())
    }
}

/// How a file is opened whatever it is: no waiting for a pipe's other end.
const OPEN: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// Reads a skill file if there is one; `None` means that there is no such entry.
pub(super) fn read_skill(at: &FileLocation<'_>, name: &Arc<str>, plan: &Plan) -> Option<FileFact> {
    let mut fact = FileFact::unread(name, at.found);
    let outcome = match open_plain(at.fd, at.rel, OPEN | OFlags::NOFOLLOW, at.mounts) {
        Ok(file) => read_into(&file, at, plan, &mut fact),
        Err(Errno::NOENT | Errno::NOTDIR) => return None,
        Err(Errno::LOOP) => read_link(at, plan, &mut fact)?,
        // In a folder that may not be searched nobody knows whether there is such a file; the folder is reported.
        Err(Errno::ACCESS) if rustix::fs::statat(at.fd, at.rel, AtFlags::SYMLINK_NOFOLLOW).is_err() => return None,
        Err(error) => Err(unopened(&at.path(), error)),
    };
    fact.problem = outcome.err().map(Box::new);
    Some(fact)
}

/// Follows a link that stands where the file is expected.
fn read_link(at: &FileLocation<'_>, plan: &Plan, fact: &mut FileFact) -> Option<Result<(), Diagnostic>> {
    let stat = rustix::fs::statat(at.fd, at.rel, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::Symlink {
        // The folder itself was exchanged for a link while it was searched: it is not there any more.
        return None;
    }
    fact.is_link = true;
    let Ok(target) = Target::open(at.fd, at.rel) else {
        return Some(Err(Diagnostic::dead_link(Code::LinkDangling)));
    };
    let link = at.found.join(at.rel.file_name().unwrap_or_default());
    if !plan.boundary.may_lead(&target, LinkRole::SkillFile { path: &link, flat: plan.flat }) {
        return Some(Err(plan.boundary.refusal()));
    }
    at.mounts.add(target.mount());
    let outcome = match plan.follow_files.then(|| target.reopen(OPEN)) {
        None => Ok(()),
        Some(Ok(file)) => read_into(&file, at, plan, fact),
        Some(Err(error)) => Err(unopened(&at.path(), error)),
    };
    fact.link = Some(target.path().into());
    Some(outcome)
}

fn unopened(path: &Path, error: Errno) -> Diagnostic {
    let code = match error {
        Errno::NXIO | Errno::OPNOTSUPP | Errno::ISDIR => Code::NotRegular,
        _ => Code::Unreadable,
    };
    let shown = crate::text::TerminalText(&path.to_string_lossy()).to_string();
    Diagnostic::error(code, format!("`{shown}` cannot be read: {}", reason(&error.into())))
        .help("check the file's permissions")
}

/// Says why something failed, without the number of the error.
pub(crate) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_lowercase()
}

fn read_into(file: &OwnedFd, at: &FileLocation<'_>, plan: &Plan, fact: &mut FileFact) -> Result<(), Diagnostic> {
    if !at.regular {
        fact.size = regular_size(file)?;
    }
    thread_local!(static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) });
    let outcome = BUFFER.with_borrow_mut(|buffer| read_head(file, at, plan, buffer));
    if plan.prints {
        fact.content = print(file);
    }
    let (parsed, size) = outcome?;
    fact.parsed = parsed;
    if at.regular {
        fact.size = size.or_else(|| regular_size(file).ok()).unwrap_or_default();
    }
    Ok(())
}

/// Returns a number that stands for a file's bytes; past the first MiB its times and its size stand for them.
fn print(file: &OwnedFd) -> Option<u64> {
    static KEYS: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    thread_local!(static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) });
    rustix::fs::seek(file, rustix::fs::SeekFrom::Start(0)).ok()?;
    BUFFER.with_borrow_mut(|buffer| {
        let (mut filled, mut hasher) = (0, KEYS.build_hasher());
        let ended = read_all(file, buffer, &mut filled, PREFIX_MAX).ok()?;
        hasher.write(&buffer[..filled]);
        if !ended {
            let stat = rustix::fs::fstat(file).ok()?;
            (stat.st_size, stat.st_ino, stat.st_ctime, stat.st_ctime_nsec, stat.st_mtime).hash(&mut hasher);
        }
        Some(hasher.finish())
    })
}

fn regular_size(file: &OwnedFd) -> Result<u64, Diagnostic> {
    let stat = rustix::fs::fstat(file).map_err(|error| unopened(Path::new("the file"), error))?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        let help = "a skill's text is a regular file";
        return Err(Diagnostic::error(Code::NotRegular, "not a regular file").help(help));
    }
    Ok(u64::try_from(stat.st_size).unwrap_or(0))
}

/// Reads as much as the readers need; also returns the file's size if that is known then.
fn read_head(
    file: &OwnedFd,
    at: &FileLocation<'_>,
    plan: &Plan,
    buffer: &mut Vec<u8>,
) -> Result<(Vec<Arc<Parsed>>, Option<u64>), Diagnostic> {
    let needs_whole = plan.readers.need_whole();
    let mut filled = 0;
    let mut wanted = FIRST_READ;
    loop {
        let ended = fill(file, buffer, &mut filled, wanted).map_err(|error| {
            Diagnostic::error(Code::Unreadable, format!("the file cannot be read: {}", reason(&error.into())))
        })?;
        if !ended && needs_whole && filled < PREFIX_MAX {
            wanted = PREFIX_MAX;
            continue;
        }
        let at_limit = filled >= PREFIX_MAX;
        let head = Head {
            bytes: &buffer[..filled],
            text: std::str::from_utf8(&buffer[..filled]),
            whole: ended || at_limit,
            folder: at.folder,
            real_folder: at.real_folder,
        };
        match plan.readers.read(head) {
            Some(parsed) => return Ok((parsed, u64::try_from(filled).ok().filter(|_| ended))),
            None => wanted = if wanted < SECOND_READ { SECOND_READ } else { PREFIX_MAX },
        }
    }
}

/// Fills the buffer up to `wanted` bytes; returns whether the file ended. The buffer keeps its size for the next file.
fn fill(file: &OwnedFd, buffer: &mut Vec<u8>, filled: &mut usize, wanted: usize) -> Result<bool, Errno> {
    if buffer.len() < wanted {
        buffer.resize(wanted, 0);
    }
    while *filled < wanted {
        let read = match rustix::io::read(file, &mut buffer[*filled..wanted]) {
            Ok(read) => read,
            Err(Errno::INTR) => continue,
            Err(error) => return Err(error),
        };
        *filled += read;
        // A short read of a regular file is its end; asking again would cost a call for every skill.
        if *filled < wanted {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Reads a small file below `fd`; `None` means that there is no such entry.
fn read_small(fd: BorrowedFd<'_>, rel: &Path, mounts: &MountLog) -> Option<Result<Vec<u8>, String>> {
    read_bounded(open_plain(fd, rel, OPEN | OFlags::NOFOLLOW, mounts), SMALL_MAX, SMALL_MAX + 1)
}

/// The beginning of a file.
#[derive(Clone, Debug)]
pub(crate) struct Prefix {
    pub(crate) bytes: Vec<u8>,
    /// Whether that is the whole file.
    pub(crate) whole: bool,
}

/// Reads the beginning of a file in a folder, following links as far as they may lead. `None`: there is no such entry.
pub(crate) fn read_prefix(
    folder: BorrowedFd<'_>,
    name: &Path,
    boundary: &Boundary,
) -> Option<Result<Prefix, Diagnostic>> {
    let unread = |why: String| {
        let code = if why.contains("regular") { Code::NotRegular } else { Code::Unreadable };
        Diagnostic::error(code, format!("the file cannot be read: {why}"))
    };
    let link = true_path(folder).unwrap_or_default().join(name);
    let role = LinkRole::SkillFile { path: &link, flat: false };
    let opened = match open_within(folder, name, boundary, role) {
        Err(Unopened::Barred) => {
            let refusal = boundary.refusal();
            return Some(Err(Diagnostic { level: Level::Error, ..refusal }));
        }
        Err(Unopened::System(error)) => Err(error),
        Ok(file) => Ok(file),
    };
    Some(prefix(opened)?.map_err(unread))
}

/// Reads the beginning of a file below a folder, through no link and to no other mount. Nothing: it cannot be read.
pub(crate) fn read_plain_prefix(folder: BorrowedFd<'_>, path: &Path) -> Option<Prefix> {
    read_opened_prefix(crate::resource::open_straight(folder, path, OPEN | OFlags::NOFOLLOW))
}

/// Reads the beginning of a file that was opened. Nothing: it cannot be read.
pub(crate) fn read_opened_prefix(opened: Result<OwnedFd, Errno>) -> Option<Prefix> {
    prefix(opened)?.ok()
}

fn prefix(opened: Result<OwnedFd, Errno>) -> Option<Result<Prefix, String>> {
    let read = read_bounded(opened, usize::MAX - 1, PREFIX_MAX + 1)?;
    Some(read.map(|mut bytes| {
        let whole = bytes.len() <= PREFIX_MAX;
        bytes.truncate(PREFIX_MAX);
        Prefix { bytes, whole }
    }))
}

/// Reads a plugin manifest, following links as far as they may lead; `None` means that there is no such file.
///
/// The path of its folder has no links; what stands in that folder may be some.
pub(crate) fn read_manifest(folder: &Path, file: &str, boundary: &Boundary) -> Option<Result<Vec<u8>, String>> {
    let opened = match open_within(CWD, &folder.join(file), boundary, LinkRole::Other) {
        Ok(file) => file,
        Err(Unopened::Barred) => return Some(Err("it is a link that leads where it may not".to_owned())),
        Err(Unopened::System(Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::NXIO)) => return None,
        Err(Unopened::System(error)) => return Some(Err(reason(&error.into()))),
    };
    regular_size(&opened).ok()?;
    read_bounded(Ok(opened), SMALL_MAX, SMALL_MAX + 1)
}

enum Unopened {
    /// It is a link, or is behind one, that leads where it may not.
    Barred,
    System(Errno),
}

/// Opens for reading. A link on the way is followed if it may lead there.
fn open_within(dir: BorrowedFd<'_>, path: &Path, boundary: &Boundary, role: LinkRole<'_>) -> Result<OwnedFd, Unopened> {
    match open_plain(dir, path, OPEN | OFlags::NOFOLLOW, &MountLog::default()) {
        // The second where a link stands for a folder, on systems that go by steps.
        Err(Errno::LOOP | Errno::NOTDIR) => {}
        outcome => return outcome.map_err(Unopened::System),
    }
    let target = Target::open(dir, path).map_err(Unopened::System)?;
    if !boundary.may_lead(&target, role) {
        return Err(Unopened::Barred);
    }
    target.reopen(OPEN).map_err(Unopened::System)
}

/// Reads up to `wanted` bytes; more than `max` is an error.
fn read_bounded(opened: Result<OwnedFd, Errno>, max: usize, wanted: usize) -> Option<Result<Vec<u8>, String>> {
    let file = match opened {
        Ok(file) => file,
        Err(Errno::NOENT | Errno::NOTDIR) => return None,
        Err(Errno::LOOP) => return Some(Err("it is a symbolic link".to_owned())),
        Err(error) => return Some(Err(reason(&error.into()))),
    };
    if regular_size(&file).is_err() {
        return Some(Err("it is not a regular file".to_owned()));
    }
    let (mut bytes, mut filled) = (Vec::new(), 0);
    let outcome = read_all(&file, &mut bytes, &mut filled, wanted);
    bytes.truncate(filled);
    Some(match outcome {
        Ok(_) if bytes.len() > max => Err(format!("it is larger than {} KiB", max / 1024)),
        Ok(_) => Ok(bytes),
        Err(error) => Err(reason(&error.into())),
    })
}

/// Reads a file in growing steps, so that a small one takes little memory.
fn read_all(file: &OwnedFd, bytes: &mut Vec<u8>, filled: &mut usize, max: usize) -> Result<bool, Errno> {
    let mut wanted = FIRST_READ.min(max);
    while !fill(file, bytes, filled, wanted)? {
        if wanted == max {
            return Ok(false);
        }
        wanted = (wanted * 4).min(max);
    }
    Ok(true)
}

/// Reads the metadata files beside a skill, in its folder.
pub(crate) fn read_sidecars_in<'f>(
    folder: BorrowedFd<'_>,
    files: impl IntoIterator<Item = &'f String>,
) -> Vec<Sidecar> {
    read_sidecars(folder, Path::new(""), files, &MountLog::default())
}

/// Reads the metadata files beside the skill in `folder`, found from `fd`.
pub(super) fn read_sidecars<'f>(
    fd: BorrowedFd<'_>,
    folder: &Path,
    files: impl IntoIterator<Item = &'f String>,
    mounts: &MountLog,
) -> Vec<Sidecar> {
    let mut found = Vec::new();
    let mut absent: Option<&str> = None;
    for file in files {
        let (dir, name) = file.split_once('/').unwrap_or(("", file));
        if absent == Some(dir) {
            continue;
        }
        let (path, flags) = (folder.join(dir), OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC);
        // Few skills have it, and asking costs half of trying to open what is not there.
        let opened = match rustix::fs::statat(fd, &path, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => Err(Errno::NOENT),
            _ => open_plain(fd, &path, flags, mounts),
        };
        let bytes = match opened {
            Ok(inner) => read_small(inner.as_fd(), Path::new(name), mounts),
            // A link is no folder to the system, but people must learn why their file has no effect.
            Err(Errno::LOOP | Errno::NOTDIR) => Some(Err("its folder is a symbolic link, or no folder".to_owned())),
            Err(Errno::NOENT) => {
                absent = Some(dir);
                None
            }
            Err(error) => Some(Err(reason(&error.into()))),
        };
        found.extend(bytes.map(|bytes| Sidecar { file: file.clone(), bytes }));
    }
    found
}

#[cfg(test)]
mod tests;
