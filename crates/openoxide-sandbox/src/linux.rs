//! Confines commands on Linux with namespaces, Landlock, seccomp and control groups.

mod bubblewrap;
mod cgroup;
mod grant;
pub mod helper;
mod layer;
mod output;
mod probe;
mod run;
mod spec;
mod visible_files;

pub(crate) use self::probe::probe;
pub(crate) use self::run::run;
