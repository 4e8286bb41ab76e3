//! Use case: trusts projects, shows and revokes what is trusted, and gives a skill permissions.

mod folders;
mod grant;
mod list;
mod revoke;
mod store;

pub use folders::{FoldersTrusted, holds_home, trust_folders};
pub use grant::{GrantRequest, grant, request};
pub use list::list;
pub use revoke::{Revoked, revoke};
