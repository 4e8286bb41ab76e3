//! The records of the trust file, each with its time: folders, sources, grants, answers, and skills of servers.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use chrono::DateTime;
use openoxide_skills::resource::Hex;
use sha2::{Digest as _, Sha256};
use toml_edit::Datetime;

use super::error::TrustError;

/// The last second of the year 9999: TOML has four digits for a year.
const LAST_SECOND: i64 = 253_402_300_799;

/// What a skill may be permitted to do beyond being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PermissionKind {
    /// Run the commands in its text.
    Shell,
    /// Run the scripts in its folder.
    Script,
    /// Run commands on events.
    Hook,
    /// Have the permissions that it asks for.
    Profile,
    /// Use tools without asking.
    Tools,
    /// Add MCP servers.
    Mcp,
}

impl PermissionKind {
    /// All kinds, in the order in which they are shown.
    pub const ALL: [PermissionKind; 6] = [
        PermissionKind::Shell,
        PermissionKind::Script,
        PermissionKind::Hook,
        PermissionKind::Profile,
        PermissionKind::Tools,
        PermissionKind::Mcp,
    ];

    /// Returns the word used in files, text and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            PermissionKind::Shell => "shell",
            PermissionKind::Script => "script",
            PermissionKind::Hook => "hook",
            PermissionKind::Profile => "profile",
            PermissionKind::Tools => "tools",
            PermissionKind::Mcp => "mcp",
        }
    }

    /// Parses the word used in files, text and JSON.
    pub fn parse(word: &str) -> Option<PermissionKind> {
        PermissionKind::ALL.into_iter().find(|permission| permission.as_str() == word)
    }
}

/// A permission of a skill, for exactly the content that the user saw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The skill's own file, without links.
    pub skill: PathBuf,
    /// The digest of the skill's whole content, as `sha256:…`.
    pub digest: String,
    /// The permission.
    pub permission: PermissionKind,
    /// The items that the user was shown, word for word: commands, scripts, tools.
    pub shown: Vec<String>,
    /// When it was trusted.
    pub at: Timestamp,
}

/// A server's skill that the model may read, for exactly the content that the server listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustedRemote {
    /// The name of the server in the user's settings.
    pub server: String,
    /// The address of the skill's own file there. Other servers may use the same address.
    pub uri: String,
    /// The digest of everything that the server listed for it.
    pub digest: String,
    /// When it was trusted.
    pub at: Timestamp,
}

/// A question that was answered with "always".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RememberedAnswer {
    /// The permission, such as `read`.
    pub permission: String,
    /// The subject that it is for, such as a file of a skill.
    pub pattern: String,
    /// The skill that it is for: its own file without links, or the address of a server's skill. Another skill of the same
    /// name is another skill.
    pub skill: String,
    /// The agent that it is for; absent for all.
    pub agent: Option<String>,
    /// When it was answered.
    pub at: Timestamp,
}

/// One record of the trust file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrustRecord {
    /// A folder whose settings are active, and whose skills may win name clashes.
    Folder {
        /// The folder, without links.
        path: PathBuf,
        /// When it was trusted.
        at: Timestamp,
    },
    /// A source of skills that may have permissions.
    Source {
        /// An address, or the name of a registry.
        source: String,
        /// When it was trusted.
        at: Timestamp,
    },
    /// A permission of a skill.
    Grant(Grant),
    /// A remembered answer.
    Answer(RememberedAnswer),
    /// A server's skill.
    Remote(TrustedRemote),
    /// A permission that this version does not know. It stays in the file and permits nothing.
    UnknownGrant {
        /// The skill's own file.
        skill: PathBuf,
        /// The word for the permission.
        permission: String,
    },
}

/// A record and its place in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustEntry {
    /// The record.
    pub record: TrustRecord,
    /// The line of the file.
    pub line: usize,
    /// Its index in its list.
    pub(super) index: usize,
}

impl TrustRecord {
    /// Returns the name of the list that it is in.
    pub(super) fn list(&self) -> &'static str {
        match self {
            TrustRecord::Folder { .. } => "folders",
            TrustRecord::Source { .. } => "sources",
            TrustRecord::Grant(_) | TrustRecord::UnknownGrant { .. } => "grants",
            TrustRecord::Answer(_) => "answers",
            TrustRecord::Remote(_) => "remotes",
        }
    }

    /// Returns the skill's own file, if the record is about one.
    pub fn skill(&self) -> Option<&Path> {
        match self {
            TrustRecord::Grant(grant) => Some(&grant.skill),
            TrustRecord::UnknownGrant { skill, .. } => Some(skill),
            TrustRecord::Folder { .. }
            | TrustRecord::Source { .. }
            | TrustRecord::Answer(_)
            | TrustRecord::Remote(_) => None,
        }
    }

    /// Returns what distinguishes it from the other records of its list.
    fn subject(&self) -> Vec<&[u8]> {
        match self {
            TrustRecord::Folder { path, .. } => vec![path.as_os_str().as_encoded_bytes()],
            TrustRecord::Source { source, .. } => vec![source.as_bytes()],
            TrustRecord::Grant(grant) => {
                vec![grant.skill.as_os_str().as_encoded_bytes(), grant.permission.as_str().as_bytes()]
            }
            TrustRecord::Remote(remote) => vec![remote.server.as_bytes(), remote.uri.as_bytes()],
            TrustRecord::UnknownGrant { skill, permission } => {
                vec![skill.as_os_str().as_encoded_bytes(), permission.as_bytes()]
            }
            TrustRecord::Answer(answer) => {
                let mut key = vec![answer.permission.as_bytes(), answer.pattern.as_bytes(), answer.skill.as_bytes()];
                key.extend(answer.agent.as_ref().map(String::as_bytes));
                key
            }
        }
    }

    /// Tells whether both records have the same subject, whatever their time and digest.
    pub(super) fn has_same_subject(&self, other: &TrustRecord) -> bool {
        self.list() == other.list() && self.subject() == other.subject()
    }

    /// Returns eight hexadecimal digits that name the record as long as it exists, for subjects that cannot be typed.
    pub fn id(&self) -> String {
        let mut hasher = Sha256::new();
        hasher.update(self.list().as_bytes());
        for part in self.subject() {
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        Hex(&hasher.finalize()[..4]).to_string()
    }

    /// Refuses a path that cannot be written as text.
    pub(super) fn check_text(&self) -> Result<(), TrustError> {
        let path = match self {
            TrustRecord::Folder { path, .. } => Some(path.as_path()),
            other => other.skill(),
        };
        match path.filter(|path| path.to_str().is_none()) {
            Some(path) => Err(TrustError::NotText(path.to_owned())),
            None => Ok(()),
        }
    }
}

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
