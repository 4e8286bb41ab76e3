//! Lists the names in one folder, sorted, in one piece of memory.

use std::{ffi::OsStr, os::fd::BorrowedFd, os::unix::ffi::OsStrExt as _};

use rustix::fs::FileType;
use rustix::io::Errno;

/// Most entries of one folder that are read at all.
const LISTING_MAX: usize = 1_000_000;

/// The names in one folder, sorted. They lie in one piece of memory: there are very many folders.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Listing {
    text: Vec<u8>,
    items: Vec<Item>,
}

/// Where a name ends and begins in the text, and what it is the name of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Item {
    start: usize,
    end: usize,
    kind: FileType,
}

impl Listing {
    /// Reads the first `most` names of a folder; also tells whether there are more.
    pub(crate) fn read(dir: BorrowedFd<'_>, most: usize) -> Result<(Listing, bool), Errno> {
        let mut listing = Listing::default();
        let mut cut = false;
        read_entries(dir, |name, kind| {
            cut = listing.items.len() >= LISTING_MAX;
            if !cut {
                let start = listing.text.len();
                listing.text.extend_from_slice(name);
                listing.items.push(Item { start, end: listing.text.len(), kind });
            }
            !cut
        })?;
        let Listing { text, items } = &mut listing;
        items.sort_unstable_by(|left, right| text[left.start..left.end].cmp(&text[right.start..right.end]));
        // Cut after sorting: which entries are looked at must not depend on the disk.
        cut |= items.len() > most;
        items.truncate(most);
        Ok((listing, cut))
    }

    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&OsStr, FileType)> {
        self.items.iter().map(|item| (OsStr::from_bytes(&self.text[item.start..item.end]), item.kind))
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.items.binary_search_by(|item| self.text[item.start..item.end].cmp(name.as_bytes())).is_ok()
    }
}

/// Reads the entries of a folder, but for itself and its parent, until the taker has enough.
fn read_entries(dir: BorrowedFd<'_>, mut take: impl FnMut(&[u8], FileType) -> bool) -> Result<(), Errno> {
    // On the stack and not cleared: most folders are small, and there are very many of them.
    #[cfg(target_os = "linux")]
    let mut buffer = [const { std::mem::MaybeUninit::uninit() }; 8192];
    #[cfg(target_os = "linux")]
    let mut entries = rustix::fs::RawDir::new(dir, &mut buffer);
    #[cfg(not(target_os = "linux"))]
    let mut entries = rustix::fs::Dir::read_from(dir)?;
    loop {
        let Some(entry) = entries.next().transpose()? else { return Ok(()) };
        let name = entry.file_name().to_bytes();
        if !matches!(name, b"." | b"..") && !take(name, entry.file_type()) {
            return Ok(());
        }
    }
}
