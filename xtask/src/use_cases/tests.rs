//! Holds the faces to the use cases, and the table to a made-up pair of crates.

use toml::Table;

use super::*;
use crate::modules::parse;
use crate::shell::repository;

/// Crates that only the app may call.
const BELOW: [&str; 8] = [
    "openoxide-config",
    "openoxide-live",
    "openoxide-mcp-client",
    "openoxide-ownership",
    "openoxide-permissions",
    "openoxide-runtime",
    "openoxide-sandbox",
    "openoxide-skills",
];

/// What a face would write to go past a use case, without blanks, and what it calls instead.
const PAST: [(&str, &str); 6] = [
    ("workspace.config", "`settings`, `problems` and `sandbox_line` say what settings mean"),
    ("Record::", "`record::open` and `record::save` keep a conversation's record"),
    ("live.reload(", "`reload::reload` looks again"),
    ("view.host.catalog", "`list::brief` and `prompt::prompt` obey the host's rules of the catalog"),
    ("find_by_id(", "`SkillRef` and `activate::refused` find skills by id"),
    ("openoxide_app::values", "what a face needs is exported by the app itself"),
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
fn faces_do_not_repeat_use_cases() {
    let mut found = Vec::new();
    for face in ["openoxide-cli", "openoxide-server"] {
        let mut left = vec![repository().join("crates").join(face).join("src")];
        while let Some(path) = left.pop() {
            if path.is_dir() {
                left.extend(fs_err::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
                continue;
            }
            let text =
                if path.extension() == Some("rs".as_ref()) { fs_err::read_to_string(&path).unwrap() } else { continue };
            found.extend(past(&text).into_iter().map(|what| format!("{}: {what}", path.display())));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn calls_past_a_use_case_are_found_on_several_lines_and_not_in_comments() {
    let text =
        "// workspace.config is read below\nfn f() { let all = snapshot\n    .workspace\n    .config\n    .text(); }";
    assert_eq!(
        past(text),
        ["`workspace.config` goes past the app: `settings`, `problems` and `sandbox_line` say what settings mean"]
    );
    assert!(past("//! Record::load\nfn f() { record::open(file) }").is_empty());
}

/// Returns the calls in a file of a face that go past the use cases.
fn past(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code: String = lines.flat_map(str::split_whitespace).collect();
    let named = PAST.iter().filter(|(call, _)| code.contains(call));
    named.map(|(call, instead)| format!("`{call}` goes past the app: {instead}")).collect()
}

#[test]
fn every_use_case_has_a_face() {
    let callers = callers().unwrap();
    let uncalled: Vec<_> =
        callers.iter().filter(|(_, faces)| faces.iter().all(BTreeSet::is_empty)).map(|(name, _)| name).collect();
    assert!(!callers.is_empty() && uncalled.is_empty(), "no face calls {uncalled:?}");
}
