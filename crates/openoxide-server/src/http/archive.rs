//! A skill's folder as one file: a tar in gzip, the same bytes for the same folder.

use std::io::{self, Write as _};
use std::path::Path;

use flate2::{Compression, GzBuilder};
use openoxide_skills::{FileDigest, ReadLimit, ResourceBytes, ResourcePath, ResourceRules, SkillDir};
use sha2::{Digest as _, Sha256};

/// Most bytes of all files of a skill that is packed.
pub(crate) const PACKED_MAX: u64 = 16 * 1024 * 1024;
/// How large the pieces of a tar are.
const BLOCK: usize = 512;

/// Packs files of a folder; nothing if one of them is not what the snapshot saw any more, or has a name that the form
/// cannot hold. Links are left out, as whoever unpacks it must not follow them.
pub(crate) fn pack<'f>(dir: &SkillDir, files: impl Iterator<Item = &'f FileDigest>) -> io::Result<Option<Vec<u8>>> {
    // Neither a time nor a system, so that the bytes are the same everywhere.
    let packer = GzBuilder::new().mtime(0).operating_system(255);
    let mut packer = packer.write(Vec::new(), Compression::default());
    for file in files {
        let (Some(header), Some(bytes)) = (header(file), bytes_of(dir, file)) else { return Ok(None) };
        packer.write_all(&header)?;
        packer.write_all(&bytes)?;
        packer.write_all(&[0; BLOCK][..(BLOCK - bytes.len() % BLOCK) % BLOCK])?;
    }
    packer.write_all(&[0; 2 * BLOCK])?;
    packer.finish().map(Some)
}

/// Reads a file, if it is what the snapshot saw.
pub(crate) fn bytes_of(dir: &SkillDir, file: &FileDigest) -> Option<Vec<u8>> {
    let path = ResourcePath::parse(file.path.to_str()?, &ResourceRules::default()).ok()?;
    match dir.read_plain(&path, ReadLimit::Bytes).ok()?.bytes {
        ResourceBytes::Binary(bytes) if <[u8; 32]>::from(Sha256::digest(&bytes)) == file.sha256 => Some(bytes),
        _ => None,
    }
}

/// Writes what stands before a file; nothing if its name is too long.
fn header(file: &FileDigest) -> Option<[u8; BLOCK]> {
    let mut header = [0_u8; BLOCK];
    let (folder, name) = split(&file.path)?;
    let mut put = |at: usize, bytes: &[u8]| header[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, name.as_bytes());
    put(100, if file.executable { b"0000755\0" } else { b"0000644\0" });
    put(108, b"0000000\0");
    put(116, b"0000000\0");
    put(124, format!("{:011o}\0", file.size).as_bytes());
    put(136, b"00000000000\0");
    put(148, b"        ");
    put(156, b"0");
    put(257, b"ustar\x0000");
    put(345, folder.as_bytes());
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    Some(header)
}

/// Splits a path into what the two fields of the form hold.
fn split(path: &Path) -> Option<(&str, &str)> {
    let path = path.to_str()?;
    if path.len() <= 100 {
        return Some(("", path));
    }
    let cuts = path.match_indices('/').map(|(at, _)| (&path[..at], &path[at + 1..]));
    cuts.into_iter().find(|(folder, name)| folder.len() <= 155 && name.len() <= 100 && !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_split_and_longer_ones_are_not_packed() {
        let short = "a/b.md";
        assert_eq!(split(Path::new(short)), Some(("", short)));
        let folder = "d".repeat(120);
        assert_eq!(split(Path::new(&format!("{folder}/b.md"))), Some((folder.as_str(), "b.md")));
        assert_eq!(split(Path::new(&"n".repeat(101))), None);
        assert_eq!(split(Path::new(&format!("{}/b", "d".repeat(160)))), None);
    }
}
