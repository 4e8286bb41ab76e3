//! Options of the ingress: who may come in, and how much they may ask.

use super::limits::IngressLimits;
use super::token::Token;

/// Who may come in, and how much they may ask.
#[derive(Clone)]
pub struct IngressOptions {
    /// Names that the server is known by, besides those of this machine.
    pub hosts: Vec<String>,
    /// What everybody has to show.
    pub token: Option<Token>,
    /// What only those have to show who say yes for the user, where nobody else has to show anything.
    pub proof: Option<Token>,
    /// How much, and how long.
    pub limits: IngressLimits,
}
