//! A point in time as it is written to files. The caller supplies the clock.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use chrono::DateTime;
use toml_edit::Datetime;

/// The last second of the year 9999: TOML has four digits for a year.
const LAST_SECOND: i64 = 253_402_300_799;

/// A point in time, to the second.
///
/// It holds what the file has: a time that a person wrote there may lack the offset, or the time of day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timestamp(pub(super) Datetime);

impl Timestamp {
    /// Returns the date alone, as `2026-11-15`.
    pub fn date(&self) -> String {
        self.0.date.map_or_else(|| self.to_string(), |date| date.to_string())
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<SystemTime> for Timestamp {
    /// A time before 1970 becomes 1970: a wrong clock is no reason to fail.
    fn from(time: SystemTime) -> Timestamp {
        let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let seconds = i64::try_from(seconds).unwrap_or(LAST_SECOND).min(LAST_SECOND);
        let utc = DateTime::from_timestamp(seconds, 0).unwrap_or_default();
        let text = format!("{:?}Z", utc.naive_utc());
        Timestamp(text.parse().expect("TOML writes a time in UTC like this"))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn written_as_people_read_it() {
        let check = |seconds: u64, expected: &str| {
            assert_eq!(Timestamp::from(UNIX_EPOCH + Duration::from_secs(seconds)).to_string(), expected);
        };
        check(0, "1970-01-01T00:00:00Z");
        check(951_782_399, "2000-02-28T23:59:59Z");
        check(951_782_400, "2000-02-29T00:00:00Z");
        check(1_709_251_199, "2024-02-29T23:59:59Z");
        check(1_709_251_200, "2024-03-01T00:00:00Z");
        check(4_107_542_400, "2100-03-01T00:00:00Z");
        check(253_402_300_799, "9999-12-31T23:59:59Z");
        let before = Timestamp::from(UNIX_EPOCH - Duration::from_secs(9));
        assert_eq!((before.to_string().as_str(), before.date().as_str()), ("1970-01-01T00:00:00Z", "1970-01-01"));
    }
}
