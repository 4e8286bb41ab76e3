//! Options of the ingress: who may come in, and how much they may ask.

use super::limits::IngressLimits;
use super::token::Token;

/// Who may come in, and how much they may ask.
#[derive(Clone)]
pub struct IngressOptions {
    /// Host names of the server, besides those of this machine.
    pub hosts: Vec<String>,
    /// The token that every request needs.
    pub token: Option<Token>,
    /// The token that approvals need, where other requests need none.
    pub proof: Option<Token>,
    /// Limits.
    pub limits: IngressLimits,
}
