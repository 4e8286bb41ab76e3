//! Activations from end to end, with scripted answers.

mod hook_lifetime;
mod hooked;
mod hooks;
mod issuer;
mod login;
mod scene;
mod servers;
mod variables;
