//! Digests files, and everything in a skill's folder.

use std::os::{fd::OwnedFd, unix::ffi::OsStrExt as _};
use std::path::{Path, PathBuf};
use std::{ffi::OsString, fmt};

use rustix::io::Errno;
use sha2::{Digest as _, Sha256};

use super::beneath;

const CHUNK: usize = 64 * 1024;

/// What a skill's folder holds, in one number. Trust, locks and records are bound to it.
///
/// Its text is `sha256:` and 64 hexadecimal digits in lower case. It can be computed elsewhere. It is the SHA-256 of a
/// list: the line `openoxide-tree 1` with its line end, then one record for each entry, sorted by path as bytes. A record
/// has three fields, each followed by a NUL byte: a letter, the path, and a value. Paths are relative to the folder, with
/// `/` between names, as the bytes that they are on disk.
///
/// | letter | entry | value |
/// | --- | --- | --- |
/// | `f` | a file | its size in bytes, a space, and its SHA-256 in hexadecimal digits |
/// | `x` | a file that anyone may execute (mode `& 0o111`) | the same |
/// | `l` | a symbolic link | where it leads, as written |
/// | `m` | the skill's own file, if that is a link: what is read through it; stands after the link's record | as for `f` |
///
/// Hidden files are part of it. Folders are not, so neither are empty ones. Whatever is called `.git`, at any depth, is ignored,
/// because version control changes it all the time; it is not in a private copy either, so nothing in it ever runs. A folder
/// with a pipe, a socket or a device in it has no digest. Owners, times and other permission bits are ignored.
///
/// A skill that is one file (`deploy.md`) has the digest of a folder with that file alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TreeDigest([u8; 32]);

impl TreeDigest {
    /// Computes the digest from its parts, in any order.
    pub(super) fn new(files: &[FileDigest], links: &[LinkDigest], linked_manifest: Option<&FileDigest>) -> TreeDigest {
        let mut records: Vec<(&Path, &'static str, OsString)> = Vec::with_capacity(files.len() + links.len() + 1);
        records.extend(files.iter().map(|file| (&*file.path, if file.executable { "x" } else { "f" }, value(file))));
        records.extend(links.iter().map(|link| (&*link.path, "l", link.target.clone())));
        records.extend(linked_manifest.map(|file| (&*file.path, "m", value(file))));
        records.sort_unstable_by(|left, right| (bytes(left.0), left.1).cmp(&(bytes(right.0), right.1)));
        let mut hasher = Sha256::new();
        hasher.update(b"openoxide-tree 1\n");
        for (path, letter, value) in &records {
            for field in [letter.as_bytes(), bytes(path), value.as_bytes()] {
                hasher.update(field);
                hasher.update([0]);
            }
        }
        TreeDigest(hasher.finalize().into())
    }
}

fn value(file: &FileDigest) -> OsString {
    format!("{} {}", file.size, Hex(&file.sha256)).into()
}

fn bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_bytes()
}

impl fmt::Display for TreeDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", Hex(&self.0))
    }
}

/// One file of a skill, as it was digested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDigest {
    /// Its path in the skill's folder.
    pub path: PathBuf,
    /// Its size in bytes.
    pub size: u64,
    /// Whether anyone may execute it.
    pub executable: bool,
    /// The SHA-256 of its bytes.
    pub sha256: [u8; 32],
}

/// One symbolic link of a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkDigest {
    /// Its path in the skill's folder.
    pub path: PathBuf,
    /// Where it leads, as written.
    pub target: OsString,
}

/// Bytes as lowercase hexadecimal digits.
pub struct Hex<'a>(pub &'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Reads at most `size` bytes and one chunk more, hands each chunk to `take`, and returns how much it was and its digest.
pub(super) fn hash(
    file: &OwnedFd,
    size: u64,
    buffer: &mut Vec<u8>,
    mut take: impl FnMut(&[u8]) -> Result<(), Errno>,
) -> Result<(u64, [u8; 32]), Errno> {
    // A small file is read into a small buffer, with one byte to spare: a short read is its end.
    let chunk = usize::try_from(size).unwrap_or(CHUNK).saturating_add(1).min(CHUNK);
    if buffer.len() < chunk {
        buffer.resize(chunk, 0);
    }
    let (mut hasher, mut total) = (Sha256::new(), 0_u64);
    while total <= size {
        let read = beneath::read_full(file, &mut buffer[..chunk])?;
        hasher.update(&buffer[..read]);
        take(&buffer[..read])?;
        total += u64::try_from(read).unwrap_or(0);
        if read < chunk {
            break;
        }
    }
    Ok((total, hasher.finalize().into()))
}
