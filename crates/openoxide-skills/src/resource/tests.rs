//! What is read, digested and copied, and what never is.

mod manifests;
mod races;
mod reads;
mod snapshots;
mod unchanged;
