//! The page on the blueprints names tests that there are, and what no other test shows is tested here.

use std::fmt::Write as _;

use openoxide_skills::host::Hosts;
use openoxide_testkit::TestContext;

use crate::support::{field, json, repository, skill_file};

/// A row of the page's tables.
struct Row<'p> {
    statement: &'p str,
    editions: &'p str,
    /// What came of it; the tables of what is described once only say nothing, and mean that it is built.
    state: &'p str,
    tests: &'p str,
}

/// Returns the rows of the page's tables, without their headings.
fn rows(page: &str) -> Vec<Row<'_>> {
    page.lines()
        .filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"))
        .filter(|line| !line.starts_with("statement |") && !line.starts_with("state |") && !line.starts_with("---"))
        .filter(|line| !STATES.iter().any(|state| line.starts_with(&format!("{state} |"))))
        .map(|line| match line.split(" | ").collect::<Vec<_>>()[..] {
            [statement, editions, tests] => Row { statement, editions, state: "built", tests },
            [statement, editions, state, tests] => Row { statement, editions, state, tests },
            ref cells => panic!("a row has three cells, or four: {cells:?}"),
        })
        .collect()
}

/// What can have come of a statement, and whether a test shows it.
const STATES: [&str; 4] = ["built", "otherwise", "not yet", "no part"];

fn is_shown_by_tests(state: &str) -> bool {
    matches!(state, "built" | "otherwise")
}

/// Returns what stands in backticks.
fn codes(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// Tells whether a file has a test function of this name.
fn has_test(file: &str, function: &str) -> bool {
    let Ok(text) = fs_err::read_to_string(repository(file)) else { return false };
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let is_it = |line: &str| line.trim_start_matches("async ").starts_with(&format!("fn {function}("));
    let is_marked = |line: &str| line == "#[test]" || line.starts_with("#[tokio::test");
    lines.windows(2).any(|pair| is_marked(pair[0]) && is_it(pair[1]))
}

/// Tells whether there is a recorded case; a star at the end stands for any ending.
fn has_case(path: &str) -> bool {
    let Some(beginning) = path.strip_suffix('*') else { return repository(path).join("tree.txt").is_file() };
    let (folder, beginning) = beginning.rsplit_once('/').unwrap();
    let names = fs_err::read_dir(repository(folder)).unwrap().map(|entry| entry.unwrap().file_name());
    names.filter_map(|name| name.into_string().ok()).any(|name| name.starts_with(beginning))
}

fn is_there(named: &str) -> bool {
    match named.split_once("::") {
        Some((file, function)) if file.starts_with("src/") => {
            has_test(&format!("crates/openoxide-skills/{file}"), function)
        }
        Some((file, function)) if file.starts_with("crates/") || file.starts_with("xtask/") => has_test(file, function),
        Some((file, function)) => has_test(&format!("crates/openoxide-cli/tests/it/{file}.rs"), function),
        None => named.starts_with("fidelity/") && has_case(named),
    }
}

#[test]
fn every_statement_is_tested_where_the_page_says() {
    let page = fs_err::read_to_string(repository("docs/seeds.md")).unwrap();
    let rows = rows(&page);
    assert!(rows.len() > 250, "{} statements", rows.len());
    let hosts = Hosts::builtin();
    let mut report = String::new();
    for Row { statement, editions, state, tests } in rows {
        for id in codes(editions).filter(|id| hosts.get(id).is_err()) {
            writeln!(report, "{statement} `{id}` is no edition").unwrap();
        }
        if !STATES.contains(&state) {
            writeln!(report, "{statement} `{state}` is no state").unwrap();
        }
        let named: Vec<&str> = codes(tests).collect();
        let problem = match is_shown_by_tests(state) {
            true if named.is_empty() => Some("names no test".to_owned()),
            true => named.iter().find(|name| !is_there(name)).map(|name| format!("`{name}` is not there")),
            false if tests.trim().is_empty() => Some("does not say why".to_owned()),
            false => {
                named.iter().find(|name| is_there(name)).map(|name| format!("is `{state}`, and `{name}` is there"))
            }
        };
        if let Some(problem) = problem {
            writeln!(report, "{statement} {problem}").unwrap();
        }
    }
    assert!(report.is_empty(), "{report}");
}

/// The guard itself: it does not take anything for a test.
#[test]
fn what_is_not_there_is_noticed() {
    assert!(is_there("seeds::what_is_not_there_is_noticed") && is_there("fidelity/omp/switches-*"));
    let missing = [
        "seeds::no_such_test",
        "seeds::is_there",
        "nowhere::what_is_not_there_is_noticed",
        "src/glob.rs::no_such_test",
        "fidelity/omp/no-such-case",
        "fidelity/omp/no-such-*",
        "README.md",
    ];
    for name in missing {
        assert!(!is_there(name), "{name}");
    }
}

#[test]
fn pepper_looks_only_in_the_folder_that_it_works_in() {
    for host in ["pepper", "pepper@code"] {
        let context = TestContext::new();
        context.tree(&skill_file("project/skills", "above", "above"));
        context.tree("//- project/.opencode/skills/above-too.md\nText.\n//- home/skills/mine/SKILL.md\nText.\n");
        context.tree(&skill_file("project/sub/skills", "here", "here"));
        let answer = json(&context, &["list", "--json", "--host", host, "--project", "sub"]);
        assert_eq!(field(&answer["skills"], "name"), ["here"], "{host}");
    }
}

#[test]
fn skills_know_their_source() {
    let sources = |context: &TestContext, host: &str| {
        let answer = json(context, &["list", "--json", "--host", host]);
        let skills = answer["skills"].as_array().unwrap().iter();
        let text = |skill: &serde_json::Value, key: &str| skill[key].as_str().unwrap_or_default().to_owned();
        let line = |skill| ["name", "provider", "scope", "dir"].map(|key| text(skill, key)).join(" ");
        skills.map(line).collect::<Vec<_>>()
    };
    let context = TestContext::new();
    context.tree(&skill_file("project/skills", "a", "a"));
    context.tree("//- project/.opencode/skills/b.md\nText.\n");
    for host in ["pepper", "pepper@code"] {
        assert_eq!(
            sources(&context, host),
            ["a registry repo [ROOT]/project/skills/a", "b local repo [ROOT]/project/.opencode/skills"],
            "{host}"
        );
    }
    let context = TestContext::new();
    let roots = ["project/.omp", "home/.omp/agent", "home/.claude", "home/.agents", "home/.codex"];
    for (index, root) in roots.iter().enumerate() {
        context.tree(&skill_file(&format!("{root}/skills"), &format!("s{index}"), &format!("s{index}")));
    }
    assert_eq!(
        sources(&context, "omp@seed"),
        [
            "s0 native repo [ROOT]/project/.omp/skills/s0",
            "s1 native user [ROOT]/home/.omp/agent/skills/s1",
            "s2 claude user [ROOT]/home/.claude/skills/s2",
            "s3 agents user [ROOT]/home/.agents/skills/s3",
            "s4 codex user [ROOT]/home/.codex/skills/s4",
        ]
    );
}

#[test]
fn a_listing_is_never_out_of_date() {
    let rows = [
        ("pepper", "project/files/skills"),
        ("pepper@code", "project/skills"),
        ("opencode@seed-001", "project/.opencode/skills"),
        ("remcochat", "project/.skills"),
        ("remcochat@code", "project/.skills"),
    ];
    for (host, root) in rows {
        let context = TestContext::new();
        context.tree("//- project/config.toml\n[app.skills]\nenabled = true\n");
        let count = || json(&context, &["list", "--json", "--host", host])["skills"].as_array().unwrap().len();
        assert_eq!(count(), 0, "{host}");
        context.tree(&skill_file(root, "new", "new"));
        assert_eq!(count(), 1, "{host}");
    }
}

#[test]
fn remcochat_keeps_the_fields_of_the_standard() {
    for host in ["remcochat", "remcochat@code"] {
        let context = TestContext::new();
        context.tree(
            "
//- project/config.toml
[app.skills]
enabled = true
//- project/.skills/pdf/SKILL.md
---
name: pdf
description: d
license: MIT
compatibility: Linux
metadata:
  author: somebody
allowed-tools: Read Bash(git:*)
---
",
        );
        let skill = &json(&context, &["show", "pdf", "--json", "--host", host])["skill"];
        let texts = ["license", "compatibility", "path", "dir", "root"].map(|key| skill[key].as_str().unwrap());
        let root = "[ROOT]/project/.skills";
        let expected = ["MIT", "Linux", &format!("{root}/pdf/SKILL.md"), &format!("{root}/pdf"), root];
        assert_eq!(texts, expected, "{host}");
        assert_eq!(skill["metadata"]["author"], "somebody", "{host}");
        assert_eq!(skill["allowed_tools"], serde_json::json!(["Read", "Bash(git:*)"]), "{host}");
        assert_eq!(skill["model"], true, "{host}: nothing is enforced");
    }
}
