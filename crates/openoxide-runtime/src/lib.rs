#![doc = include_str!("../README.md")]

// Values: what a caller hands in, and what an operation asks and answers.
mod call;
mod changes;
mod notice;
mod question;
mod record;

// State: one conversation, and what all of them stand on.
mod admission;
mod runtime;
mod sent;
mod session;

// Operations proceed in steps, which a driver takes.
mod step;

// The rooms. Each holds the stages of one concern.
mod activation;
mod dependency;
mod hooks;
mod login;
mod permission;
mod reading;
mod remote;
mod script;
mod tools;

pub use activation::{
    ActivatedSkill, Activation, ActivationOutcome, ForkPlan, Pinned, Preloaded, PreloadedSkill, ReattachLimits,
    Reattached, ReattachedSkill, SkillTemplate,
};
pub use call::{Call, CallArguments, Refusal, RefusalReason, names_for, search_for};
pub use hooks::{Deactivation, Decision, Event, Firing, Halt, HookMessage, Ruling, Verdict};
pub use login::{Callback, LoginError, LoginReply, LoginStep, Request, Response, Returned, ServerAddress};
pub use notice::Notice;
pub use permission::{Inspection, InspectionError, RequestedAction, RequestedPermission, variable_item};
pub use question::{Answer, Choice, Question};
pub use reading::{
    Audience, FoundKind, ReadForm, ReadOutcome, ReadPart, ReadRefusal, ReadRefusalReason, ReadRequest, ReadTarget,
    Reading,
};
pub use record::{Record, Recorded};
pub use remote::{
    Fetch, FetchError, FetchReply, FetchRequest, Fetched, RemoteFile, RemoteName, RemoteOffer, RemoteSkill, carry,
};
pub use runtime::{Runtime, seen_by_model};
pub use script::{FinishedScript, ScriptCall, ScriptOutcome, ScriptRun};
pub use session::Session;
pub use step::{Reply, Responder, Resumable, Run, Step, drive};
pub use tools::{Conflict, NamesTaken, Tool, ToolCallStart, ToolRegistry, ToolResult, Toolbox, contracts};
