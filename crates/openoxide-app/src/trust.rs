//! Use case: trusts projects, shows and revokes what is trusted, and gives a skill permissions.

mod folders;
mod grant;
mod list;
mod look;
mod revoke;
mod store;

pub use folders::{FolderEvent, FoldersTrusted, holds_home, trust_folders};
pub use grant::{GrantRequest, Requested, grant, request};
pub use list::{RevokeBy, list};
pub use revoke::{RevokeEvent, Revoked, revoke};
