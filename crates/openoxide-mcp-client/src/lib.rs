#![doc = include_str!("../README.md")]

// Values: what a server lists, and what can be wrong with it.
mod entry;
mod error;
mod limits;
mod skill;
mod uri;
mod verify;

// A connection to one server, and the requests over it.
mod client;
mod connect;

// Logins to servers, for a caller that waits.
mod login;

// The skills of all servers, for async callers and for blocking ones.
mod blocking;
mod fetch;
mod list_cache;
mod remote;

pub use blocking::BlockingRemote;
pub use connect::RemoteOptions;
pub use limits::Limits;
pub use login::LoginDriver;
pub use openoxide_runtime::{FetchError, RemoteName};
pub use remote::Remote;
pub use skill::{RemoteListing, ServerSkill};
