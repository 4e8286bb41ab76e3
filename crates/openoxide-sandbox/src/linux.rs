//! Confines commands on Linux with namespaces, Landlock, seccomp and control groups.

mod bubblewrap;
mod cgroup;
pub mod helper;
mod output;
mod placeholder;
mod probe;
mod run;
mod spec;
mod visible_files;

pub(crate) use self::probe::probe;
pub(crate) use self::run::run;
