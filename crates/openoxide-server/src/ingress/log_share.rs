//! Bounds the lines that clients without a secret can have written to the log: a flood of refused requests fills no disk.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Lines a second.
const LINES: u64 = 20;

pub(super) struct LogShare {
    began: Instant,
    /// The second that lines are counted for, and how many there were, in the lower half.
    counted: AtomicU64,
}

impl Default for LogShare {
    fn default() -> LogShare {
        LogShare { began: Instant::now(), counted: AtomicU64::new(0) }
    }
}

impl LogShare {
    /// Takes a line. There is none left in this second if too many were taken; the metrics count all requests.
    pub(super) fn take(&self) -> bool {
        self.take_at(self.began.elapsed().as_secs())
    }

    fn take_at(&self, second: u64) -> bool {
        let next = |counted: u64| match (counted >> 32 == second, counted & u64::from(u32::MAX)) {
            (true, lines) if lines >= LINES => None,
            (true, _) => Some(counted + 1),
            (false, _) => Some(second << 32 | 1),
        };
        self.counted.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_has_so_many_lines_and_the_next_as_many() {
        let share = LogShare::default();
        for second in [0, 1, 7] {
            let taken = (0..100).filter(|_| share.take_at(second)).count();
            assert_eq!(taken as u64, LINES, "{second}");
        }
    }
}
