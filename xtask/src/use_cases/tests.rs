//! Holds the faces to the use cases, and the table to a made-up pair of crates.

use toml::Table;

use super::*;
use crate::modules::parse;
use crate::shell::repository;

/// Crates that only the app may call.
const BELOW: [&str; 7] = [
    "openoxide-config",
    "openoxide-live",
    "openoxide-mcp-client",
    "openoxide-permissions",
    "openoxide-runtime",
    "openoxide-sandbox",
    "openoxide-skills",
];

#[test]
fn callers_are_found_through_imports_and_reexports() {
    let app = parse("pub mod list;\npub mod paths;\npub mod read;\npub mod run;\nmod error;\npub use error::Error;\npub use run::Run;
//- list.rs\n//! Use case: lists.\npub fn list() {}\n//- read.rs\n//! Use case: reads.\npub struct Read;\n//- run.rs\n//! Use case: runs.\npub struct Run;\n//- error.rs\npub struct Error;\n//- paths.rs\n//! Paths.\n");
    let server = parse(
        "mod http;\nmod engine;
//- http.rs\nmod files;\nmod skills;\nuse openoxide_app::Error;\n
//- http/files.rs\nuse openoxide_app::read::Read;\nfn f(_: openoxide_app::Run) {}\n
//- http/skills.rs\nuse openoxide_app::list;\nfn f() { list::list() }\n
//- engine.rs\nuse openoxide_app::list;\n",
    );
    let mut callers = none(&app);
    add(&mut callers, 1, "http", &app, &server);
    let expected = "use case  command line  HTTP    MCP  JSON-RPC
list                    skills
read                    files
run                     files
";
    assert_eq!(table(&callers), expected);
}

#[test]
fn faces_reach_everything_through_the_app() {
    for face in ["openoxide-cli", "openoxide-server"] {
        let manifest = repository().join("crates").join(face).join("Cargo.toml");
        let manifest: Table = fs_err::read_to_string(manifest).unwrap().parse().unwrap();
        let targets = manifest.get("target").and_then(|targets| targets.as_table()).into_iter().flatten();
        let tables = targets.filter_map(|(_, target)| target.get("dependencies")).chain(manifest.get("dependencies"));
        let named: Vec<&String> = tables.filter_map(|table| table.as_table()).flat_map(Table::keys).collect();
        let past: Vec<_> = named.into_iter().filter(|name| BELOW.contains(&name.as_str())).collect();
        assert!(past.is_empty(), "{face} depends on {past:?}, past {APP}");
    }
}

#[test]
fn every_use_case_has_a_face() {
    let callers = callers().unwrap();
    let uncalled: Vec<_> =
        callers.iter().filter(|(_, faces)| faces.iter().all(BTreeSet::is_empty)).map(|(name, _)| name).collect();
    assert!(!callers.is_empty() && uncalled.is_empty(), "no face calls {uncalled:?}");
}
