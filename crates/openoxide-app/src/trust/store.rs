//! Opens the store of what is trusted.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use openoxide_config::{Timestamp, Trust, TrustError, Workspace};

use crate::error::Error;

pub(super) fn open_store(workspace: &Workspace) -> Result<(Trust, PathBuf), Error> {
    let trust = Trust::open(&workspace.environment);
    let path = trust.path().map(Path::to_owned).ok_or(TrustError::NoHome)?;
    Ok((trust, path))
}

pub(super) fn now() -> Timestamp {
    Timestamp::from(SystemTime::now())
}
