//! The door: every request of every path comes through here, whatever answers it.
//!
//! It knows who may ask (`guard`, `token`), how much and how long (`limits`, `body`, `slow_reader`), gives each request a name,
//! and counts and logs it (`request`). `listen` opens the address and `serve` lets connections in until the server stops.

mod body;
mod guard;
mod limits;
mod listen;
mod options;
mod request;
mod serve;
mod slow_reader;
mod stream;
mod token;

pub use limits::IngressLimits;
pub use listen::{BoundListener, ListenError};
pub use options::IngressOptions;
pub use request::Ingress;
pub use serve::serve;
pub use token::{Token, TokenError};
