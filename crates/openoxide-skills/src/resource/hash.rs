//! Hashes an open file while it is read, with a bound on what is read.

use std::os::fd::OwnedFd;

use rustix::io::Errno;
use sha2::{Digest as _, Sha256};

use super::beneath;

/// How much of a file is read at once.
const CHUNK: usize = 64 * 1024;

/// Reads a file of `size` bytes and one chunk more at most, hands each chunk on, and returns how much it was.
pub(super) fn hash(
    file: &OwnedFd,
    size: u64,
    buffer: &mut Vec<u8>,
    mut take: impl FnMut(&[u8]) -> Result<(), Errno>,
) -> Result<(u64, [u8; 32]), Errno> {
    // A small file is read into a small buffer, with one byte to spare: a short read is its end.
    let wanted = usize::try_from(size).unwrap_or(CHUNK).saturating_add(1).min(CHUNK);
    if buffer.len() < wanted {
        buffer.resize(wanted, 0);
    }
    let (mut hasher, mut total) = (Sha256::new(), 0_u64);
    while total <= size {
        let read = beneath::read_full(file, &mut buffer[..wanted])?;
        hasher.update(&buffer[..read]);
        take(&buffer[..read])?;
        total += u64::try_from(read).unwrap_or(0);
        if read < wanted {
            break;
        }
    }
    Ok((total, hasher.finalize().into()))
}
