//! Tests of the binary as a whole: one file for each command or promise.

#![allow(clippy::unwrap_used, reason = "a test that fails says where")]

mod adversarial;
mod agents;
mod app_server;
mod attached;
mod blueprint;
mod catalog;
mod check;
mod completions;
mod config;
mod conformance;
mod dependencies;
mod determinism;
mod diagnostics;
mod envelopes;
mod explain;
mod fidelity;
mod help;
mod hosts;
mod http;
mod link;
mod list;
mod listing_hosts;
mod mcp;
mod mentions;
mod models;
mod new;
mod new_host;
mod no_silence;
mod omp;
mod opencode;
mod overview;
mod pepper;
mod preload;
mod profiles;
mod prompt;
mod read;
mod readme;
mod record;
mod reference;
mod regressions;
mod remcochat;
mod remote;
mod roots;
mod run;
mod schema;
mod search;
mod security_page;
mod seeds;
mod serve;
mod show;
mod support;
mod switch;
mod trust;
mod turns;
mod tutorial;
mod watching;
mod words;

#[test]
fn every_file_is_a_module() {
    let main = include_str!("main.rs");
    for entry in fs_err::read_dir(support::repository("crates/openoxide-cli/tests/it")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if let Some(module) = name.strip_suffix(".rs").filter(|module| *module != "main") {
            assert!(main.contains(&format!("\nmod {module};\n")), "main.rs has no `mod {module};`");
        }
    }
}
