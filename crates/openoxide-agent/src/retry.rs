//! When a request is repeated, and how long that waits.

use std::time::{Duration, SystemTime};

use crate::Limits;

/// The waits before the repetitions of one request.
pub(crate) struct Waits {
    left: u32,
    next: Duration,
    longest: Duration,
}

impl Waits {
    pub(crate) fn new(limits: &Limits) -> Waits {
        Waits { left: limits.retries, next: limits.first_wait, longest: limits.longest_wait }
    }

    /// Returns how long the next repetition waits. `None` if there is none: they are used up, or the server wants a longer
    /// wait than is granted.
    pub(crate) fn next(&mut self, asked: Option<Duration>) -> Option<Duration> {
        self.left = self.left.checked_sub(1)?;
        let grown = self.next;
        self.next = grown.saturating_mul(2);
        match asked {
            Some(asked) if asked > self.longest => None,
            Some(asked) => Some(asked),
            None => Some(with_jitter(grown).min(self.longest)),
        }
    }
}

/// Takes away up to a half, so that clients that failed together do not come back together.
fn with_jitter(wait: Duration) -> Duration {
    let mut byte = [0];
    // Without random numbers, all wait the whole time.
    let _ = getrandom::fill(&mut byte);
    wait.mul_f64(1.0 - f64::from(byte[0]) / 512.0)
}

/// Tells whether a status is one that may be another one soon.
pub(crate) fn is_transient(status: u16) -> bool {
    matches!(status, 408 | 409 | 425 | 429 | 500..=599)
}

/// Reads `Retry-After`: seconds, or a date.
pub(crate) fn retry_after(value: &str, now: SystemTime) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let date = chrono::DateTime::parse_from_rfc2822(value).ok()?;
    let now = now.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    let then = Duration::from_secs(u64::try_from(date.timestamp()).unwrap_or(0));
    Some(then.saturating_sub(now))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_within_their_jitter_and_end() {
        let mut waits = Waits::new(&Limits::default());
        for whole in [500, 1000, 2000] {
            let wait = waits.next(None).unwrap();
            let whole = Duration::from_millis(whole);
            assert!(wait > whole / 2 && wait <= whole, "{wait:?} of {whole:?}");
        }
        assert_eq!(waits.next(None), None);
    }

    #[test]
    fn a_server_may_ask_for_a_minute() {
        let next = |seconds| Waits::new(&Limits::default()).next(Some(Duration::from_secs(seconds)));
        assert_eq!(next(0), Some(Duration::ZERO));
        assert_eq!(next(60), Some(Duration::from_mins(1)));
        assert_eq!(next(61), None);
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_hours(401_503) + Duration::from_mins(28);
        let read = |value| retry_after(value, now).map(|wait| wait.as_secs());
        assert_eq!(read(" 7 "), Some(7));
        assert_eq!(read("Wed, 21 Oct 2015 07:28:09 GMT"), Some(9));
        assert_eq!(read("Wed, 21 Oct 2015 07:00:00 GMT"), Some(0), "it is over");
        for bad in ["", "soon", "-1", "1.5"] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }
}
