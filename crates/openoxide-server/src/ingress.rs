//! Accepts connections and admits requests: who may ask, how much, and for how long.
//!
//! `guard` decides who may ask; `limits`, `body`, `held_answer` and `slow_reader` bound how much and how long;
//! `connections` decides who gives way when there is no room; `request` names, counts and logs each request. `listen` opens the address and `serve` accepts connections until the server stops.

mod body;
mod connections;
mod guard;
mod held_answer;
mod limits;
mod listen;
mod log_share;
mod request;
mod serve;
mod slow_reader;
mod stream;
mod turn;

pub use guard::Access;
pub(crate) use guard::is_for_everybody;
pub use limits::IngressLimits;
pub use listen::{BoundListener, ListenError};
pub use request::{Ingress, IngressOptions};
pub use serve::serve;

pub(crate) use connections::{Place, Reserved};
pub(crate) use held_answer::{ReadTurn, hold_answers, hold_in_turn, no_room};
