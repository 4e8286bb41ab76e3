//! `search`: skills by words, best match first.

use openoxide_testkit::TestContext;

use crate::support::{field, furnished, run, valid_json};

fn with_agents() -> TestContext {
    let context = furnished();
    context.tree("//- home/.codex/\n");
    context
}

#[test]
fn in_your_agents() {
    insta::assert_snapshot!(run(&with_agents(), &["search", "ship", "migration"]), @"
    status: 0
    ----- stdout -----
                                                                        Claude Codex
    user  sql-review  Review a migration for locks and data loss          ·      ●
    user  deploy      Ship as I always do                                 ·      ●
    repo  deploy      Ship the service to staging or production           ·      ●
    ----- stderr -----
    3 skills   ● active  · not found   why: openoxide explain SKILL
    ");
}

#[test]
fn in_one_host() {
    insta::assert_snapshot!(run(&with_agents(), &["search", "ship", "--host", "codex"]), @"
    status: 0
    ----- stdout -----
    deploy  Ship as I always do
    deploy  Ship the service to staging or production
    ----- stderr -----
    2 skills
    ");
}

#[test]
fn where_no_agent_is_found() {
    let context = TestContext::new();
    context.skill("lint", "Finds mistakes");
    let output = run(&context, &["search", "mistakes"]);
    assert!(
        output.stdout.starts_with("lint  Finds mistakes\n") && output.stderr.contains("no agent was found"),
        "{output}"
    );
}

#[test]
fn nothing_fits() {
    insta::assert_snapshot!(run(&with_agents(), &["search", "zebra"]), @"
    status: 1
    ----- stdout -----
    ----- stderr -----
    error: no skill matches `zebra`
    hint: `openoxide list` shows every skill
    ");
    insta::assert_snapshot!(run(&with_agents(), &["search", "ship", "--limit", "0"]), @"
    status: 2
    ----- stdout -----
    ----- stderr -----
    error: `limit` must be from 1 to 100
    ");
}

#[test]
fn json_answers_its_schema() {
    let context = with_agents();
    let mine = valid_json(&context, &["search", "ship", "--json"]);
    assert_eq!(field(&mine["hits"], "name"), ["deploy", "deploy"]);
    assert_eq!(mine["hosts"], serde_json::json!(["claude-code", "codex"]));
    assert_eq!(mine["hits"][0]["hosts"], serde_json::json!({"codex": "active"}));
    let one = valid_json(&context, &["search", "ship", "--json", "--limit", "1", "--host", "codex"]);
    assert_eq!((one["host"].as_str(), one["hits"].as_array().unwrap().len()), (Some("codex"), 1));
    assert_eq!(valid_json(&context, &["search", "zebra", "--json"])["hits"], serde_json::json!([]));
}
