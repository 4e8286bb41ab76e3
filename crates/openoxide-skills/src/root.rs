//! Roots: the folders that a host searches, resolved for one project and user.

mod dormant;
mod folder;
mod resolve;
mod surroundings;

pub(crate) use dormant::sleeping_roots;
pub use folder::Root;
pub use resolve::resolve_roots;
pub(crate) use resolve::roots_off;
pub use surroundings::Surroundings;
