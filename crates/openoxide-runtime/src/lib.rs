#![doc = include_str!("../README.md")]

mod activation;
mod allowed;
mod ask;
mod attach;
mod call;
mod depend;
mod drive;
mod finish;
mod interpreter;
mod load;
mod login;
mod look;
mod power;
mod profile;
mod reading;
mod record;
mod runtime;
mod script;
mod session;
mod shell;

pub use activation::{Activated, Activation, Done, Notice, Reply, Run, Step};
pub use ask::{Answer, Choice, Question};
pub use call::{Call, Given, Refusal, Why, names_for};
pub use drive::{Responder, drive};
pub use login::{Callback, LoginError, LoginReply, LoginStep, Method, Online, Request, Response, Returned};
pub use look::{Look, LookError};
pub use power::{HookPower, Power};
pub use record::{Record, Recorded};
pub use runtime::Runtime;
pub use script::{Ran, ScriptCall, ScriptDone, ScriptRun, ScriptStep, drive_script};
pub use session::Session;
