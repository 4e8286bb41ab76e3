//! Stamps a file, so that a change to it is noticed without reading it again.
//!
//! A stamp says which file it is, how large, and when it was changed. The time of the last change of any kind cannot be
//! set by anybody, so whatever is written, replaced or given another mode gets another stamp; but for one case. Times
//! come from a clock that ticks, and what is changed twice within one tick has the same stamp after both. So a stamp is
//! relied on only if it was settled when it was taken: if the last change was longer ago than any tick.

use std::path::Path;
use std::time::{Duration, SystemTime};

use rustix::fs::{FileType, RawMode, Stat};

/// Longer than a tick of the kernel's clock, by which file systems of this machine go: 10 milliseconds at most.
pub(super) const KERNEL_TICK: Duration = Duration::from_millis(100);
/// A tick of any file system: the coarsest count in steps of two seconds.
pub(super) const ANY_TICK: Duration = Duration::from_secs(2);

/// What the system says about a file or a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    device: u64,
    inode: u64,
    mode: RawMode,
    size: i64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    // The types of these fields differ from system to system.
    #[allow(clippy::unnecessary_cast, clippy::cast_lossless, clippy::cast_possible_wrap, clippy::cast_sign_loss)]
    pub(super) fn of(stat: &Stat) -> Stamp {
        Stamp {
            device: stat.st_dev as u64,
            inode: stat.st_ino as u64,
            mode: stat.st_mode as RawMode,
            size: stat.st_size as i64,
            modified: (stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            changed: (stat.st_ctime as i64, stat.st_ctime_nsec as i64),
        }
    }

    /// Looks at a path; a link is looked at itself.
    pub(super) fn at(path: &Path) -> Option<Stamp> {
        rustix::fs::lstat(path).ok().map(|stat| Stamp::of(&stat))
    }

    pub(super) fn kind(self) -> FileType {
        FileType::from_raw_mode(self.mode)
    }

    /// Tells whether the last change was long enough before `now` for the next one to have another time.
    pub(super) fn is_settled(self, now: SystemTime, tick: Duration) -> bool {
        let (Ok(seconds), Ok(nanos)) = (u64::try_from(self.changed.0), u32::try_from(self.changed.1)) else {
            return false;
        };
        let changed = SystemTime::UNIX_EPOCH.checked_add(Duration::new(seconds, nanos));
        changed.and_then(|changed| now.duration_since(changed).ok()).is_some_and(|past| past >= tick)
    }
}
