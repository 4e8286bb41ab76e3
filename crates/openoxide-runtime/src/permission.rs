//! Permissions: what a skill requests, what the user granted, and the sandbox policy that follows from both.

mod allowed_tools;
mod grant;
mod inspect;
mod paths;
mod profile;
mod protected_paths;
mod requested;
mod worktree;

pub(crate) use grant::requested_permissions;
pub use inspect::{Inspection, InspectionError};
pub(crate) use paths::real;
pub(crate) use profile::profile_lines;
pub use requested::{HookCommand, RequestedPermission, variable_item};
