//! The user who runs this program, and root.

/// Returns the number of the user who runs this program.
pub fn this_user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Tells whether an owner is root or this user.
pub fn is_root_or(user: u32, owner: u32) -> bool {
    owner == 0 || owner == user
}
