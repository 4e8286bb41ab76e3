//! Skills as servers list them.

use std::sync::Arc;

use openoxide_runtime::RemoteOffer;
use openoxide_skills::host::Caller;

use crate::entry::Entry;
use crate::error::RemoteError;
use crate::name::SkillId;
use crate::verify::Mismatch;

/// A skill that a server offers, with the entry that everything of it is held against.
#[derive(Clone, Debug, PartialEq)]
pub struct ServerSkill {
    /// Which one.
    pub id: SkillId,
    /// What the server said of it.
    pub entry: Arc<Entry>,
}

impl ServerSkill {
    /// Returns what a decision about it needs, for a caller.
    pub fn offer(&self, caller: Caller) -> RemoteOffer {
        RemoteOffer {
            name: self.id.to_string(),
            server: self.id.server.clone(),
            uri: self.id.uri.to_string(),
            about: self.entry.description.clone(),
            size: self.entry.size(),
            digest: self.entry.digest(),
            callable: self.entry.is_for(caller),
        }
    }

    /// Returns the address that a path in its folder, or an address itself, means.
    pub(crate) fn address(&self, wanted: &str) -> Result<String, Mismatch> {
        let uri = match wanted.contains(':') {
            true => self.id.uri.file(wanted).map(|_| wanted.to_owned()),
            false => self.id.uri.of_file(wanted),
        };
        uri.map_err(|_| Mismatch::Unlisted)
    }
}

/// A skill whose own file was fetched and is what was listed.
#[derive(Clone, Debug, PartialEq)]
pub struct Verified {
    /// The skill.
    pub skill: ServerSkill,
    /// What its file says.
    pub text: String,
}

/// What servers offer, and what of it cannot be used.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RemoteListing {
    /// Skills, by server and address.
    pub skills: Vec<ServerSkill>,
    /// What is wrong, by server.
    pub problems: Vec<RemoteError>,
}
