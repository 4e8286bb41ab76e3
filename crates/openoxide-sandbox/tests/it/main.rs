//! What a command must not be able to do, tried on this machine with every mechanism that it has, as root and as an
//! ordinary user.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that fails says where")]

mod attack;
mod changes;
mod control_files;
mod exhaustion;
mod files;
mod missing;
mod network;
mod orphans;
mod shell;
mod stop;
mod support;
