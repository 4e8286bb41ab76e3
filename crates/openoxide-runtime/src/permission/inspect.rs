//! Inspects which permissions a skill would request, without calling it.

use openoxide_config::PermissionKind;
use openoxide_skills::resource::{FileDigest, SnapshotError};
use openoxide_skills::{catalog::Entry, host::Caller};

use super::profile::profile_lines;
use crate::{Call, Refusal, RequestedPermission, Runtime, Session, activation::load, dependency::givable_variables};

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
        let mut inspection: Option<Inspection> = None;
        for caller in [Caller::User, Caller::Model] {
            let call = Call::plain(&*entry.skill.name, caller);
            let loading = load(self, &Session::new(""), call, entry.clone()).map_err(InspectionError::Refused)?;
            let snapshot = loading.snapshot.map_err(InspectionError::NoDigest)?;
            let inspection = inspection.get_or_insert_with(|| Inspection {
                digest: loading.digest,
                files: snapshot.files,
                permissions: Vec::new(),
                variables: givable_variables(entry),
            });
            let profile =
                RequestedPermission::new(PermissionKind::Profile, profile_lines(&loading.profile), Vec::new());
            let profile = Some(profile).filter(|profile| !profile.actions.is_empty());
            for permission in loading.requested.into_iter().chain(profile) {
                if !inspection.permissions.contains(&permission) {
                    inspection.permissions.push(permission);
                }
            }
        }
        // There are two callers, so that there is an inspection.
        inspection.ok_or(InspectionError::NoDigest(SnapshotError::NoManifest(String::new())))
    }
}
