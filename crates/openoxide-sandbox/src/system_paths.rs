//! The system's folders that a policy knows: programs, the kernel's, and the private ones.

/// Where programs are looked up. It never depends on our own environment and has no relative element.
pub const PATH: &str = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";

/// The private folder for temporary files.
pub(crate) const TEMP: &str = "/tmp";

/// The private home.
pub(crate) const HOME: &str = "/tmp/home";

/// Folders of programs and libraries, which every command sees. Some of them are links on some systems.
pub const PROGRAMS: &[&str] =
    &["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store"];

/// Folders of the kernel. They hold no files of a user, so nothing in them can be granted to a command.
pub(crate) const KERNEL: &[&str] = &["/proc", "/sys", "/dev"];
