//! Reads one file of a skill, or lists one of its folders.

use std::os::{fd::AsFd, fd::OwnedFd, unix::ffi::OsStringExt as _};
use std::{ffi::OsString, path::Path};

use rustix::{fs::FileType, io::Errno};

use super::beneath::{self, FOLDER, READ};
use super::dir::{Extent, SkillDir};
use super::media_type::{ContentCheck, ContentKind};
use super::open_file::OpenFile;
use super::path::{ResourcePath, is_left_out, is_left_out_path, shown_name, unescaped};
use crate::{catalog::collator, discover::Listing, host::ReadProblem};

/// Most bytes of a file that are ever read.
pub const READ_MAX: u64 = 16 * 1024 * 1024;
/// Most bytes of a file that are held for a caller that can also take the file itself.
pub const HELD_MAX: u64 = 256 * 1024;
/// Most names of one folder that are listed.
pub(super) const LISTED_MAX: usize = 10_000;
/// Bytes that are looked at at once.
const CHUNK: usize = 64 * 1024;

/// How much of a file is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadLimit {
    /// Text, cut on a character boundary after so many bytes, and after [`READ_MAX`] in any case.
    Text(u64),
    /// Any bytes, whole; more than [`READ_MAX`] are refused.
    Bytes,
    /// Any bytes, and the file itself in place of more than [`HELD_MAX`] of them; more than [`READ_MAX`] are refused.
    BytesOrFile,
}

/// A file of a skill, as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// Its path in the skill's folder, as [`shown_name`] writes it.
    pub path: String,
    /// How large the file is.
    pub size: u64,
    /// What is in it.
    pub bytes: ResourceBytes,
}

/// What is in a file of a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResourceBytes {
    /// Text.
    Text {
        /// The text, without a notice.
        text: String,
        /// How many bytes were cut off.
        removed: u64,
    },
    /// Bytes, as they were asked for.
    Binary(Vec<u8>),
    /// The file itself, to be read by the caller.
    Open(OpenFile),
}

/// What is in a folder of a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceFolder {
    /// Its path in the skill's folder, as [`shown_name`] writes it; empty for that folder itself.
    pub path: String,
    /// Folders first, each kind as dictionaries sort.
    pub items: Vec<ResourceItem>,
    /// Whether there are more than are listed.
    pub cut: bool,
}

/// One name in a folder of a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceItem {
    /// The name, as [`shown_name`] writes it.
    pub name: String,
    /// What it is the name of.
    pub kind: ItemKind,
}

/// What a name in a folder is the name of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// A folder.
    Folder,
    /// A file.
    File,
    /// A link to something in the skill's folder.
    Link,
    /// A link that leads out of the skill's folder.
    LeadsOut,
    /// A link that leads nowhere.
    LeadsNowhere,
    /// A pipe, a socket or a device.
    Special,
}

impl ItemKind {
    /// Returns the word used in JSON.
    pub fn as_str(self) -> &'static str {
        self.word_and_mark().0
    }

    /// Returns the word used in JSON, and what follows a name in a list.
    fn word_and_mark(self) -> (&'static str, &'static str) {
        match self {
            ItemKind::Folder => ("folder", "/"),
            ItemKind::File => ("file", ""),
            ItemKind::Link => ("link", ""),
            ItemKind::LeadsOut => ("leads-out", " (a link that leads out)"),
            ItemKind::LeadsNowhere => ("leads-nowhere", " (a link that leads nowhere)"),
            ItemKind::Special => ("special", " (not a regular file)"),
        }
    }

    const MARKED: [ItemKind; 3] = [ItemKind::LeadsOut, ItemKind::LeadsNowhere, ItemKind::Special];
}

impl ResourceItem {
    /// Returns the name as it stands on disk.
    pub fn on_disk(&self) -> OsString {
        OsString::from_vec(unescaped(&self.name).unwrap_or_else(|| self.name.clone().into_bytes()))
    }

    /// Writes it as a line of a list; no two names make the same line.
    pub fn line(&self) -> String {
        let mut name = self.name.clone();
        // A name may end like a mark.
        let marks = ItemKind::MARKED.map(|kind| kind.word_and_mark().1);
        if let Some(mark) = marks.into_iter().find(|mark| name.ends_with(mark)) {
            let blank = name.len() - mark.len();
            name.replace_range(blank..=blank, "\\u{20}");
        }
        name + self.kind.word_and_mark().1
    }
}

impl SkillDir {
    /// Reads a file. Nothing outside the folder is ever read, whatever is moved about meanwhile; the skill's own file is
    /// the exception where the host follows that as a link, and then the file that was found is read and no other.
    pub fn read(&self, path: &ResourcePath, limit: ReadLimit) -> Result<Resource, ReadProblem> {
        self.first_of(path, |path| self.read_at(path, limit))
    }

    /// Reads a file, and follows no link on the way: what a name says is then what is read.
    pub fn read_plain(&self, path: &ResourcePath, limit: ReadLimit) -> Result<Resource, ReadProblem> {
        self.first_of(path, |path| {
            let file = beneath::open_plain(self.fd(), path, READ).map_err(|error| match error {
                Errno::LOOP | Errno::MLINK => ReadProblem::Escapes,
                error => problem(error),
            })?;
            if self.hides(path) {
                return Err(ReadProblem::NotFound);
            }
            read_file(&file, path, limit)
        })
    }

    /// Reads the skill's own file.
    pub fn read_manifest(&self, limit: ReadLimit) -> Result<Resource, ReadProblem> {
        self.read_at(Path::new(&self.manifest), limit)
    }

    /// Lists a folder.
    pub fn list(&self, path: &ResourcePath) -> Result<ResourceFolder, ReadProblem> {
        self.first_of(path, |path| {
            let folder = self.open_asked(path, FOLDER).map_err(problem)?;
            let listing = Listing::read(folder.as_fd(), LISTED_MAX).map_err(problem)?;
            Ok(self.folder(path, &listing))
        })
    }

    /// Lists the skill's folder itself.
    pub fn list_top(&self) -> Result<ResourceFolder, ReadProblem> {
        if self.extent == Extent::File {
            let item = ResourceItem { name: shown_name(Path::new(&self.manifest)), kind: ItemKind::File };
            return Ok(ResourceFolder { path: String::new(), items: vec![item], cut: false });
        }
        Ok(self.folder(Path::new(""), &self.listing(LISTED_MAX).map_err(problem)?))
    }

    /// Tries what a path may mean, until one of it is there.
    fn first_of<T>(
        &self,
        path: &ResourcePath,
        attempt: impl Fn(&Path) -> Result<T, ReadProblem>,
    ) -> Result<T, ReadProblem> {
        let mut outcome = Err(ReadProblem::NotFound);
        for path in path.candidates() {
            // Nothing beside a single file belongs to it.
            let is_its_own = self.extent == Extent::Folder || path == Path::new(&self.manifest);
            if is_its_own && !is_left_out_path(path) {
                outcome = attempt(path);
            }
            if !matches!(outcome, Err(ReadProblem::NotFound)) {
                break;
            }
        }
        outcome
    }

    fn read_at(&self, path: &Path, limit: ReadLimit) -> Result<Resource, ReadProblem> {
        read_file(&self.open_asked(path, READ).map_err(problem)?, path, limit)
    }

    fn folder(&self, path: &Path, (listing, cut): &(Listing, bool)) -> ResourceFolder {
        let item = |(name, kind): (&std::ffi::OsStr, FileType)| ResourceItem {
            name: shown_name(Path::new(name)),
            kind: match kind {
                FileType::Directory => ItemKind::Folder,
                FileType::RegularFile => ItemKind::File,
                FileType::Symlink | FileType::Unknown => self.behind(&path.join(name)),
                _ => ItemKind::Special,
            },
        };
        let is_shown =
            |(name, kind): &(&std::ffi::OsStr, FileType)| !is_left_out(name) && !self.hides_item(path, name, *kind);
        let mut items: Vec<ResourceItem> = listing.iter().filter(is_shown).map(item).collect();
        let collator = collator();
        items.sort_by(|left, right| {
            let is_file = |item: &ResourceItem| item.kind != ItemKind::Folder;
            let by_kind = is_file(left).cmp(&is_file(right));
            by_kind.then_with(|| collator.compare(&left.name, &right.name)).then_with(|| left.name.cmp(&right.name))
        });
        ResourceFolder { path: shown_name(path), items, cut: *cut }
    }

    /// Tells whether a name in a folder is that of a skill that the caller may not see.
    pub(super) fn hides_item(&self, folder: &Path, name: &std::ffi::OsStr, kind: FileType) -> bool {
        match kind {
            FileType::Directory | FileType::Unknown => self.hides(&folder.join(name)),
            FileType::RegularFile => self.hides_file(&folder.join(name)),
            _ => false,
        }
    }

    fn behind(&self, path: &Path) -> ItemKind {
        match self.open_below(path, READ) {
            // Also one that is there, and may not be read.
            Ok(_) | Err(Errno::ACCESS) => ItemKind::Link,
            Err(Errno::XDEV) => ItemKind::LeadsOut,
            Err(Errno::NXIO | Errno::OPNOTSUPP | Errno::NODEV) => ItemKind::Special,
            Err(_) => ItemKind::LeadsNowhere,
        }
    }
}

fn read_file(file: &OwnedFd, path: &Path, limit: ReadLimit) -> Result<Resource, ReadProblem> {
    let size = regular_size(file)?;
    let (size, bytes) = match limit {
        ReadLimit::Text(soft) => read_text(file, size, soft.min(READ_MAX))?,
        ReadLimit::BytesOrFile if size > HELD_MAX => {
            let file = rustix::io::fcntl_dupfd_cloexec(file, 0).map_err(problem)?;
            let open = OpenFile::look_through(file, READ_MAX).map_err(problem)??;
            (open.size, ResourceBytes::Open(open))
        }
        ReadLimit::Bytes | ReadLimit::BytesOrFile => {
            let bytes = read_up_to(file, size, READ_MAX)?;
            let read = length(&bytes);
            if size.max(read) > READ_MAX {
                return Err(ReadProblem::TooLarge);
            }
            (read, ResourceBytes::Binary(bytes))
        }
    };
    Ok(Resource { path: shown_name(path), size, bytes })
}

fn regular_size(file: &OwnedFd) -> Result<u64, ReadProblem> {
    let stat = rustix::fs::fstat(file).map_err(problem)?;
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Ok(u64::try_from(stat.st_size).unwrap_or(0)),
        FileType::Directory => Err(ReadProblem::Folder),
        _ => Err(ReadProblem::Special),
    }
}

/// Reads at most `max` bytes and one more, which tells that there are more.
fn read_up_to(file: &OwnedFd, size: u64, max: u64) -> Result<Vec<u8>, ReadProblem> {
    // A file may grow while it is read; it is then read up to where it ended before.
    let most = size.min(max).saturating_add(1);
    let mut bytes = vec![0; usize::try_from(most).map_err(|_| ReadProblem::TooLarge)?];
    let read = beneath::read_full(file, &mut bytes).map_err(problem)?;
    bytes.truncate(read);
    Ok(bytes)
}

fn read_text(file: &OwnedFd, size: u64, max: u64) -> Result<(u64, ResourceBytes), ReadProblem> {
    let mut bytes = read_up_to(file, size, max)?;
    let is_cut = length(&bytes) > max;
    let size = if is_cut { size.max(length(&bytes)) } else { length(&bytes) };
    let mut whole = ContentCheck::default();
    whole.take(&bytes);
    bytes.truncate(usize::try_from(max).unwrap_or(usize::MAX));
    if bytes.contains(&0) {
        return Err(ReadProblem::Binary);
    }
    let text = String::from_utf8(bytes).or_else(|error| {
        let (utf8, mut bytes) = (error.utf8_error(), error.into_bytes());
        if is_cut && utf8.error_len().is_none() {
            // The cut went through a character, and the whole of it goes.
            bytes.truncate(utf8.valid_up_to());
        }
        String::from_utf8(bytes).map_err(|_| ReadProblem::NotUtf8)
    })?;
    if is_cut && rest_is_bytes(file, max.saturating_add(1), whole)? {
        return Err(ReadProblem::Binary);
    }
    let removed = if is_cut { size.saturating_sub(length(text.as_bytes())) } else { 0 };
    Ok((size, ResourceBytes::Text { text, removed }))
}

/// Looks at what follows in a file that is too long to be sent whole, as far as any file is read: its end decides too
/// whether it is text.
fn rest_is_bytes(file: &OwnedFd, read: u64, mut check: ContentCheck) -> Result<bool, ReadProblem> {
    let (mut buffer, mut total) = (vec![0; CHUNK], read);
    while total < READ_MAX {
        let read = beneath::read_full(file, &mut buffer).map_err(problem)?;
        check.take(&buffer[..read]);
        total = total.saturating_add(read as u64);
        if read < buffer.len() {
            return Ok(check.kind() == ContentKind::Bytes);
        }
    }
    Ok(check.is_bytes())
}

fn length(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

fn problem(error: Errno) -> ReadProblem {
    match error {
        Errno::XDEV => ReadProblem::Escapes,
        // A name that no file can have, a file that is taken for a folder, links that go round.
        Errno::NOENT | Errno::NOTDIR | Errno::NAMETOOLONG | Errno::LOOP | Errno::INVAL | Errno::ILSEQ => {
            ReadProblem::NotFound
        }
        // The first is a socket on Linux, the second one on macOS.
        Errno::NXIO | Errno::OPNOTSUPP | Errno::NODEV => ReadProblem::Special,
        Errno::ISDIR => ReadProblem::Folder,
        Errno::ACCESS | Errno::PERM => ReadProblem::Denied,
        _ => ReadProblem::Unreadable,
    }
}
