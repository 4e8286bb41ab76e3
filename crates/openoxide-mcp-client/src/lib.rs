#![doc = include_str!("../README.md")]

mod blocking;
mod connect;
mod entry;
mod error;
mod fetch;
mod limits;
mod lists;
mod name;
mod remote;
mod talk;
mod uri;
mod verify;

pub use blocking::BlockingRemote;
pub use entry::{Entry, Flaw, Resource, Resources};
pub use error::RemoteError;
pub use limits::Limits;
pub use name::SkillId;
pub use openoxide_runtime::RemoteName;
pub use remote::{Remote, RemoteListing, RemoteOptions, ServerSkill, Verified};
pub use uri::{BadUri, SkillUri};
pub use verify::{Mismatch, Sha256Digest};
