//! Gives a command a copy of each folder that it may write, and afterwards makes those of its changes that are permitted.
//!
//! The copy is an overlay: the folder itself below, which is never written to, and an empty folder above, which takes what
//! the command writes. What a command may write is decided by what it did, when it has ended: by then every name, link
//! and mode is known, and nothing obeys any of it yet.

mod apply;
mod judge;
mod obeyed;
mod upper;

use std::ffi::OsString;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::PathBuf;
use std::{fs::DirBuilder, io};

use rustix::fs::{Mode, OFlags};

use self::apply::Time;
use super::grant::{Access, Grant, Identity};
use crate::{Change, Policy, PrivateFolder, SandboxError};

/// The folders of a layer: the one that takes what is written, and one that the kernel works in.
pub(super) const UPPER: &str = "upper";
pub(super) const WORK: &str = "work";
/// Where the copy of the folder is mounted, out of reach of others.
pub(super) const COPY: &str = "copy";

/// The copies that a command works on. They are removed when this is dropped.
pub(super) struct Layers {
    all: Vec<Layer>,
    /// When the copies were made. What changed later in the real folder was changed by another process.
    made: Time,
    // Held for its destructor.
    _folder: Option<PrivateFolder>,
}

struct Layer {
    /// The folder that the command may write.
    real: PathBuf,
    identity: Identity,
    /// The same, opened before the command runs.
    open: OwnedFd,
    /// Where the layer is.
    place: PathBuf,
}

impl Layers {
    /// Makes a layer for each folder that a command may write.
    pub(super) fn make(grants: &[Grant]) -> Result<Self, SandboxError> {
        let mut writable = grants.iter().filter(|grant| grant.access == Access::Write).peekable();
        if writable.peek().is_none() {
            return Ok(Self { all: Vec::new(), made: (0, 0), _folder: None });
        }
        let folder = PrivateFolder::new()?;
        let layers = writable.enumerate();
        let all: Vec<Layer> = layers
            .map(|(index, grant)| Layer::make(grant, folder.path().join(index.to_string())))
            .collect::<Result<_, _>>()?;
        let last = folder.path().join("made");
        DirBuilder::new().mode(0o700).create(&last)?;
        let made = changed(&std::fs::symlink_metadata(&last)?);
        Ok(Self { all, made, _folder: Some(folder) })
    }

    /// Returns the arguments by which the helper mounts the layers: each folder, which one it is, and where its layer is.
    pub(super) fn arguments(&self) -> impl Iterator<Item = OsString> {
        let arguments =
            |layer: &Layer| [layer.real.clone().into(), layer.identity.to_string().into(), layer.place.clone().into()];
        self.all.iter().flat_map(arguments)
    }

    /// Returns the grants with the copies that the command gets.
    pub(super) fn with_copies(&self, grants: &[Grant]) -> Vec<Grant> {
        let copy = |grant: &Grant| self.all.iter().find(|layer| layer.real == grant.path());
        let copy = |grant: &Grant| copy(grant).map(|layer| layer.place.join(COPY).into());
        grants.iter().map(|grant| Grant { copy: copy(grant), ..grant.clone() }).collect()
    }

    /// Makes the changes that are permitted in the real folders, and returns all of them.
    pub(super) fn apply(self, policy: &Policy) -> Vec<Change> {
        let mut changes = Vec::new();
        for layer in &self.all {
            let upper = layer.place.join(UPPER);
            changes.extend(apply::apply(policy, self.made, &layer.real, layer.open.as_fd(), &upper));
        }
        changes
    }
}

impl Layer {
    fn make(grant: &Grant, place: PathBuf) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let open = rustix::fs::openat(grant.identity.open(grant.path())?, ".", flags, Mode::empty())?;
        let upper = place.join(UPPER);
        for folder in [&place, &upper, &place.join(WORK), &place.join(COPY)] {
            DirBuilder::new().mode(0o700).create(folder)?;
        }
        // The command sees the mode of the upper folder as that of the real one.
        let mode = rustix::fs::fstat(&open)?.st_mode & 0o777;
        std::fs::set_permissions(&upper, std::fs::Permissions::from_mode(mode | 0o700))?;
        Ok(Self { real: grant.path().to_owned(), identity: grant.identity, open, place })
    }
}

fn changed(found: &std::fs::Metadata) -> Time {
    (found.ctime(), found.ctime_nsec())
}
