//! The commands: one file each.

pub(crate) mod activate;
pub(crate) mod app_server;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod explain;
pub(crate) mod hosts;
pub(crate) mod link;
pub(crate) mod list;
pub(crate) mod mcp;
pub(crate) mod mentions;
pub(crate) mod models;
pub(crate) mod new;
pub(crate) mod overview;
pub(crate) mod prompt;
pub(crate) mod read;
pub(crate) mod remote;
pub(crate) mod roots;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod search;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod switch;
pub(crate) mod token;
pub(crate) mod trust;
