//! Confinement on Linux: namespaces, Landlock, seccomp and control groups.

mod bubblewrap;
mod cgroup;
mod frame;
pub mod helper;
mod inside;
mod output;
mod placeholder;
mod probe;
mod run;
mod spec;

pub(crate) use self::probe::probe;
pub(crate) use self::run::run;
