//! Inspects which permissions a skill would request, without calling it.

use openoxide_skills::catalog::Entry;
use openoxide_skills::host::Caller;
use openoxide_skills::resource::{FileDigest, SnapshotError};

use super::profile::profile_lines;
use super::requested::RequestedPermission;
use crate::activation::load;
use crate::call::{Call, CallArguments, Refusal};
use crate::runtime::Runtime;
use crate::session::Session;

/// What a skill would get, and the bytes that ask for it.
#[derive(Clone, Debug)]
pub struct Inspection {
    /// The digest of everything in its folder.
    pub digest: String,
    /// The files in it.
    pub files: Vec<FileDigest>,
    /// The permissions that it requests, for any caller.
    pub permissions: Vec<RequestedPermission>,
    /// The variables that its scripts would get too, by name.
    pub variables: Vec<String>,
}

/// Why a skill cannot be looked at.
#[derive(Debug)]
pub enum InspectionError {
    /// It cannot be read.
    Refused(Refusal),
    /// It has no digest, and so it can have no permission.
    NoDigest(SnapshotError),
}

impl Runtime {
    /// Says what a skill's permission profile would add to what is in force, and what of it has no effect, line by line.
    pub fn inspect_profile(&self, entry: &Entry) -> Vec<String> {
        let delta = self.profile(&Session::new(""), entry);
        match profile_lines(&delta) {
            lines if lines.is_empty() => delta.ignored.iter().map(|ignored| format!("no effect: {ignored}")).collect(),
            lines => lines,
        }
    }

    /// Looks at everything that a skill of the catalog would get.
    pub fn inspect(&self, entry: &Entry) -> Result<Inspection, InspectionError> {
        let mut look: Option<Inspection> = None;
        for caller in [Caller::User, Caller::Model] {
            let call = Call { skill: entry.skill.name.to_string(), caller, arguments: CallArguments::Nothing };
            let loading = load(self, &Session::new(""), &call, entry).map_err(InspectionError::Refused)?;
            let snapshot = loading.snapshot.map_err(InspectionError::NoDigest)?;
            let look = look.get_or_insert_with(|| Inspection {
                digest: snapshot.digest.to_string(),
                files: snapshot.files,
                permissions: Vec::new(),
                variables: crate::dependency::givable_variables(entry),
            });
            let profile = RequestedPermission::Profile(profile_lines(&loading.profile));
            let all = loading.requested.into_iter().chain(std::iter::once(profile));
            let all = all.filter(|permission| !permission.items().is_empty());
            let new = all.filter(|permission| !look.permissions.contains(permission));
            look.permissions.extend(new.collect::<Vec<_>>());
        }
        // There are two callers, so that there is a look.
        look.ok_or(InspectionError::NoDigest(SnapshotError::NoManifest(String::new())))
    }
}
