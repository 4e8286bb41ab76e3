//! Mounts the layers: for each writable folder, a copy of it that takes what is written.

use std::ffi::{CString, OsString};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::{io, path::Path};

use rustix::mount::{MountFlags, mount};

use super::step::{InLayer as _, LAYER, LayerError};
use crate::linux::grant::{self, Identity};
use crate::linux::layer::{COPY, UPPER, WORK};

/// Mounts every layer: `(FOLDER IDENTITY PLACE)…`. Call this only in user and mount namespaces of our own.
pub(super) fn mount_all(layers: &[OsString]) -> Result<(), LayerError> {
    layers.chunks(3).try_for_each(|layer| match layer {
        [folder, identity, place] => mount_one(Path::new(folder), identity, Path::new(place)).in_layer(LAYER),
        _ => Err("arguments are missing").in_layer("helper"),
    })
}

fn mount_one(folder: &Path, identity: &OsString, place: &Path) -> io::Result<()> {
    let identity: Identity = identity.to_str().unwrap_or_default().parse()?;
    let (lower, upper) = (identity.open(folder)?, grant::open(&place.join(UPPER))?);
    let work = grant::open(&place.join(WORK))?;
    // By descriptor: it cannot be exchanged, and in a path some characters separate folders. What is written here need not
    // survive a crash of the machine.
    let at = |file: &OwnedFd| format!("/proc/self/fd/{}", file.as_raw_fd());
    let (lower, upper, work) = (at(&lower), at(&upper), at(&work));
    let options = format!("lowerdir={lower},upperdir={upper},workdir={work},userxattr,volatile");
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    Ok(mount("overlay", place.join(COPY), "overlay", flags, CString::new(options)?.as_c_str())?)
}
