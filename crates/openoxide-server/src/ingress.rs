//! Accepts connections and admits requests: who may ask, how much, and for how long.
//!
//! `guard` decides who may ask; `limits`, `body` and `slow_reader` bound how much and how long; `request` names,
//! counts and logs each request. `listen` opens the address and `serve` accepts connections until the server stops.

mod body;
mod guard;
mod limits;
mod listen;
mod request;
mod serve;
mod slow_reader;
mod stream;

pub use guard::Access;
pub use limits::IngressLimits;
pub use listen::{BoundListener, ListenError};
pub use request::{Ingress, IngressOptions};
pub use serve::serve;
