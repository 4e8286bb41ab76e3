//! One thing that is trusted.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::{Moment, TrustError};

/// What a skill may do beyond being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Power {
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

impl Power {
    /// Every power, in the order in which they are shown.
    pub const ALL: [Power; 6] = [Power::Shell, Power::Script, Power::Hook, Power::Profile, Power::Tools, Power::Mcp];

    /// Returns the word used in files, text and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Power::Shell => "shell",
            Power::Script => "script",
            Power::Hook => "hook",
            Power::Profile => "profile",
            Power::Tools => "tools",
            Power::Mcp => "mcp",
        }
    }

    /// Finds the power that a word means.
    pub fn from_word(word: &str) -> Option<Power> {
        Power::ALL.into_iter().find(|power| power.as_str() == word)
    }
}

/// A folder whose settings count and whose names compete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustedFolder {
    /// The folder, without links.
    pub path: PathBuf,
    /// Since when.
    pub at: Moment,
}

/// Where skills come from that may have power.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustedSource {
    /// An address or the name of a registry.
    pub source: String,
    /// Since when.
    pub at: Moment,
}

/// A power that a skill has, for exactly the bytes that were looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The skill's own file, without links.
    pub skill: PathBuf,
    /// The digest of everything in it, as `sha256:…`.
    pub digest: String,
    /// What it may do.
    pub power: Power,
    /// What the user was shown, word for word: commands, scripts, tools.
    pub shown: Vec<String>,
    /// Since when.
    pub at: Moment,
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
    pub at: Moment,
}

/// A question that was answered with "always".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remembered {
    /// What was asked for, such as `shell`.
    pub permission: String,
    /// What it was asked for, as a pattern.
    pub pattern: String,
    /// The agent that it was asked for; absent for all.
    pub agent: Option<String>,
    /// When it was answered.
    pub at: Moment,
}

/// One thing that is trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// A folder.
    Folder(TrustedFolder),
    /// A source.
    Source(TrustedSource),
    /// A power of a skill.
    Grant(Grant),
    /// An answer that is remembered.
    Answer(Remembered),
    /// A skill of a server.
    Remote(TrustedRemote),
    /// A power that this version does not know: it is kept, and counts for nothing.
    Unknown {
        /// The skill's own file.
        skill: PathBuf,
        /// What the power is called.
        power: String,
    },
}

/// One thing that is trusted, and where it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustEntry {
    /// What it is.
    pub record: Record,
    /// The line of the file.
    pub line: usize,
    /// Its place among those of its kind.
    pub(super) index: usize,
}

impl Record {
    /// Returns the list of the file that it stands in.
    pub(super) fn list(&self) -> &'static str {
        match self {
            Record::Folder(_) => "folders",
            Record::Source(_) => "sources",
            Record::Grant(_) | Record::Unknown { .. } => "grants",
            Record::Answer(_) => "answers",
            Record::Remote(_) => "remotes",
        }
    }

    /// Returns the own file of the skill that it is about.
    pub fn skill(&self) -> Option<&Path> {
        match self {
            Record::Grant(grant) => Some(&grant.skill),
            Record::Unknown { skill, .. } => Some(skill),
            Record::Folder(_) | Record::Source(_) | Record::Answer(_) | Record::Remote(_) => None,
        }
    }

    /// Returns what tells it from all others.
    fn key(&self) -> Vec<&[u8]> {
        match self {
            Record::Folder(folder) => vec![folder.path.as_os_str().as_encoded_bytes()],
            Record::Source(source) => vec![source.source.as_bytes()],
            Record::Grant(grant) => {
                vec![grant.skill.as_os_str().as_encoded_bytes(), grant.power.as_str().as_bytes()]
            }
            Record::Remote(remote) => vec![remote.server.as_bytes(), remote.uri.as_bytes()],
            Record::Unknown { skill, power } => vec![skill.as_os_str().as_encoded_bytes(), power.as_bytes()],
            Record::Answer(answer) => {
                let mut key = vec![answer.permission.as_bytes(), answer.pattern.as_bytes()];
                key.extend(answer.agent.as_ref().map(String::as_bytes));
                key
            }
        }
    }

    /// Tells whether both are about the same, whenever and for whichever bytes.
    pub(super) fn same(&self, other: &Record) -> bool {
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
            Record::Folder(folder) => Some(folder.path.as_path()),
            other => other.skill(),
        };
        match path.filter(|path| path.to_str().is_none()) {
            Some(path) => Err(TrustError::NotText { path: path.to_owned() }),
            None => Ok(()),
        }
    }
}
