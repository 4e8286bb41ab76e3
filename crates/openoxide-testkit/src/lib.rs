//! Helpers for tests: a file tree written in one string, and a context that owns a scratch home and project.
//!
//! ```
//! use openoxide_testkit::TestContext;
//!
//! let context = TestContext::new();
//! context.skill("pdf", "Fills in forms").tree("//- home/note.txt\nhello\n");
//! assert!(context.project().join(".agents/skills/pdf/SKILL.md").is_file());
//! assert!(context.home().join("note.txt").is_file());
//! ```

mod access_list;
mod context;
mod fixture;
pub mod mcp;
pub mod model;
mod request;

pub use access_list::let_user;
pub use context::{Output, TestContext};
pub use fixture::Fixture;
