//! Permissions: what a skill requests, what the user granted, and the sandbox policy that follows from both.

mod allowed_tools;
mod grant;
mod inspect;
mod profile;
mod protected_paths;
mod requested;
mod worktree;

pub use inspect::{Inspection, InspectionError};
pub(crate) use profile::{profile_lines, profile_refusal};
pub use requested::{RequestedAction, RequestedPermission, variable_item};
