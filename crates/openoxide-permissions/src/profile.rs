//! A skill's permission profile: what it requests, and what that would add to the current grants.
//!
//! Both the question to the user and the policy of the sandbox are made from [`Grants`], so that the user sees exactly
//! what is enforced.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

mod path;

pub use path::ProfileBase;

/// The permissions that a skill requests, as they are written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PermissionsProfile {
    /// Paths to read.
    pub file_system_read: Vec<String>,
    /// Paths to write.
    pub file_system_write: Vec<String>,
    /// Whether the network is requested.
    pub network: Option<bool>,
    /// When the user is to be asked.
    pub approval_policy: Option<String>,
    /// Keys for other systems. They are kept and shown, and not enforced here.
    pub other: BTreeMap<String, String>,
}

/// What a profile requests, with absolute paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestedGrants {
    grants: Grants,
    ignored: Vec<IgnoredRequest>,
}

/// What commands may do. The policy of the sandbox and the question to the user are made from this.
///
/// A path stands for itself and everything below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grants {
    /// Paths that may be read.
    pub read: BTreeSet<PathBuf>,
    /// Paths that may be written and read.
    pub write: BTreeSet<PathBuf>,
    /// Whether the network may be reached.
    pub network: bool,
    /// Whether commands run without asking. Rules that deny still apply.
    pub unasked: bool,
}

/// One grant that a profile would add.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Addition {
    /// Writing a path and everything below it.
    Write(PathBuf),
    /// Reading a path and everything below it.
    Read(PathBuf),
    /// Reaching the network, all of it.
    Network,
    /// Running commands without asking.
    Unasked,
}

impl fmt::Display for Addition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Addition::Write(path) => write!(f, "write `{}` and everything below it", path.display()),
            Addition::Read(path) => write!(f, "read `{}` and everything below it", path.display()),
            Addition::Network => f.write_str("reach the network, without limits"),
            Addition::Unasked => f.write_str("run its commands without asking each time"),
        }
    }
}

/// A part of a profile that has no effect.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct IgnoredRequest {
    /// The part, as `key: value`.
    pub what: String,
    /// Why it has no effect.
    pub why: &'static str,
}

impl fmt::Display for IgnoredRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.what, self.why)
    }
}

/// What a profile would add, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GrantDelta {
    /// The grants that would be added: exactly these, and only after the user consents.
    pub added: Vec<Addition>,
    /// The parts that have no effect, each with the reason.
    pub ignored: Vec<IgnoredRequest>,
}

/// Whose profiles are used. None applies without the user's consent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProfileMode {
    /// Those of all skills.
    #[default]
    Ask,
    /// Those of no skill.
    Strict,
    /// Those of skills that come with the program or from the machine's administrator.
    TrustedSources,
}

impl ProfileMode {
    /// The words used in settings.
    pub const WORDS: &'static [&'static str] = &["ask", "strict", "trusted-sources"];

    /// Finds a mode by its word.
    pub fn parse(word: &str) -> Option<ProfileMode> {
        match word {
            "ask" => Some(ProfileMode::Ask),
            "strict" => Some(ProfileMode::Strict),
            "trusted-sources" => Some(ProfileMode::TrustedSources),
            _ => None,
        }
    }

    /// Returns why a profile is not used, or nothing if it is.
    fn refuses(self, source: ProfileSource) -> Option<&'static str> {
        match (self, source) {
            (ProfileMode::Ask, _) | (ProfileMode::TrustedSources, ProfileSource::Trusted) => None,
            (ProfileMode::Strict, _) => Some("permission profiles are ignored: the mode is `strict`"),
            (ProfileMode::TrustedSources, ProfileSource::Other) => {
                Some("only system and admin skills may have a profile: the mode is `trusted-sources`")
            }
        }
    }
}

/// Where a profile comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfileSource {
    /// The program itself, or the machine's administrator.
    Trusted,
    /// Anyone else.
    Other,
}

impl PermissionsProfile {
    /// Makes the paths absolute and separates what has no effect here.
    pub fn requested(&self, base: ProfileBase<'_>) -> RequestedGrants {
        let mut requested = RequestedGrants::default();
        requested.grants.read = requested.paths("file_system.read", &self.file_system_read, base);
        requested.grants.write = requested.paths("file_system.write", &self.file_system_write, base);
        requested.grants.network = self.network == Some(true);
        match self.approval_policy.as_deref() {
            Some("never") => requested.grants.unasked = true,
            // These ask no less than the current policy, which asks for everything.
            None | Some("always" | "untrusted" | "on-request" | "on-failure") => {}
            Some(other) => requested.ignore(format!("approval_policy: {other}"), "there is no such policy"),
        }
        for (key, value) in &self.other {
            requested.ignore(format!("{key}: {value}"), "not enforced here");
        }
        requested
    }
}

impl RequestedGrants {
    /// Replaces the requested paths, for example with the targets of links, before the user is asked.
    #[must_use]
    pub fn resolved(mut self, resolve: impl Fn(&Path) -> PathBuf) -> RequestedGrants {
        let each = |paths: &BTreeSet<PathBuf>| paths.iter().map(|path| resolve(path)).collect();
        (self.grants.read, self.grants.write) = (each(&self.grants.read), each(&self.grants.write));
        self
    }

    /// Removes the paths that `why` gives a reason against. This comes before the delta, in which a wide path that cannot
    /// be granted would hide a narrow one that can.
    #[must_use]
    pub fn without(mut self, mut why: impl FnMut(&Addition) -> Option<&'static str>) -> RequestedGrants {
        let grants = std::mem::take(&mut self.grants);
        let writes = grants.write.into_iter().map(Addition::Write);
        for addition in writes.chain(grants.read.into_iter().map(Addition::Read)) {
            match (why(&addition), addition) {
                (Some(why), addition) => self.ignore(addition.to_string(), why),
                (None, Addition::Write(path)) => drop(self.grants.write.insert(path)),
                (None, Addition::Read(path)) => drop(self.grants.read.insert(path)),
                (None, Addition::Network | Addition::Unasked) => {}
            }
        }
        (self.grants.network, self.grants.unasked) = (grants.network, grants.unasked);
        self
    }

    fn paths(&mut self, key: &str, written: &[String], base: ProfileBase<'_>) -> BTreeSet<PathBuf> {
        let mut paths = BTreeSet::new();
        for text in written {
            match path::absolute(text, base) {
                Ok(path) => drop(paths.insert(path)),
                Err(why) => self.ignore(format!("{key}: {text}"), why),
            }
        }
        paths
    }

    fn ignore(&mut self, what: String, why: &'static str) {
        self.ignored.push(IgnoredRequest { what, why });
    }
}

impl Grants {
    /// Returns what a profile would add, and which parts of it have no effect.
    pub fn delta(&self, requested: &RequestedGrants, mode: ProfileMode, source: ProfileSource) -> GrantDelta {
        let mut ignored = requested.ignored.clone();
        let mut added = self.missing(&requested.grants);
        if let Some(why) = mode.refuses(source) {
            ignored.extend(added.drain(..).map(|addition| IgnoredRequest { what: addition.to_string(), why }));
        }
        ignored.sort();
        ignored.dedup();
        GrantDelta { added, ignored }
    }

    /// Returns the grants after the user consented to a delta.
    #[must_use]
    pub fn with(&self, delta: &GrantDelta) -> Grants {
        let mut after = self.clone();
        for addition in &delta.added {
            match addition {
                Addition::Write(path) => drop(after.write.insert(path.clone())),
                Addition::Read(path) => drop(after.read.insert(path.clone())),
                Addition::Network => after.network = true,
                Addition::Unasked => after.unasked = true,
            }
        }
        after
    }

    /// Returns whether a path may be written.
    pub fn may_write(&self, path: &Path) -> bool {
        self.write.iter().any(|above| path.starts_with(above))
    }

    /// Returns whether a path may be read.
    pub fn may_read(&self, path: &Path) -> bool {
        self.may_write(path) || self.read.iter().any(|above| path.starts_with(above))
    }

    /// Returns what is requested and not granted yet, sorted. A path that a wider one covers is not listed again.
    fn missing(&self, requested: &Grants) -> Vec<Addition> {
        let mut all = self.clone();
        let mut added = Vec::new();
        // A path sorts before everything below it.
        for path in &requested.write {
            if !all.may_write(path) {
                all.write.insert(path.clone());
                added.push(Addition::Write(path.clone()));
            }
        }
        for path in &requested.read {
            if !all.may_read(path) {
                all.read.insert(path.clone());
                added.push(Addition::Read(path.clone()));
            }
        }
        added.extend((requested.network && !self.network).then_some(Addition::Network));
        added.extend((requested.unasked && !self.unasked).then_some(Addition::Unasked));
        added
    }
}

#[cfg(test)]
mod tests;
