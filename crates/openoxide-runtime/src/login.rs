//! A login to a server of tools, by OAuth 2.1, in steps that the driver takes.
//!
//! ```text
//! probe ─▶ resource metadata ─▶ issuer metadata ─▶ ask ─▶ listen ─▶ register ─▶ wait ─▶ exchange
//! ```
//!
//! Nothing here sends or waits. The driver sends the requests, opens a place for the browser to come back to, shows the
//! page, and hands back what the browser brought. So a terminal, a server and a test drive the same login. The token
//! stays in the memory of the conversation.

mod challenge;
mod error;
mod http;
mod machine;
mod metadata;
mod offer;
mod step;

pub use error::LoginError;
pub use http::{Request, Response};
pub(crate) use machine::{Login, Turn};
pub use metadata::ServerAddress;
pub use step::{Callback, LoginReply, LoginStep, Returned};
