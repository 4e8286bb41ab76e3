//! Observes the server: the request log, the counters and the audit log.

pub(crate) mod audit;
mod background_writer;
pub(crate) mod log;
pub(crate) mod metrics;
mod timestamp;
