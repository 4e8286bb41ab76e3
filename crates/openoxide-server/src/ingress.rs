//! The door: every request of every path comes through here, whatever answers it.
//!
//! It knows who may ask (`guard`, `token`), how much and how long (`limits`, `body`, `slow_reader`), gives each request a name,
//! and counts and logs it (`request`). `listen` opens the address and `serve` lets connections in until the server stops.

mod body;
mod guard;
mod limits;
mod listen;
mod request;
mod serve;
mod slow_reader;
mod stream;
mod token;

pub use limits::IngressLimits;
pub use listen::{BoundListener, ListenError};
pub use request::Ingress;
pub use serve::serve;
pub use token::{Token, TokenError};

use crate::observe::log::Log;

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
    /// Where requests are told.
    pub log: Log,
}
