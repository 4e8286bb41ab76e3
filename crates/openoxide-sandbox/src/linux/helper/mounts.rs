//! Mounts the command's file system where there is no bubblewrap: read-only, with private `/tmp`, `/dev/shm` and `/proc`.
//!
//! Folders that the policy makes writable stay writable. Landlock decides what may be read; but it cannot protect a part
//! of a writable folder, nor keep the owner of a file from changing its mode. Mounts can.

use std::path::{Path, PathBuf};
use std::{ffi::OsString, io, os::fd::OwnedFd, os::unix::ffi::OsStringExt as _};

use rustix::fs::{CWD, StatVfsMountFlags};
use rustix::mount::{
    MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, mount, mount_bind, mount_change, mount_remount,
    move_mount, open_tree,
};

use super::step::{InLayer as _, LayerError};
use crate::linux::grant::{self, Access, Grant, Identity};
use crate::linux::{spec::Spec, visible_files};
use crate::system_paths;

/// Makes all mounts, and notes what each grant leads to from now on. Call this only in a mount namespace of our own.
pub(super) fn build(spec: &mut Spec) -> Result<(), LayerError> {
    let layer = "mounts";
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC).in_layer(layer)?;
    // The copies are made before anything is read-only or hidden.
    let copies: Vec<OwnedFd> = spec.grants.iter().map(copy).collect::<Result<_, _>>().in_layer(layer)?;
    read_only(Path::new("/")).in_layer("read-only mounts")?;
    private(spec).in_layer(layer)?;
    for (grant, copy) in spec.grants.iter_mut().zip(copies) {
        let at = |error: io::Error| format!("{}: {error}", grant.path().display());
        attach(grant, &copy).map_err(at).in_layer(layer)?;
        grant.identity = Identity::of(&copy).map_err(at).in_layer(layer)?;
    }
    Ok(())
}

fn copy(grant: &Grant) -> Result<OwnedFd, String> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC | OpenTreeFlags::AT_RECURSIVE;
    let open = || match &grant.copy {
        Some(copy) => Ok(open_tree(CWD, copy.as_os_str(), flags | OpenTreeFlags::AT_SYMLINK_NOFOLLOW)?),
        None => Ok(open_tree(grant.identity.open(grant.path())?, "", flags | OpenTreeFlags::AT_EMPTY_PATH)?),
    };
    open().map_err(|error: io::Error| format!("{}: {error}", grant.path().display()))
}

fn private(spec: &Spec) -> io::Result<()> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    in_memory(Path::new(system_paths::TEMP), flags, spec.limits.temporary())?;
    if Path::new(visible_files::SHARED_MEMORY).is_dir() {
        in_memory(Path::new(visible_files::SHARED_MEMORY), flags, spec.limits.shared_memory())?;
    }
    let locked = flags | MountFlags::NOEXEC | MountFlags::RDONLY;
    mount("proc", "/proc", "proc", locked, None::<&std::ffi::CStr>)?;
    let is_there = |path: &&&str| Path::new(path).exists();
    for folder in visible_files::HIDDEN_FOLDERS.iter().filter(is_there) {
        in_memory(Path::new(folder), locked, 4096)?;
    }
    for file in visible_files::HIDDEN_FILES.iter().filter(is_there) {
        mount_bind("/dev/null", *file)?;
    }
    Ok(())
}

/// Mounts a folder in memory that holds at most so many bytes.
fn in_memory(folder: &Path, flags: MountFlags, size: u64) -> io::Result<()> {
    // Names cost memory too.
    let names = (size / 4096).max(16);
    let options = std::ffi::CString::new(format!("size={size},nr_inodes={names},mode=0700"))?;
    Ok(mount("tmpfs", folder, "tmpfs", flags, options.as_c_str())?)
}

/// Mounts a copy where the grant is. A link put on the way would have it stand elsewhere, over the system's
/// libraries for instance.
fn attach(grant: &Grant, copy: &OwnedFd) -> io::Result<()> {
    let path = grant.path();
    let is_hidden = path.starts_with(system_paths::TEMP) && std::fs::symlink_metadata(path).is_err();
    let place = if is_hidden {
        make_mount_point(path, copy)?;
        grant::open(path)?
    } else {
        grant.identity.open(path)?
    };
    let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
    move_mount(copy, "", place, "", flags)?;
    match grant.access {
        Access::Write => Ok(()),
        Access::Read => read_only(path),
    }
}

/// Makes the file or folder that a mount below the private `/tmp` needs as its mount point.
fn make_mount_point(path: &Path, copy: &OwnedFd) -> io::Result<()> {
    let is_folder = rustix::fs::FileType::from_raw_mode(rustix::fs::fstat(copy)?.st_mode).is_dir();
    if is_folder {
        return std::fs::DirBuilder::new().recursive(true).create(path);
    }
    std::fs::DirBuilder::new().recursive(true).create(path.parent().unwrap_or(path))?;
    std::fs::File::create_new(path).map(drop)
}

/// Makes the mount at a path and all below it read-only.
fn read_only(path: &Path) -> io::Result<()> {
    let table = fs_err::read("/proc/self/mountinfo")?;
    for place in places(&table).filter(|place| place.starts_with(path)) {
        match remount(&place) {
            // Hidden behind another mount, or in a folder of another user: out of the command's reach as well.
            Ok(()) | Err(rustix::io::Errno::NOENT | rustix::io::Errno::ACCESS | rustix::io::Errno::NOTDIR) => {}
            Err(error) => return Err(io::Error::other(format!("{}: {error}", place.display()))),
        }
    }
    Ok(())
}

fn remount(place: &Path) -> rustix::io::Result<()> {
    let now = rustix::fs::statvfs(place)?.f_flag;
    let kept = [
        (StatVfsMountFlags::NOSUID, MountFlags::NOSUID),
        (StatVfsMountFlags::NODEV, MountFlags::NODEV),
        (StatVfsMountFlags::NOEXEC, MountFlags::NOEXEC),
        (StatVfsMountFlags::NOATIME, MountFlags::NOATIME),
        (StatVfsMountFlags::NODIRATIME, MountFlags::NODIRATIME),
        (StatVfsMountFlags::RELATIME, MountFlags::RELATIME),
    ];
    let kept = kept.iter().filter(|(flag, _)| now.contains(*flag)).map(|(_, flag)| *flag);
    // A mount that another namespace made has to keep its flags, or the kernel refuses the change.
    let flags = kept.fold(MountFlags::BIND | MountFlags::RDONLY, |flags, flag| flags | flag);
    mount_remount(place, flags, "")
}

/// Returns the mount points in the kernel's table.
fn places(table: &[u8]) -> impl Iterator<Item = PathBuf> {
    let field = |line: &[u8]| line.split(|byte| *byte == b' ').nth(4).map(unescaped);
    table.split(|byte| *byte == b'\n').filter_map(field)
}

/// Decodes octal escapes such as `\040`.
fn unescaped(field: &[u8]) -> PathBuf {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..3).filter(|digits| *first == b'\\' && digits.iter().all(u8::is_ascii_digit));
        let code = digits.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok());
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &after[3..] } else { after };
    }
    PathBuf::from(OsString::from_vec(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_mounts_are_read() {
        let table =
            b"22 1 8:1 / / rw - ext4 a b\n23 22 0:5 / /a\\040b\\134c rw - tmpfs x y\nbroken\n24 1 1:1 / /q\\09 rw\n";
        let found: Vec<PathBuf> = places(table).collect();
        assert_eq!(found, [PathBuf::from("/"), PathBuf::from("/a b\\c"), PathBuf::from("/q\\09")]);
    }
}
