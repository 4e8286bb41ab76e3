//! The places of the system that a policy knows: programs, what is the kernel's, and the private folders.

/// Where programs are looked up. It never depends on our own environment, and has no relative element.
pub const PATH: &str = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";

/// The private folder for temporary files.
pub(crate) const TEMP: &str = "/tmp";

/// The private home.
pub(crate) const HOME: &str = "/tmp/home";

/// Folders of programs and libraries, some of which are links on some systems.
pub(crate) const PROGRAMS: &[&str] =
    &["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store"];

/// Folders that are no place for files of a user, so that nothing in them is given to a command.
pub(crate) const KERNEL: &[&str] = &["/proc", "/sys", "/dev"];
