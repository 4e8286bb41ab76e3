//! Activations from end to end, with scripted answers.

#![allow(clippy::unwrap_used, reason = "a test that fails says where")]

mod fork;
mod guarded;
mod hook_lifetime;
mod hooked;
mod hooks;
mod issuer;
mod login;
mod names;
mod permission;
mod preload;
mod record;
mod scene;
mod servers;
mod tools;
mod variables;
