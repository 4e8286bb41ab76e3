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
        let delta = self.profile(entry);
        match profile_lines(&delta) {
            lines if lines.is_empty() => delta.ignored.iter().map(|ignored| format!("no effect: {ignored}")).collect(),
            lines => lines,
        }
    }

    /// Looks at everything that a skill of the catalog would get.
    pub fn inspect(&self, entry: &Entry) -> Result<Inspection, InspectionError> {
        let session = Session::default();
        let read = |caller| {
            let call = Call::plain(&*entry.skill.name, caller);
            load(self, &session, call, entry.clone()).map_err(InspectionError::Refused)
        };
        let (user, model) = (read(Caller::User)?, read(Caller::Model)?);
        model.snapshot.map_err(InspectionError::NoDigest)?;
        let files = user.snapshot.map_err(InspectionError::NoDigest)?.files;
        let profile = RequestedPermission::new(PermissionKind::Profile, profile_lines(&user.profile), Vec::new());
        let profile = Some(profile).filter(|profile| !profile.actions.is_empty());
        let mut permissions = Vec::new();
        for permission in user.requested.into_iter().chain(profile).chain(model.requested) {
            if !permissions.contains(&permission) {
                permissions.push(permission);
            }
        }
        Ok(Inspection { digest: user.digest, files, permissions, variables: givable_variables(entry) })
    }
}
