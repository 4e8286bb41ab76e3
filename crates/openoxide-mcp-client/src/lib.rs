#![doc = include_str!("../README.md")]

mod activation;
mod answers;
mod blocking;
mod connect;
mod entry;
mod envelope;
mod error;
mod limits;
mod lists;
mod name;
mod remote;
mod talk;
mod uri;
mod verify;

pub use activation::{RemoteActivation, RemoteDecision, RemoteStep};
pub use answers::{remote_line, remote_problem_line};
pub use blocking::BlockingRemote;
pub use entry::{Entry, Flaw, Resource, Resources};
pub use envelope::carry;
pub use error::RemoteError;
pub use limits::Limits;
pub use name::{RemoteName, SkillId};
pub use remote::{Remote, RemoteListing, RemoteOptions, ServerSkill, Verified};
pub use uri::{BadUri, SkillUri};
pub use verify::{Mismatch, Sha256Digest};
