//! Files that several processes change: locked, and replaced as a whole.

use std::fs::{File, Permissions, TryLockError};
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long to wait for another process. A change takes milliseconds, so that a longer wait means that it hangs.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// Locks a file or folder, waiting for other processes; `WouldBlock` means that the wait was too long.
///
/// [`File::lock`] waits without end, so this polls.
pub(crate) fn lock(file: &File) -> Result<(), TryLockError> {
    let start = Instant::now();
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if start.elapsed() < LOCK_TIMEOUT => {
                std::thread::sleep(Duration::from_millis(5));
            }
            outcome => return outcome,
        }
    }
}

/// Replaces a file: after a crash at any point, the old or the new text is there, never a part.
///
/// Without permissions, the file can be read by its owner alone.
pub(crate) fn replace(target: &Path, text: &str, permissions: Option<Permissions>) -> std::io::Result<()> {
    let mut file = tempfile::NamedTempFile::new_in(target.parent().unwrap_or(Path::new(".")))?;
    file.write_all(text.as_bytes())?;
    if let Some(permissions) = permissions {
        file.as_file().set_permissions(permissions)?;
    }
    file.as_file().sync_all()?;
    file.persist(target).map_err(|error| error.error)?;
    Ok(())
}
