//! Use case: trusts projects, shows and revokes what is trusted, and gives a skill permissions.

mod folders;
mod grant;
mod list;
mod look;
mod revoke;

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use openoxide_config::{Timestamp, Trust, TrustError, Workspace};

use crate::error::Error;

pub use folders::{FolderEvent, FoldersTrusted, holds_home, trust_folders};
pub use grant::{GrantRequest, Requested, grant, request};
pub use list::{RevokeBy, list};
pub use revoke::{RevokeEvent, Revoked, revoke};

/// Returns the store of what is trusted, and its file.
fn open_store(workspace: &Workspace) -> Result<(Trust, PathBuf), Error> {
    let trust = Trust::open(&workspace.environment);
    let path = trust.path().map(Path::to_owned).ok_or(TrustError::NoHome)?;
    Ok((trust, path))
}

fn now() -> Timestamp {
    Timestamp::from(SystemTime::now())
}
