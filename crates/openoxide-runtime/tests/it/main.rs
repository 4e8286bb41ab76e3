//! Activations from end to end, with scripted answers.

#![allow(clippy::unwrap_used, reason = "a test that fails says where")]

mod issuer;
mod login;
mod scene;
mod servers;
mod variables;
