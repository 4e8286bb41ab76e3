#![doc = include_str!("../README.md")]

// Values: what a server lists, and what can be wrong with it.
mod digest;
mod entry;
mod error;
mod limits;
mod listing;
mod name;
mod server_text;
mod uri;
mod verify;

// A connection to one server, and the requests over it.
mod connect;
mod talk;

// Logins to servers, for a caller that waits.
mod login;

// The skills of all servers, for async callers and for blocking ones.
mod blocking;
mod fetch;
mod lists;
mod remote;

pub use blocking::BlockingRemote;
pub use digest::Sha256Digest;
pub use entry::{Entry, Flaw, Resource, Resources};
pub use error::RemoteError;
pub use limits::Limits;
pub use listing::{RemoteListing, ServerSkill, Verified};
pub use login::Online;
pub use name::SkillId;
pub use openoxide_runtime::RemoteName;
pub use remote::{Remote, RemoteOptions};
pub use uri::{BadUri, SkillUri};
pub use verify::Mismatch;
