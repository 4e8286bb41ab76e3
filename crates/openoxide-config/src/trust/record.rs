//! One thing that is trusted.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::{Timestamp, TrustError};

/// What a skill may do beyond being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PermissionKind {
    /// Run the commands that stand in its text.
    Shell,
    /// Run the scripts in its folder.
    Script,
    /// Run commands when something happens.
    Hook,
    /// Have the permissions that it asks for.
    Profile,
    /// Use tools without asking.
    Tools,
    /// Add servers of tools.
    Mcp,
}

impl PermissionKind {
    /// Every power, in the order in which they are shown.
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

    /// Finds the power that a word means.
    pub fn parse(word: &str) -> Option<PermissionKind> {
        PermissionKind::ALL.into_iter().find(|permission| permission.as_str() == word)
    }
}

/// A folder whose settings count and whose names compete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustedFolder {
    /// The folder, without links.
    pub path: PathBuf,
    /// Since when.
    pub at: Timestamp,
}

/// Where skills come from that may have power.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustedSource {
    /// An address or the name of a registry.
    pub source: String,
    /// Since when.
    pub at: Timestamp,
}

/// A power that a skill has, for exactly the bytes that were looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The skill's own file, without links.
    pub skill: PathBuf,
    /// The digest of everything in it, as `sha256:…`.
    pub digest: String,
    /// What it may do.
    pub permission: PermissionKind,
    /// What the user was shown, word for word: commands, scripts, tools.
    pub shown: Vec<String>,
    /// Since when.
    pub at: Timestamp,
}

/// A skill of a server that may reach the model, for exactly the content that the server listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustedRemote {
    /// What the user's settings call the server.
    pub server: String,
    /// The address of the skill's own file there; other servers may have the same.
    pub uri: String,
    /// The digest of everything that the server listed for it.
    pub digest: String,
    /// Since when.
    pub at: Timestamp,
}

/// A question that was answered with "always".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RememberedAnswer {
    /// What was asked for, such as `shell`.
    pub permission: String,
    /// What it was asked for, as a pattern.
    pub pattern: String,
    /// The agent that it was asked for; absent for all.
    pub agent: Option<String>,
    /// When it was answered.
    pub at: Timestamp,
}

/// One thing that is trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrustRecord {
    /// A folder.
    Folder(TrustedFolder),
    /// A source.
    Source(TrustedSource),
    /// A power of a skill.
    Grant(Grant),
    /// An answer that is remembered.
    Answer(RememberedAnswer),
    /// A skill of a server.
    Remote(TrustedRemote),
    /// A power that this version does not know: it is kept, and counts for nothing.
    UnknownGrant {
        /// The skill's own file.
        skill: PathBuf,
        /// What the power is called.
        permission: String,
    },
}

/// One thing that is trusted, and where it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustEntry {
    /// What it is.
    pub record: TrustRecord,
    /// The line of the file.
    pub line: usize,
    /// Its place among those of its kind.
    pub(super) index: usize,
}

impl TrustRecord {
    /// Returns the list of the file that it stands in.
    pub(super) fn list(&self) -> &'static str {
        match self {
            TrustRecord::Folder(_) => "folders",
            TrustRecord::Source(_) => "sources",
            TrustRecord::Grant(_) | TrustRecord::UnknownGrant { .. } => "grants",
            TrustRecord::Answer(_) => "answers",
            TrustRecord::Remote(_) => "remotes",
        }
    }

    /// Returns the own file of the skill that it is about.
    pub fn skill(&self) -> Option<&Path> {
        match self {
            TrustRecord::Grant(grant) => Some(&grant.skill),
            TrustRecord::UnknownGrant { skill, .. } => Some(skill),
            TrustRecord::Folder(_) | TrustRecord::Source(_) | TrustRecord::Answer(_) | TrustRecord::Remote(_) => None,
        }
    }

    /// Returns what tells it from all others.
    fn key(&self) -> Vec<&[u8]> {
        match self {
            TrustRecord::Folder(folder) => vec![folder.path.as_os_str().as_encoded_bytes()],
            TrustRecord::Source(source) => vec![source.source.as_bytes()],
            TrustRecord::Grant(grant) => {
                vec![grant.skill.as_os_str().as_encoded_bytes(), grant.permission.as_str().as_bytes()]
            }
            TrustRecord::Remote(remote) => vec![remote.server.as_bytes(), remote.uri.as_bytes()],
            TrustRecord::UnknownGrant { skill, permission } => {
                vec![skill.as_os_str().as_encoded_bytes(), permission.as_bytes()]
            }
            TrustRecord::Answer(answer) => {
                let mut key = vec![answer.permission.as_bytes(), answer.pattern.as_bytes()];
                key.extend(answer.agent.as_ref().map(String::as_bytes));
                key
            }
        }
    }

    /// Tells whether both are about the same, whenever and for whichever bytes.
    pub(super) fn same(&self, other: &TrustRecord) -> bool {
        self.list() == other.list() && self.key() == other.key()
    }

    /// Returns eight digits that mean this record and stay as long as it does, for what cannot be typed.
    pub fn id(&self) -> String {
        let mut hasher = Sha256::new();
        hasher.update(self.list().as_bytes());
        for part in self.key() {
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        let mut id = String::new();
        for byte in &hasher.finalize()[..4] {
            let _ = write!(id, "{byte:02x}");
        }
        id
    }

    /// Refuses what cannot be written down as text.
    pub(super) fn check_text(&self) -> Result<(), TrustError> {
        let path = match self {
            TrustRecord::Folder(folder) => Some(folder.path.as_path()),
            other => other.skill(),
        };
        match path.filter(|path| path.to_str().is_none()) {
            Some(path) => Err(TrustError::NotText { path: path.to_owned() }),
            None => Ok(()),
        }
    }
}
