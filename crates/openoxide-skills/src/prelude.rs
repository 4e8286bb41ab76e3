//! The names that an embedder needs first: `use openoxide_skills::prelude::*`.

pub use crate::catalog::{Catalog, Depth, Entry, Status, View, load};
pub use crate::diagnostic::{Code, Diagnostic};
pub use crate::host::{Host, HostError, HostSpec, Hosts};
pub use crate::render::{Model, Prompt, render};
pub use crate::root::Surroundings;
pub use crate::settings::HostSettings;
pub use crate::skill::{SkillMetadata, SkillScope};
