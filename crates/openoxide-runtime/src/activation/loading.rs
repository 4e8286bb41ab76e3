//! A skill as it was read for one call, on its way through the stages of an activation.

use std::path::PathBuf;

use openoxide_config::PermissionKind;
use openoxide_permissions::GrantDelta;
use openoxide_sandbox::PrivateFolder;
use openoxide_skills::expand::{Arguments, Expanded, ShellPiece, Variables};
use openoxide_skills::resource::{FolderSnapshot, ForeignPart, SkillDir, SnapshotError};
use openoxide_skills::{catalog::Entry, envelope::Message, parse::Parsed};
use serde_json::{Map, Value};

use crate::{Call, RequestedPermission};

/// A skill that was read.
pub(crate) struct Loading {
    pub(crate) call: Call,
    pub(crate) entry: Entry,
    /// Its folder, held open.
    pub(crate) dir: SkillDir,
    /// Everything in it, or why it cannot be digested; without a digest it gets no permission.
    pub(crate) snapshot: Result<FolderSnapshot, SnapshotError>,
    /// What of it another user owned or could write to when it was read. Such a skill does not get files of the project: the
    /// other user would have them sent.
    pub(crate) foreign: Option<ForeignPart>,
    /// The digest of its folder; empty if there is none.
    pub(crate) digest: String,
    pub(crate) parsed: Parsed,
    /// Everything that the frontmatter says, if that can be written as JSON.
    pub(crate) written: Option<Map<String, Value>>,
    /// The part that is sent, before anything is put into it.
    pub(crate) content: String,
    pub(crate) arguments: Option<Arguments>,
    /// What is known of the call.
    pub(crate) variables: Variables,
    /// The messages, where the host puts arguments and output into finished ones.
    pub(crate) drawn: Vec<Message>,
    /// The text with places for the output of commands.
    pub(crate) expanded: Expanded,
    /// What it would do beyond being read.
    pub(crate) requested: Vec<RequestedPermission>,
    /// What of that it may.
    pub(crate) granted: Vec<RequestedPermission>,
    /// What takes the place of each command, in order.
    pub(crate) outputs: Vec<String>,
    /// What its permission profile would add to what is in force.
    pub(crate) profile: GrantDelta,
    /// Files of its folder that are named with it.
    pub(crate) files: Vec<String>,
    /// What did not go as it should have.
    pub(crate) troubles: Vec<String>,
    pub(crate) cut: Option<u64>,
    /// The copy that commands see; it goes when this does.
    pub(crate) copy: Option<PrivateFolder>,
}

impl Loading {
    pub(crate) fn name(&self) -> String {
        self.entry.skill.name.to_string()
    }

    /// Puts texts in the place of commands, where nothing runs.
    pub(crate) fn replace_commands(&mut self, text: impl Fn(&ShellPiece) -> String) {
        self.outputs = self.expanded.commands().map(text).collect();
    }

    /// Returns the text with everything in its place.
    pub(crate) fn text(&self) -> String {
        self.expanded.assemble(&self.outputs)
    }

    /// Tells whether it may do this very thing, such as run a command.
    pub(crate) fn may_run(&self, kind: PermissionKind, item: &str) -> bool {
        self.granted.iter().any(|permission| permission.kind == kind && permission.holds(item))
    }

    /// Returns the variables that what it runs gets, by name.
    pub(crate) fn variables_for(&self, kind: PermissionKind) -> Vec<String> {
        let granted = self.granted.iter().filter(|permission| permission.kind == kind);
        granted.flat_map(|permission| &permission.variables).cloned().collect()
    }

    /// Returns what was said with the call, as one text.
    pub(crate) fn raw_arguments(&self) -> Option<&str> {
        self.arguments.as_ref().map(|arguments| arguments.raw.as_str())
    }

    /// Returns a copy of exactly the bytes that were digested.
    pub(crate) fn private_copy(&mut self) -> Result<PathBuf, String> {
        if let Some(copy) = &self.copy {
            copy.check().map_err(|error| error.to_string())?;
            return Ok(copy.path().to_owned());
        }
        let snapshot = self.snapshot.as_ref().map_err(ToString::to_string)?;
        let copy = PrivateFolder::new().map_err(|error| format!("a private copy cannot be made: {error}"))?;
        self.dir.copy_to(snapshot, &copy).map_err(|error| error.to_string())?;
        Ok(self.copy.insert(copy).path().to_owned())
    }
}
