//! A skill as a server lists it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use openoxide_runtime::RemoteOffer;
use openoxide_skills::host::Caller;

use crate::{FetchError, entry::Entry, uri::SkillUri, verify::Mismatch};

/// A skill that a server offers, with the entry that everything of it is checked against.
///
/// It is shown and called as `mcp:SERVER/PATH`. Several servers may use the same address.
#[derive(Clone, Debug, PartialEq)]
pub struct ServerSkill {
    /// The name of the server in the user's settings.
    pub server: String,
    pub(crate) entry: Arc<Entry>,
}

impl fmt::Display for ServerSkill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let uri = self.uri();
        write!(f, "mcp:{}/{}", self.server, if uri.is_plain() { uri.path() } else { uri.root() })
    }
}

impl ServerSkill {
    pub(crate) fn uri(&self) -> &SkillUri {
        &self.entry.uri
    }

    /// Returns what a decision about it needs, for a caller.
    pub fn offer(&self, caller: Caller) -> RemoteOffer {
        RemoteOffer {
            name: self.to_string(),
            server: self.server.clone(),
            uri: self.uri().to_string(),
            about: self.entry.description.clone(),
            size: self.entry.size(),
            digest: self.entry.digest(),
            callable: self.entry.is_for(caller),
        }
    }

    /// Returns the address that a path in its folder, or an address itself, means.
    pub(crate) fn address(&self, path: &str) -> Result<String, Mismatch> {
        let uri = match path.contains(':') {
            true => self.uri().file(path).map(|_| path.to_owned()),
            false => self.uri().of_file(path),
        };
        uri.map_err(|_| Mismatch::Unlisted)
    }
}

/// What servers offer, and what of it cannot be used.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RemoteListing {
    /// Skills, by server and address.
    pub skills: Vec<ServerSkill>,
    /// What is wrong, by server.
    pub problems: Vec<FetchError>,
    /// The problems that are bad entries, by address.
    pub(crate) bad_entries: BTreeMap<String, FetchError>,
}
