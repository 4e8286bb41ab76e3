//! A point in time as it is written down. Which one it is now is told by the caller.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use toml_edit::{Date, Datetime, Offset, Time};

/// A point in time, to the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timestamp(pub(super) Datetime);

impl Timestamp {
    /// Returns the day alone, as `2026-11-15`.
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
    /// What lies before 1970 is 1970: a clock that is wrong is no reason to fail.
    fn from(time: SystemTime) -> Timestamp {
        let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let of_day = seconds % 86_400;
        let part = |value: u64| u8::try_from(value).unwrap_or(0);
        let time = Time {
            hour: part(of_day / 3600),
            minute: part(of_day / 60 % 60),
            second: Some(part(of_day % 60)),
            nanosecond: None,
        };
        Timestamp(Datetime { date: Some(date(seconds / 86_400)), time: Some(time), offset: Some(Offset::Z) })
    }
}

/// Returns the date that lies some days after 1970 began.
///
/// Years are counted from March, so that a leap day is the last of its year; 146,097 days are 400 years.
fn date(days: u64) -> Date {
    let days = days.min(2_932_896) + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    Date {
        year: u16::try_from(year).unwrap_or(9999),
        month: u8::try_from(month).unwrap_or(1),
        day: u8::try_from(of_month).unwrap_or(1),
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
