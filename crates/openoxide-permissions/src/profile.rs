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

/// What a profile requests or would add, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GrantDelta {
    /// The grants that would be added: exactly these, and only after the user consents.
    pub added: Vec<Addition>,
    /// The parts that have no effect, each with the reason.
    pub ignored: Vec<IgnoredRequest>,
    /// Whether one part is so wrong that the whole profile is refused: then nothing is added, and a notice says so.
    pub refused: bool,
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
    /// Returns everything that is requested, with absolute paths. What has no effect here is set apart.
    pub fn requested(&self, base: ProfileBase<'_>) -> GrantDelta {
        let mut requested = GrantDelta::default();
        let mut paths = |key: &str, written: &[String], grant: fn(PathBuf) -> Addition| {
            for text in written {
                match path::absolute(text, base) {
                    Ok(path) => requested.added.push(grant(path)),
                    Err(why) => requested.ignored.push(IgnoredRequest { what: format!("{key}: {text}"), why }),
                }
            }
        };
        paths("file_system.read", &self.file_system_read, Addition::Read);
        paths("file_system.write", &self.file_system_write, Addition::Write);
        requested.added.extend((self.network == Some(true)).then_some(Addition::Network));
        match self.approval_policy.as_deref() {
            Some("never") => requested.added.push(Addition::Unasked),
            // These ask no less than the current policy, which asks for everything.
            None | Some("always" | "untrusted" | "on-request" | "on-failure") => {}
            Some(other) => {
                let what = format!("approval_policy: {other}");
                requested.ignored.push(IgnoredRequest { what, why: "there is no such policy" });
            }
        }
        let others = self.other.iter().map(|(key, value)| format!("{key}: {value}"));
        requested.ignored.extend(others.map(|what| IgnoredRequest { what, why: "not enforced here" }));
        requested.sorted()
    }
}

impl GrantDelta {
    /// Replaces the paths, for example with the targets of links, before the user is asked.
    #[must_use]
    pub fn resolved(mut self, resolve: impl Fn(&Path) -> PathBuf) -> GrantDelta {
        for addition in &mut self.added {
            if let Addition::Write(path) | Addition::Read(path) = addition {
                *path = resolve(path);
            }
        }
        self.sorted()
    }

    /// Sets additions apart that `why` gives a reason against.
    #[must_use]
    pub fn without(mut self, mut why: impl FnMut(&Addition) -> Option<&'static str>) -> GrantDelta {
        let ignored = &mut self.ignored;
        self.added.retain(|addition| {
            let why = why(addition);
            ignored.extend(why.map(|why| IgnoredRequest { what: addition.to_string(), why }));
            why.is_none()
        });
        self.sorted()
    }

    /// Refuses everything, if `why` gives a reason against one addition.
    #[must_use]
    pub fn unless(mut self, why: impl Fn(&Addition) -> Option<&'static str>) -> GrantDelta {
        self.refused |= self.added.iter().any(|addition| why(addition).is_some());
        if !self.refused {
            return self;
        }
        self.without(|addition| why(addition).or(Some("the whole profile is refused")))
    }

    fn sorted(mut self) -> GrantDelta {
        self.added.sort();
        self.added.dedup();
        self.ignored.sort();
        self.ignored.dedup();
        self
    }
}

impl Grants {
    /// Returns what of a request is not granted yet. A path that a wider one covers is not listed again, so take out
    /// first what cannot be granted: it would hide a narrow path that can.
    pub fn delta(&self, requested: &GrantDelta, mode: ProfileMode, source: ProfileSource) -> GrantDelta {
        let mut delta = requested.clone();
        let mut all = self.clone();
        // A path sorts before everything below it, and writing before reading.
        delta.added.retain(|addition| {
            let is_new = !all.covers(addition);
            all.add(addition);
            is_new
        });
        delta.without(|_| mode.refuses(source))
    }

    /// Returns the grants after the user consented to a delta.
    #[must_use]
    pub fn with(&self, delta: &GrantDelta) -> Grants {
        let mut after = self.clone();
        delta.added.iter().for_each(|addition| after.add(addition));
        after
    }

    fn add(&mut self, addition: &Addition) {
        match addition {
            Addition::Write(path) => drop(self.write.insert(path.clone())),
            Addition::Read(path) => drop(self.read.insert(path.clone())),
            Addition::Network => self.network = true,
            Addition::Unasked => self.unasked = true,
        }
    }

    fn covers(&self, addition: &Addition) -> bool {
        match addition {
            Addition::Write(path) => self.may_write(path),
            Addition::Read(path) => self.may_read(path),
            Addition::Network => self.network,
            Addition::Unasked => self.unasked,
        }
    }

    /// Returns whether a path may be written.
    pub fn may_write(&self, path: &Path) -> bool {
        self.write.iter().any(|above| path.starts_with(above))
    }

    /// Returns whether a path may be read.
    pub fn may_read(&self, path: &Path) -> bool {
        self.may_write(path) || self.read.iter().any(|above| path.starts_with(above))
    }
}

#[cfg(test)]
mod tests;
