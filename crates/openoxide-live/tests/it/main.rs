//! Tests of the crate as its users see it: a real folder, a real watcher, and patience instead of timing.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test that cannot go on fails, and says why it is skipped"
)]

mod editors;
mod fresh;
mod half;
mod invisible;
mod limits;
mod linked;
mod locked;
mod one_shot;
mod places;
mod random;
mod settings;
mod storm;
mod telling;
mod world;
