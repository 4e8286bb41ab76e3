//! A skill as it would be after changes that are not made yet.

use std::collections::BTreeMap;
use std::path::Path;

/// Changes to a skill that are not made yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Draft {
    /// The new name of its folder.
    pub folder: Option<String>,
    /// The present name of a skill file, and the new one.
    pub file: Option<(String, String)>,
    /// The new text of skill files, by their present names.
    pub texts: BTreeMap<String, Vec<u8>>,
}

impl Draft {
    /// Returns the name that the folder has then.
    pub(super) fn folder_name(&self, dir: &Path) -> String {
        let present = || dir.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.folder.clone().unwrap_or_else(present)
    }

    /// Returns the name that a file has on the disk now.
    pub fn present_name<'d>(&'d self, file: &'d str) -> &'d str {
        match &self.file {
            Some((present, new)) if new == file => present,
            _ => file,
        }
    }

    /// Returns the names that files have then.
    pub(super) fn renamed(&self, mut names: Vec<String>) -> Vec<String> {
        if let Some((present, new)) = &self.file {
            names.iter_mut().filter(|name| *name == present).for_each(|name| name.clone_from(new));
        }
        names
    }

    /// Returns the text that a file has then, if it is changed.
    pub(super) fn text(&self, file: &str) -> Option<&[u8]> {
        self.texts.get(self.present_name(file)).map(Vec::as_slice)
    }
}
