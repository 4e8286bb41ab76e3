//! A login to a server of tools, by OAuth 2.1, in steps that the driver takes.
//!
//! ```text
//! probe ─▶ resource metadata ─▶ issuer metadata ─▶ ask ─▶ listen ─▶ register ─▶ wait ─▶ exchange
//! ```
//!
//! Nothing here sends or waits. The driver sends the requests, opens a place for the browser to come back to, shows the
//! page, and brings back what the browser brought: a terminal does that with [`Online`], a server with what it has.
//! The token stays in the conversation's memory.

mod callback;
mod challenge;
mod error;
mod http;
mod machine;
mod metadata;
mod offer;
mod online;
mod step;

pub use callback::{Callback, Returned};
pub use error::LoginError;
pub use http::{Method, Request, Response};
pub(crate) use machine::{Login, Turn};
pub use online::Online;
pub use step::{LoginReply, LoginStep};
