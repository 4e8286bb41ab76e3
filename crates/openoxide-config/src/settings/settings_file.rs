//! A file of settings that can be written, and its owner.

use std::path::{Path, PathBuf};

/// The owner of the settings that a change is written to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SettingsOwner {
    /// The user.
    #[default]
    User,
    /// The project. Its settings are active once the project is trusted.
    Project,
}

/// A file of settings and its owner.
///
/// A project's file came with the project, so a link in its place is not followed: it could lead anywhere. The user's
/// file may be a link.
#[derive(Clone, Copy, Debug)]
pub struct SettingsFile<'p> {
    /// The path.
    pub path: &'p Path,
    /// The owner.
    pub owner: SettingsOwner,
}

impl<'p> From<&'p Path> for SettingsFile<'p> {
    fn from(path: &'p Path) -> SettingsFile<'p> {
        SettingsFile { path, owner: SettingsOwner::User }
    }
}

impl<'p> From<&'p PathBuf> for SettingsFile<'p> {
    fn from(path: &'p PathBuf) -> SettingsFile<'p> {
        SettingsFile::from(path.as_path())
    }
}
