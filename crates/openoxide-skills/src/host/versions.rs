//! Which versions of a program rules are for.

use std::cmp::Ordering;
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use schemars::JsonSchema;
use serde::Deserialize;

/// The versions of a program that rules are for, such as `>=2.1.241, <=2.1.325`: every condition holds.
///
/// A condition is one of `=`, `>=`, `>`, `<=` and `<`, and a version; a version alone stands for `=`. What follows the
/// numbers of a version, such as `-beta.1`, comes before the version without it. A condition with fewer numbers is about
/// those: `=2.1` holds for 2.1.7, and `<=2.1` too.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(try_from = "String")]
pub struct VersionRange {
    conditions: Vec<Condition>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Condition {
    sign: Sign,
    version: Version,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    Equal,
    AtLeast,
    Above,
    AtMost,
    Below,
}

/// Signs as they are written; one that begins as another does stands before it.
const SIGNS: [(&str, Sign); 5] =
    [(">=", Sign::AtLeast), ("<=", Sign::AtMost), (">", Sign::Above), ("<", Sign::Below), ("=", Sign::Equal)];

/// The numbers of a version, and whether something such as `-beta` follows them.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Version {
    numbers: Vec<u64>,
    is_early: bool,
}

/// Why a text is no range of versions.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a condition on a version; write one like `>=2.1.241` or `=2.1`")]
pub struct BadVersionRange(String);

impl VersionRange {
    /// Tells whether a version is one of them; a text that is no version is not.
    pub fn holds(&self, version: &str) -> bool {
        Version::read(version).is_some_and(|version| self.conditions.iter().all(|condition| condition.holds(&version)))
    }
}

impl Condition {
    fn holds(&self, found: &Version) -> bool {
        let order = found.compare(&self.version);
        match self.sign {
            Sign::Equal => order.is_eq(),
            Sign::AtLeast => order.is_ge(),
            Sign::Above => order.is_gt(),
            Sign::AtMost => order.is_le(),
            Sign::Below => order.is_lt(),
        }
    }
}

impl Version {
    fn read(text: &str) -> Option<Version> {
        let text = text.strip_prefix('v').unwrap_or(text);
        let end = text.find(|c: char| c != '.' && !c.is_ascii_digit()).unwrap_or(text.len());
        let (numbers, rest) = text.split_at(end);
        let numbers = numbers.split('.').map(str::parse).collect::<Result<Vec<u64>, _>>().ok()?;
        let is_known = rest.is_empty() || rest.starts_with(['-', '+']);
        is_known.then_some(Version { numbers, is_early: rest.starts_with('-') })
    }

    /// Compares as many numbers as `stated` has.
    fn compare(&self, stated: &Version) -> Ordering {
        let numbers = self.numbers.iter().copied().chain(std::iter::repeat(0)).take(stated.numbers.len());
        let early = || {
            if self.numbers.len() > stated.numbers.len() {
                Ordering::Equal
            } else {
                stated.is_early.cmp(&self.is_early)
            }
        };
        numbers.cmp(stated.numbers.iter().copied()).then_with(early)
    }
}

impl FromStr for VersionRange {
    type Err = BadVersionRange;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let condition = |part: &str| {
            let part = part.trim();
            let signed = SIGNS.iter().find_map(|(written, sign)| Some((*sign, part.strip_prefix(written)?)));
            let (sign, version) = signed.unwrap_or((Sign::Equal, part));
            let version = Version::read(version.trim()).ok_or_else(|| BadVersionRange(part.to_owned()))?;
            Ok(Condition { sign, version })
        };
        Ok(Self { conditions: text.split(',').map(condition).collect::<Result<_, _>>()? })
    }
}

impl TryFrom<String> for VersionRange {
    type Error = BadVersionRange;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl Display for VersionRange {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (at, condition) in self.conditions.iter().enumerate() {
            let sign = SIGNS.iter().find(|(_, sign)| *sign == condition.sign).map_or("", |(written, _)| written);
            let numbers = condition.version.numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(".");
            let early = if condition.version.is_early { "-0" } else { "" };
            write!(f, "{}{sign}{numbers}{early}", if at == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl JsonSchema for VersionRange {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "VersionRange".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": "The versions of a program that rules are for, such as `>=2.1.241, <=2.1.325`.",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(range: &str, inside: &[&str], outside: &[&str]) {
        let read: VersionRange = range.parse().unwrap();
        for version in inside {
            assert!(read.holds(version), "{version} is one of {range}");
        }
        for version in outside {
            assert!(!read.holds(version), "{version} is none of {range}");
        }
        assert_eq!(read.to_string().parse(), Ok(read));
    }

    #[test]
    fn conditions_on_versions() {
        check(">=2.1.241, <=2.1.325", &["2.1.241", "2.1.325", "v2.1.300"], &["2.1.240", "2.1.326", "2.2.0", "3", ""]);
        check("=0.166", &["0.166.0", "0.166.12", "0.166", "0.166.1-alpha.3"], &["0.165.9", "0.167.0", "1.0"]);
        check("18.2", &["18.2.3"], &["18.3.0", "18.20"]);
        check("<2.0", &["1.9.9"], &["2.0.0", "2.1"]);
        check(">2.0", &["2.1"], &["2.0", "2.0.9"]);
        check(">=2.1.0", &["2.1.0", "2.1.0+build", "2026.7"], &["2.1.0-beta", "two", "2.x", "-1", "2..1"]);
        check("2.1.0-beta", &["2.1.0-beta"], &["2.1.0"]);
    }

    #[test]
    fn what_is_no_range_is_said() {
        for (range, part) in [("", ""), (">=2, x", "x"), ("^2.1", "^2.1"), ("2.*", "2.*"), (">=", ">=")] {
            assert_eq!(range.parse::<VersionRange>(), Err(BadVersionRange(part.to_owned())));
        }
    }
}
