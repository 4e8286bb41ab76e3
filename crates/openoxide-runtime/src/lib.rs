#![doc = include_str!("../README.md")]

mod activation;
mod allowed;
mod ask;
mod attach;
mod call;
mod depend;
mod drive;
mod finish;
mod fork;
mod hooks;
mod interpreter;
mod load;
mod login;
mod look;
mod media_type;
mod power;
mod preload;
mod profile;
mod reading;
mod reattach;
mod record;
mod remote;
mod runtime;
mod script;
mod sealed;
mod session;
mod shell;
mod step;
mod still;
mod tools;
mod unfilled;
mod worktree;

pub use activation::Activation;
pub use ask::{Answer, Choice, Question};
pub use call::{Call, Given, Refusal, Why, names_for};
pub use drive::{Responder, drive};
pub use fork::ForkPlan;
pub use hooks::{Deactivation, Decision, Event, Firing, Halt, Ruling, Said, Verdict};
pub use login::{Callback, LoginError, LoginReply, LoginStep, Method, Online, Request, Response, Returned};
pub use look::{Look, LookError};
pub use media_type::{host_media_type, media_type, media_type_by_name};
pub use power::{HookPower, Power, variable_item};
pub use preload::{Pinned, Preloaded, PreloadedSkill};
pub use reading::{
    Audience, LinkRule, ReadForm, ReadOutcome, ReadPart, ReadRefusal, ReadRefusalReason, ReadRequest, ReadTarget,
    Reading,
};
pub use reattach::{ReattachLimits, Reattached, ReattachedSkill};
pub use record::{Record, Recorded};
pub use remote::{
    Fetch, FetchError, FetchReply, FetchRequest, Fetched, RemoteFile, RemoteName, RemoteOffer, RemoteSkill, carry,
};
pub use runtime::{Runtime, seen_by_model};
pub use script::{Ran, ScriptCall, ScriptDone, ScriptRun};
pub use session::Session;
pub use step::{Activated, Done, Notice, Reply, Resumable, Run, Step};
pub use tools::{Begun, Conflict, NoName, Tool, ToolRegistry, ToolResult, Toolbox, contracts};
pub use unfilled::Unfilled;
