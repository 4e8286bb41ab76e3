//! Reads the access control list of a file or folder, which says who may write beside its mode.
//!
//! The list that a folder gives to new files is another one. It lets nobody write to the folder itself.

use std::os::fd::BorrowedFd;
use std::path::Path;

use crate::user::is_root_or;

/// What a list says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum AccessList {
    /// There is none: the mode says all.
    Absent,
    /// Whom it lets write, as far as the mode does not take it from them.
    Writers(Vec<Writer>),
    /// It cannot be read.
    Unreadable,
}

/// Whom an entry lets write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Writer {
    User(u32),
    /// The group that the file has.
    OwnGroup,
    Group(u32),
}

impl AccessList {
    /// Tells whether anyone may write but root, the owner, and the group whose number is the owner's. Asked only where the
    /// mode lets the group write.
    pub(crate) fn lets_others_write(&self, user: u32, group: u32) -> bool {
        let is_other = |writer: &Writer| match writer {
            Writer::User(named) => !is_root_or(user, *named),
            Writer::OwnGroup => group != user,
            Writer::Group(named) => *named != user,
        };
        match self {
            AccessList::Absent => is_other(&Writer::OwnGroup),
            AccessList::Writers(writers) => writers.iter().any(is_other),
            AccessList::Unreadable => true,
        }
    }

    /// Parses what the system keeps: a version, then entries of a tag, what is permitted, and a number.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "lists are read on Linux"))]
    pub(crate) fn parse(bytes: &[u8]) -> AccessList {
        parse(bytes).map_or(AccessList::Unreadable, AccessList::Writers)
    }
}

/// Returns nothing for a list that is not as the system writes it. One always has an entry for the file's group.
fn parse(bytes: &[u8]) -> Option<Vec<Writer>> {
    const WRITE: u16 = 2;
    let (version, entries) = bytes.split_first_chunk()?;
    let (entries, []) = entries.as_chunks::<8>() else { return None };
    let mut writers = Vec::new();
    let mut has_group = false;
    for [tag, tag_high, rights, rights_high, id @ ..] in entries {
        let id = u32::from_le_bytes(*id);
        let writer = match u16::from_le_bytes([*tag, *tag_high]) {
            // The owner, the most that others may, and everyone else: the mode says the same.
            0x01 | 0x10 | 0x20 => None,
            0x02 => Some(Writer::User(id)),
            0x04 => Some(Writer::OwnGroup),
            0x08 => Some(Writer::Group(id)),
            _ => return None,
        };
        has_group |= writer == Some(Writer::OwnGroup);
        writers.extend(writer.filter(|_| u16::from_le_bytes([*rights, *rights_high]) & WRITE != 0));
    }
    (u32::from_le_bytes(*version) == 2 && has_group).then_some(writers)
}

#[cfg(target_os = "linux")]
pub(crate) fn of_path(path: &Path) -> AccessList {
    read(|buffer| rustix::fs::getxattr(path, LIST, buffer))
}

/// Reads the list of what is open.
#[cfg(target_os = "linux")]
pub(crate) fn of_open(fd: BorrowedFd<'_>) -> AccessList {
    read(|buffer| rustix::fs::fgetxattr(fd, LIST, buffer))
}

/// The attribute that holds the list.
#[cfg(target_os = "linux")]
const LIST: &std::ffi::CStr = c"system.posix_acl_access";

/// Reads a list. One that is longer, with more than 500 entries, is not read.
#[cfg(target_os = "linux")]
fn read(get: impl Fn(&mut [u8]) -> rustix::io::Result<usize>) -> AccessList {
    use rustix::io::Errno;
    let mut list = [0; 4096];
    match get(&mut list) {
        Ok(size) => AccessList::parse(list.get(..size).unwrap_or_default()),
        Err(Errno::NODATA | Errno::OPNOTSUPP | Errno::NOSYS) => AccessList::Absent,
        Err(_) => AccessList::Unreadable,
    }
}

/// Elsewhere lists are kept in another way, and are not part of the mode.
#[cfg(not(target_os = "linux"))]
pub(crate) fn of_path(_: &Path) -> AccessList {
    AccessList::Absent
}

/// Elsewhere lists are kept in another way, and are not part of the mode.
#[cfg(not(target_os = "linux"))]
pub(crate) fn of_open(_: BorrowedFd<'_>) -> AccessList {
    AccessList::Absent
}
