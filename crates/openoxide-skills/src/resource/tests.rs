//! What is read, digested and copied, and what never is.

mod folder_stamps;
mod manifests;
mod races;
mod reads;
mod snapshots;
