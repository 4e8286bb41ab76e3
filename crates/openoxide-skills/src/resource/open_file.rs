//! A large file that is handed out open, so that nobody has to hold the whole of it.

use std::os::fd::OwnedFd;
use std::{fs::File, io, sync::Arc};

use rustix::io::Errno;
use sha2::{Digest as _, Sha256};

use super::media_type::{ContentCheck, ContentKind};
use crate::host::ReadProblem;

/// How much of it is held at a time while it is looked through.
const PART: usize = 64 * 1024;

/// A file that is open, and was looked through once. It may change while it is sent, as any file may while it is read.
#[derive(Clone, Debug)]
pub struct OpenFile {
    file: Arc<OwnedFd>,
    /// How many bytes it has.
    pub size: u64,
    /// The digest of its bytes.
    pub sha256: [u8; 32],
    /// What is in it.
    pub(super) kind: ContentKind,
}

impl PartialEq for OpenFile {
    fn eq(&self, other: &OpenFile) -> bool {
        self.sha256 == other.sha256
    }
}

impl Eq for OpenFile {}

impl OpenFile {
    /// Looks through a file, whose position does not change; one of more than so many bytes is refused.
    pub(super) fn look_through(file: OwnedFd, max: u64) -> Result<Result<OpenFile, ReadProblem>, Errno> {
        let (mut sha256, mut size, mut check) = (Sha256::new(), 0, ContentCheck::default());
        let mut buffer = vec![0; PART];
        loop {
            let read = match rustix::io::pread(&file, &mut buffer, size) {
                Ok(0) => break,
                Ok(read) => read,
                Err(Errno::INTR) => continue,
                Err(error) => return Err(error),
            };
            sha256.update(&buffer[..read]);
            check.take(&buffer[..read]);
            size += read as u64;
            if size > max {
                return Ok(Err(ReadProblem::TooLarge));
            }
        }
        Ok(Ok(OpenFile { file: Arc::new(file), size, sha256: sha256.finalize().into(), kind: check.kind() }))
    }

    /// Returns the file, at its beginning. It is to be read once.
    pub fn reader(&self) -> io::Result<File> {
        Ok(File::from(self.file.try_clone()?))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn what_it_finds_is_what_reading_the_whole_finds() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let text = "aé€😀".repeat(20_000);
        let cut = &text.as_bytes()[..text.len() - 1];
        for (bytes, expected) in [
            (text.as_bytes(), true),
            (&text.as_bytes()[..10 * (PART / 10)], true),
            (cut, false),
            (&[cut, b"\0"].concat(), false),
            (&[text.as_bytes(), b"\0"].concat(), false),
            (&[b"\xff", text.as_bytes()].concat(), false),
            (b"", true),
        ] {
            fs_err::write(&path, bytes).unwrap();
            let open = OpenFile::look_through(File::open(&path).unwrap().into(), u64::MAX).unwrap().unwrap();
            assert_eq!((open.kind != ContentKind::Bytes, open.size), (expected, bytes.len() as u64));
            assert_eq!(open.sha256, <[u8; 32]>::from(Sha256::digest(bytes)));
            let mut read = Vec::new();
            open.reader().unwrap().read_to_end(&mut read).unwrap();
            assert!(read == bytes);
        }
    }
}
