#![doc = include_str!("../README.md")]

mod access_list;
mod user;

use std::fs::Metadata;
use std::io::Read as _;
use std::os::fd::BorrowedFd;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

pub use user::{is_root_or, this_user};

use access_list::AccessList;

const STICKY: u32 = 0o1000;
const GROUP_WRITES: u32 = 0o020;
const OTHERS_WRITE: u32 = 0o002;

/// Whom the system shows as the owner of what belongs to nobody in this user namespace. Elsewhere it is a user like others.
const UNMAPPED: u32 = 65534;

/// Tells whether a file or folder belongs to the user who runs this program, or to root.
pub fn is_ours(stat: &Metadata) -> bool {
    is_root_or(this_user(), stat.uid())
}

/// Tells whether nobody can say who an owner is, because this user namespace does not know all users of the machine.
pub fn is_unmapped(owner: u32) -> bool {
    owner == UNMAPPED && !is_whole_machine()
}

/// Tells whether every user of the machine has a number here, so that none is shown as [`UNMAPPED`].
fn is_whole_machine() -> bool {
    let mut map = String::new();
    let _ = std::fs::File::open("/proc/self/uid_map").and_then(|mut file| file.read_to_string(&mut map));
    map.is_empty() || map.split_whitespace().eq(["0", "0", "4294967295"])
}

/// Tells whether a folder is one in which nobody replaces what belongs to others.
pub fn is_sticky(stat: &Metadata) -> bool {
    stat.is_dir() && stat.mode() & STICKY != 0
}

/// Tells whether other users may write to a file, or make files in a folder.
pub fn others_write(path: &Path, stat: &Metadata) -> bool {
    lets_others_write(stat.mode(), stat.uid(), stat.gid(), || access_list::of_path(path))
}

/// Tells the same of what is open, or of what was not opened, by its mode, owner and group.
pub fn others_write_open(opened: Option<BorrowedFd<'_>>, mode: u32, user: u32, group: u32) -> bool {
    lets_others_write(mode, user, group, || opened.map_or(AccessList::Unreadable, access_list::of_open))
}

/// Where there is a list, the group's part of the mode is the most that all whom the list names may do.
fn lets_others_write(mode: u32, user: u32, group: u32, list: impl FnOnce() -> AccessList) -> bool {
    mode & OTHERS_WRITE != 0 || (mode & GROUP_WRITES != 0 && list().lets_others_write(user, group))
}

#[cfg(test)]
mod tests;
