//! Activations from end to end, with scripted answers.

mod issuer;
mod login;
mod scene;
mod servers;
mod variables;
