//! A skill's permission profile: what it asks for, and what that would add to what is in force.
//!
//! [`InForce`] is the one value that both the question to people and the sandbox's policy are made from, so that what
//! is shown is what holds.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

mod path;

/// What a skill asks to be allowed, as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PermissionsProfile {
    /// Paths it wants to read.
    pub file_system_read: Vec<String>,
    /// Paths it wants to write.
    pub file_system_write: Vec<String>,
    /// Whether it wants the network.
    pub network: Option<bool>,
    /// When it wants people to be asked.
    pub approval_policy: Option<String>,
    /// Keys for other systems, kept and shown, not enforced here.
    pub other: BTreeMap<String, String>,
}

/// What paths of a profile are relative to.
#[derive(Clone, Copy, Debug)]
pub struct Base<'b> {
    /// The skill's folder, absolute.
    pub skill: &'b Path,
    /// The user's home.
    pub home: Option<&'b Path>,
}

/// What a profile asks for, in whole paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    power: InForce,
    ignored: Vec<Ignored>,
}

/// What commands may do: the sandbox's policy is made from this, and so is what people are shown.
///
/// A path stands for itself and everything below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InForce {
    /// What may be read.
    pub read: BTreeSet<PathBuf>,
    /// What may be written, and read.
    pub write: BTreeSet<PathBuf>,
    /// Whether the network may be reached.
    pub network: bool,
    /// Whether commands run without a question; rules that deny hold all the same.
    pub unasked: bool,
}

/// One thing that would be added to what is in force.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Addition {
    /// Writing a path and everything below it.
    Write(PathBuf),
    /// Reading a path and everything below it.
    Read(PathBuf),
    /// Reaching the network, all of it.
    Network,
    /// Running commands without a question.
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

/// Something that a profile says and that has no effect.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ignored {
    /// What it says, as `key: value`.
    pub what: String,
    /// Why it has no effect.
    pub why: &'static str,
}

impl fmt::Display for Ignored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.what, self.why)
    }
}

/// What a profile would change, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Delta {
    /// What would be added: exactly this, and only after consent.
    pub added: Vec<Addition>,
    /// What has no effect, and why.
    pub ignored: Vec<Ignored>,
}

/// Whose profiles count; none applies without consent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProfileMode {
    /// Everybody's, once people consent.
    #[default]
    Ask,
    /// Nobody's.
    Strict,
    /// Those of skills that the program or the machine's administrator put there, once people consent.
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

    /// Says why a profile does not count; nothing if it does.
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
    /// Anybody else.
    Other,
}

impl PermissionsProfile {
    /// Makes paths whole and sorts out what has no effect here.
    pub fn wanted(&self, base: Base<'_>) -> Wanted {
        let mut wanted = Wanted::default();
        wanted.power.read = wanted.paths("file_system.read", &self.file_system_read, base);
        wanted.power.write = wanted.paths("file_system.write", &self.file_system_write, base);
        wanted.power.network = self.network == Some(true);
        match self.approval_policy.as_deref() {
            Some("never") => wanted.power.unasked = true,
            // These ask no less than what is in force, which asks for everything.
            None | Some("always" | "untrusted" | "on-request" | "on-failure") => {}
            Some(other) => wanted.ignore(format!("approval_policy: {other}"), "there is no such policy"),
        }
        for (key, value) in &self.other {
            wanted.ignore(format!("{key}: {value}"), "not enforced here");
        }
        wanted
    }
}

impl Wanted {
    /// Puts other paths in the place of those that are wanted: where links lead, before anybody is asked.
    #[must_use]
    pub fn resolved(mut self, resolve: impl Fn(&Path) -> PathBuf) -> Wanted {
        let each = |paths: &BTreeSet<PathBuf>| paths.iter().map(|path| resolve(path)).collect();
        (self.power.read, self.power.write) = (each(&self.power.read), each(&self.power.write));
        self
    }

    /// Takes out the paths that `why` gives a reason against: before a delta is made, in which a wide path that cannot be
    /// given would hide a narrow one that can.
    #[must_use]
    pub fn without(mut self, mut why: impl FnMut(&Addition) -> Option<&'static str>) -> Wanted {
        let power = std::mem::take(&mut self.power);
        let writes = power.write.into_iter().map(Addition::Write);
        for addition in writes.chain(power.read.into_iter().map(Addition::Read)) {
            match (why(&addition), addition) {
                (Some(why), addition) => self.ignore(addition.to_string(), why),
                (None, Addition::Write(path)) => drop(self.power.write.insert(path)),
                (None, Addition::Read(path)) => drop(self.power.read.insert(path)),
                (None, Addition::Network | Addition::Unasked) => {}
            }
        }
        (self.power.network, self.power.unasked) = (power.network, power.unasked);
        self
    }

    fn paths(&mut self, key: &str, written: &[String], base: Base<'_>) -> BTreeSet<PathBuf> {
        let mut paths = BTreeSet::new();
        for text in written {
            match path::whole(text, base) {
                Ok(path) => drop(paths.insert(path)),
                Err(why) => self.ignore(format!("{key}: {text}"), why),
            }
        }
        paths
    }

    fn ignore(&mut self, what: String, why: &'static str) {
        self.ignored.push(Ignored { what, why });
    }
}

impl InForce {
    /// Returns what a profile would add, and what of it has no effect.
    pub fn delta(&self, wanted: &Wanted, mode: ProfileMode, source: ProfileSource) -> Delta {
        let mut ignored = wanted.ignored.clone();
        let mut added = self.missing(&wanted.power);
        if let Some(why) = mode.refuses(source) {
            ignored.extend(added.drain(..).map(|addition| Ignored { what: addition.to_string(), why }));
        }
        ignored.sort();
        ignored.dedup();
        Delta { added, ignored }
    }

    /// Returns what is in force after people consented to a delta.
    #[must_use]
    pub fn with(&self, delta: &Delta) -> InForce {
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

    /// Tells whether a path may be written.
    pub fn may_write(&self, path: &Path) -> bool {
        self.write.iter().any(|above| path.starts_with(above))
    }

    /// Tells whether a path may be read.
    pub fn may_read(&self, path: &Path) -> bool {
        self.may_write(path) || self.read.iter().any(|above| path.starts_with(above))
    }

    /// Returns what is wanted and not in force, sorted; what a wider path covers is not named again.
    fn missing(&self, wanted: &InForce) -> Vec<Addition> {
        let mut all = self.clone();
        let mut added = Vec::new();
        // A path sorts before everything below it.
        for path in &wanted.write {
            if !all.may_write(path) {
                all.write.insert(path.clone());
                added.push(Addition::Write(path.clone()));
            }
        }
        for path in &wanted.read {
            if !all.may_read(path) {
                all.read.insert(path.clone());
                added.push(Addition::Read(path.clone()));
            }
        }
        added.extend((wanted.network && !self.network).then_some(Addition::Network));
        added.extend((wanted.unasked && !self.unasked).then_some(Addition::Unasked));
        added
    }
}

#[cfg(test)]
mod tests;
