//! Asks whether an access control list says who may write, beside the mode of a file.

use std::os::fd::BorrowedFd;
use std::path::Path;

/// Tells whether a file or folder has a list. One that cannot be asked for counts as there.
#[cfg(target_os = "linux")]
pub(crate) fn of_path(path: &Path) -> bool {
    is_there(rustix::fs::getxattr(path, LIST, &mut [0_u8; 0]))
}

/// Tells the same of what is open.
#[cfg(target_os = "linux")]
pub(crate) fn of_open(fd: BorrowedFd<'_>) -> bool {
    is_there(rustix::fs::fgetxattr(fd, LIST, &mut [0_u8; 0]))
}

/// The attribute that holds the list.
#[cfg(target_os = "linux")]
const LIST: &std::ffi::CStr = c"system.posix_acl_access";

#[cfg(target_os = "linux")]
fn is_there(size: rustix::io::Result<usize>) -> bool {
    use rustix::io::Errno;
    !matches!(size, Err(Errno::NODATA | Errno::OPNOTSUPP | Errno::NOSYS))
}

/// Elsewhere lists are kept in another way, and are not part of the mode.
#[cfg(not(target_os = "linux"))]
pub(crate) fn of_path(_: &Path) -> bool {
    false
}

/// Elsewhere lists are kept in another way, and are not part of the mode.
#[cfg(not(target_os = "linux"))]
pub(crate) fn of_open(_: BorrowedFd<'_>) -> bool {
    false
}
