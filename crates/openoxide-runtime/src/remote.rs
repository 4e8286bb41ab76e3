//! Skills of MCP servers: a source behind the same operations as skills of folders.
//!
//! The runtime talks to no server. What an operation needs of one is a [`Fetch`] step; the driver asks the server and
//! resumes the operation with the reply.

mod access;
mod call;
mod envelope;
mod fetch;
mod name;
mod rules;

pub(crate) use access::{RemoteAccess, RemoteRefusal};
pub(crate) use call::RemoteCall;
pub use envelope::carry;
pub use fetch::{Fetch, FetchError, FetchReply, FetchRequest, Fetched, RemoteFile, RemoteOffer, RemoteSkill};
pub use name::RemoteName;
