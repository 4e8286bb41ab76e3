//! The example on each code's page shows that code.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use openoxide_testkit::TestContext;
use serde_json::Value;

use crate::support::{Block, blocks, repository, run};

/// Reads `name=value` and `name="value with spaces"` from an info string.
fn option(block: &Block, name: &str) -> Option<String> {
    let (_, rest) = block.info.split_once(&format!("{name}="))?;
    let value = match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next()?,
        None => rest.split_whitespace().next()?,
    };
    Some(value.to_owned())
}

/// Runs one command and adds the codes in its answer.
fn gather(context: &TestContext, command: &[&str], host: &str, more: &[&str], codes: &mut BTreeSet<String>) {
    let mut args = command.to_vec();
    args.extend(["--json", "--host", host]);
    args.extend(more);
    let output = run(context, &args);
    let answer: Value = serde_json::from_str(&output.stdout).unwrap_or_default();
    let checked = answer["checked"].as_array().into_iter().flatten().map(|checked| &checked["problems"]);
    let lists = [&answer["problems"], &answer["limits"]].into_iter().chain(checked);
    for item in lists.filter_map(Value::as_array).flatten() {
        codes.extend(item["code"].as_str().map(str::to_owned));
    }
    for other in answer["others"].as_array().into_iter().flatten() {
        codes.extend(other["reason"].as_str().and_then(|reason| reason.get(..5)).map(str::to_owned));
    }
}

#[test]
fn each_example_shows_its_code() {
    let folder = repository("docs/diagnostics");
    let mut pages: Vec<_> = fs_err::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    pages.sort();
    assert!(pages.len() > 50, "the pages are there");
    let mut report = String::new();
    for page in pages {
        let code = page.file_stem().unwrap().to_string_lossy().into_owned();
        if !code.starts_with('S') {
            continue;
        }
        let text = fs_err::read_to_string(&page).unwrap();
        let Some(block) = blocks(&text, "fixture").into_iter().next() else {
            writeln!(report, "{code}: no example").unwrap();
            continue;
        };
        let context = TestContext::new();
        context.tree(&block.text);
        let host = option(&block, "host").expect("the example names its host");
        let args = option(&block, "args").unwrap_or_default();
        let more: Vec<&str> = args.split_whitespace().collect();
        let mut codes = BTreeSet::new();
        for command in [&["list", "--all"][..], &["check"], &["config"], &["roots"]] {
            gather(&context, command, &host, &more, &mut codes);
        }
        if !codes.contains(&code) {
            writeln!(report, "{code}: its example shows {codes:?} in {host}").unwrap();
        }
    }
    assert!(report.is_empty(), "{} examples do not show their code\n{report}", report.lines().count());
}

#[test]
fn each_page_is_what_explain_prints() {
    let context = TestContext::new();
    for (asked, file) in [("S0102", "S0102"), ("s0301", "S0301")] {
        let page = fs_err::read_to_string(repository(&format!("docs/diagnostics/{file}.md"))).unwrap();
        let output = run(&context, &["explain", asked, "--color", "never"]);
        assert_eq!((output.status, output.stdout), (Some(0), page));
    }
}
