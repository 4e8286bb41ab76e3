//! `hosts`: the hosts, and which skills each of them sees.

use crate::support::{field, furnished, run, valid_json};

#[test]
fn the_matrix() {
    insta::assert_snapshot!(run(&furnished(), &["hosts"]), @"
    status: 0
    ----- stdout -----
    host         states                sees  not  editions
    agentskills  skills-ref 0.1.1         1    4
    claude-code  claude-code 2.1.240      1    0  seed
    codex        codex 0.166.0            4    1  seed
    opencode     opencode 1.18.33         4    2  seed-001, seed-002
    openoxide    openoxide 0.1.0          4    2

    6 skills       agentskills  claude-code  codex  opencode  openoxide
    deploy         ○            ·            ●      ○         ●
    sql-review     ○            ·            ●      ●         ●
    deploy         ●            ·            ●      ●         ○
    empty          ○            ·            ○      ○         ○
    pdf_forms      ○            ·            ●      ●         ●
    release-notes  ·            ●            ·      ●         ●
    ----- stderr -----
    ● counts  ○ found, does not count  · not found; why: openoxide explain SKILL
    ");
}

#[test]
fn json_answers_its_schema() {
    let answer = valid_json(&furnished(), &["hosts", "--json"]);
    assert_eq!(field(&answer["hosts"], "name"), ["agentskills", "claude-code", "codex", "opencode", "openoxide"]);
    let row = answer["matrix"]
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["path"] == "[ROOT]/project/.agents/skills/deploy/SKILL.md");
    let standings = &row.unwrap()["standings"];
    assert_eq!(standings["openoxide"], "untrusted");
    assert_eq!(standings["codex"], "active");
    assert_eq!(standings["agentskills"], "active");
    assert!(standings.get("claude-code").is_none(), "it does not look there");
}
