//! Gives a user rights by an access control list, as `setfacl` does.

use std::path::Path;

/// Adds an entry for a user to the rights that the mode of a file or folder gives: 4 to read, 2 to write, 1 to execute. Returns
/// whether the disk, and the system, have such lists.
///
/// # Panics
///
/// If there is no such file.
#[cfg(target_os = "linux")]
pub fn let_user(path: &Path, user: u32, rights: u16) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let mode = fs_err::metadata(path).expect("the file is there").mode();
    let of = |class: u32| u16::try_from((mode >> class) & 7).expect("three bits");
    // Tags in the order that the system asks for: owner, a user, the group, the most that both may, everyone else.
    let entries = [
        (0x01, of(6), u32::MAX),
        (0x02, rights, user),
        (0x04, of(3), u32::MAX),
        (0x10, of(3) | rights, u32::MAX),
        (0x20, of(0), u32::MAX),
    ];
    let mut list = 2_u32.to_le_bytes().to_vec();
    for (tag, rights, id) in entries {
        list.extend([u16::to_le_bytes(tag), u16::to_le_bytes(rights)].concat());
        list.extend(u32::to_le_bytes(id));
    }
    rustix::fs::setxattr(path, c"system.posix_acl_access", &list, rustix::fs::XattrFlags::empty()).is_ok()
}

/// Elsewhere there are none.
#[cfg(not(target_os = "linux"))]
pub fn let_user(_: &Path, _: u32, _: u16) -> bool {
    false
}
