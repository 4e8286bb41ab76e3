//! `fidelity`: records the answers of the real programs, and compares with them live.
//!
//! `record` runs a real program on each case of `fidelity/` and writes its answer beside the case.
//! `live` compares the program `openoxide` with the real ones on random trees and on collections of skills.
//! `drift` installs a version of a real program and says what it does otherwise than rules of ours.
//! Checking `openoxide` against the recordings is a test of `openoxide-cli` and needs none of the real programs.

mod addresses;
mod call;
mod case;
mod claude;
mod codex;
mod compare;
mod corpus;
mod drift;
mod http;
mod live;
mod mentions;
mod omp;
mod opencode;
mod ours;
mod peers;
mod prose;
mod record;
mod rng;
mod rpc;
mod scene;
mod tally;
mod trees;
mod usage;

use anyhow::{Result, bail};

use self::usage::USAGE;

/// Runs `cargo xtask fidelity ARGS`.
pub(crate) fn run(args: &[String]) -> Result<()> {
    match args.split_first() {
        Some((verb, rest)) if verb == "record" => record::run(rest),
        Some((verb, rest)) if verb == "live" => live::run(rest),
        Some((verb, rest)) if verb == "drift" => drift::run(rest),
        _ => bail!("{USAGE}"),
    }
}
