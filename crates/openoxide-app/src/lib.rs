#![doc = include_str!("../README.md")]

mod error;
mod values;

mod skill_id;
mod snapshot;

pub mod catalog_use;
mod driver;
mod freshness;
mod given_path;
mod numbers;
mod pending;
mod progress;
mod question;
mod trial;
mod visible;

pub mod diff;
pub mod encoding;
pub mod live;
pub mod paths;

pub mod activate;
pub mod agents_list;
pub mod check;
pub mod client_list;
pub mod complete;
pub mod explain;
pub mod hosts;
pub mod link;
pub mod list;
pub mod mcp_skills;
pub mod mentions;
pub mod models;
pub mod new;
pub mod off;
pub mod overview;
pub mod own_skills;
pub mod problems;
pub mod prompt;
pub mod publish;
pub mod read;
pub mod record;
pub mod reload;
pub mod remote;
pub mod roots;
pub mod run;
pub mod schema;
pub mod search;
pub mod settings;
pub mod show;
pub mod skill_texts;
pub mod switch;
pub mod tools;
pub mod trust;

#[cfg(test)]
mod testing;

pub use driver::{BlockingMcpServers, CommandRunner, McpServers};
pub use error::{Error, ErrorKind};
pub use freshness::{ActivationStamps, FileStamps};
pub use numbers::{count, grouped, listed, thousands};
pub use pending::{ANSWER_TIME, Pending, PendingError, PendingKind, Rebase, Waits, random_name};
pub use progress::{Progress, Report};
pub use question::{question_line, sandbox_line};
pub use skill_id::{SkillIds, SkillRef, SkillReference, agent_that_finds, called as skill_id, find};
pub use snapshot::{open, open_workspace, refuse_bad_settings};
pub use values::*;
pub use visible::to_programs;
