//! Locks on files that several processes change.

use std::fs::{File, TryLockError};
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
