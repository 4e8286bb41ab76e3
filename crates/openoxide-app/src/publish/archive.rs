//! Packs a skill's folder as a gzipped tar whose bytes depend on nothing but the files.

use std::io;

use flate2::{Compression, GzBuilder};
use openoxide_skills::host::ResourceRules;
use openoxide_skills::resource::{FileDigest, ReadLimit, ResourceBytes, ResourcePath, SkillDir};
use sha2::{Digest as _, Sha256};
use tar::{Builder, EntryType, Header};

/// The largest skill that is packed: the bytes of all its files.
pub(super) const PACKED_MAX: u64 = 16 * 1024 * 1024;

/// Packs files of a folder. Returns `None` if one of them has changed since its digest was taken, or has a path that the
/// ustar format cannot hold.
///
/// Links are left out: a program that unpacks the archive must not follow them.
pub(super) fn pack<'f>(dir: &SkillDir, files: impl Iterator<Item = &'f FileDigest>) -> io::Result<Option<Vec<u8>>> {
    // Neither a time nor a system is written, so that the bytes are the same everywhere.
    let gzip = GzBuilder::new().mtime(0).operating_system(255).write(Vec::new(), Compression::default());
    let mut archive = Builder::new(gzip);
    for file in files {
        let (Some(header), Some(bytes)) = (header(file), bytes_of(dir, file)) else { return Ok(None) };
        archive.append(&header, bytes.as_slice())?;
    }
    archive.into_inner()?.finish().map(Some)
}

/// Reads a file, if its bytes still have the digest.
pub(super) fn bytes_of(dir: &SkillDir, file: &FileDigest) -> Option<Vec<u8>> {
    let path = ResourcePath::parse(file.path.to_str()?, &ResourceRules::default()).ok()?;
    match dir.read_plain(&path, ReadLimit::Bytes).ok()?.bytes {
        ResourceBytes::Binary(bytes) if <[u8; 32]>::from(Sha256::digest(&bytes)) == file.sha256 => Some(bytes),
        _ => None,
    }
}

/// Describes a file, with a fixed owner, time and mode; `None` if its path is too long.
fn header(file: &FileDigest) -> Option<Header> {
    let mut header = Header::new_ustar();
    header.set_path(&file.path).ok()?;
    header.set_entry_type(EntryType::Regular);
    header.set_mode(if file.executable { 0o755 } else { 0o644 });
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(0);
    header.set_size(file.size);
    header.set_cksum();
    Some(header)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn file(path: String) -> FileDigest {
        FileDigest { path: PathBuf::from(path), size: 3, executable: false, sha256: [0; 32] }
    }

    #[test]
    fn long_paths_are_split_and_longer_ones_are_not_packed() {
        let folder = "d".repeat(120);
        for path in ["a/b.md".to_owned(), format!("{folder}/b.md")] {
            let header = header(&file(path.clone())).unwrap();
            assert_eq!(header.path().unwrap(), PathBuf::from(path));
        }
        assert!(header(&file("n".repeat(101))).is_none());
        assert!(header(&file(format!("{}/b", "d".repeat(160)))).is_none());
    }
}
