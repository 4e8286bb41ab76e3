//! Drives logins for a caller that waits, such as a terminal.

mod loopback;
mod online;

pub use online::Online;
