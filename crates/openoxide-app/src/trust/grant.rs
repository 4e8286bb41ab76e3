//! Gives a skill permissions, for its files as they are now.

use std::path::PathBuf;

use openoxide_config::{ApprovalState, Grant, PermissionKind, Timestamp, TrustRecord, Workspace};
use openoxide_live::Snapshot;
use openoxide_skills::text::path_text;
use openoxide_wire::ChangeLine;

use super::look::look;
use super::store::{now, open_store};
use crate::error::Error;
use crate::find::find;

/// The permissions that a skill asks for. Everything in it has to be shown before it is granted: what is not shown is not
/// given.
#[derive(Clone, Debug)]
pub struct GrantRequest {
    /// The skill's name.
    pub name: String,
    /// The skill's file, without links.
    pub skill: PathBuf,
    /// The digest of everything in its folder.
    pub digest: String,
    /// Each permission, with everything that it would allow.
    pub permissions: Vec<(PermissionKind, Vec<String>)>,
    /// When permission was given to other bytes of the same skill.
    pub changed_since: Option<Timestamp>,
}

/// What a skill asks for.
#[derive(Clone, Debug)]
pub enum Requested {
    /// Nothing.
    Nothing,
    /// Only what it has already.
    Granted,
    /// Something that it does not have.
    New(GrantRequest),
}

/// Returns what a skill asks for; with `wanted`, only of these kinds.
pub fn request(snapshot: &Snapshot, skill: &str, wanted: &[PermissionKind]) -> Result<(String, Requested), Error> {
    let runtime = snapshot.runtime()?;
    let entry = find(&snapshot.workspace, runtime.catalog(), skill)?[0];
    let (name, skill, look) = (entry.skill.name.to_string(), entry.canonical().to_owned(), look(runtime, entry)?);
    let is_wanted = |kind: PermissionKind| wanted.is_empty() || wanted.contains(&kind);
    let permissions: Vec<(PermissionKind, Vec<String>)> =
        look.permissions.into_iter().filter(|(kind, _)| is_wanted(*kind)).collect();
    let (trust, _) = open_store(&snapshot.workspace)?;
    let lacks = |kind: PermissionKind, item: &str| {
        trust.approval_for(&skill, &look.digest, kind, item) != ApprovalState::Approved
    };
    if !permissions.iter().any(|(kind, items)| items.iter().any(|item| lacks(*kind, item))) {
        return Ok((name, if permissions.is_empty() { Requested::Nothing } else { Requested::Granted }));
    }
    let changed_since = permissions.iter().find_map(|(kind, _)| match trust.approval(&skill, &look.digest, *kind) {
        ApprovalState::Changed { since } => Some(since),
        ApprovalState::Approved | ApprovalState::NotApproved => None,
    });
    let digest = look.digest;
    Ok((name.clone(), Requested::New(GrantRequest { name, skill, digest, permissions, changed_since })))
}

/// Grants what was requested, and shown.
pub fn grant(workspace: &Workspace, request: GrantRequest) -> Result<Vec<ChangeLine>, Error> {
    let (mut trust, file) = open_store(workspace)?;
    let mut changes = Vec::new();
    for (permission, shown) in request.permissions {
        let (skill, digest) = (request.skill.clone(), request.digest.clone());
        let target = format!("{} {}", path_text(&skill), permission.as_str());
        if trust.add(TrustRecord::Grant(Grant { skill, digest, permission, shown, at: now() }))? {
            changes.push(ChangeLine::new("grant", &file, Some(target)));
        }
    }
    Ok(changes)
}
