//! `hosts`: the hosts, and which skills each of them sees.

use openoxide_skills::Hosts;

use crate::support::{field, furnished, run, valid_json};

#[test]
fn the_matrix() {
    insta::assert_snapshot!(run(&furnished(), &["hosts"]), @"
    status: 0
    ----- stdout -----
    host         states                         sees  not  editions
    agentskills  skills-ref 0.1.1                  1    4
    claude-code  claude-code 2.1.240               1    0  seed
    codex        codex 0.166.0                     4    1  seed
    copilot-cli  copilot-cli docs of 2026-08       3    3
    crush        crush at commit 37f36e93          3    3
    gemini-cli   gemini-cli 0.61.0                 3    2
    goose        goose at commit ca26f01d          3    3
    openoxide    openoxide 0.1.0                   4    2
    pepper       pepper RFC-010 of 2026-01-31      0    0  code
    pi           pi 0.73.1                         2    3
    qwen-code    qwen-code at commit db051956      0    0
    remcochat    remcochat spec of 2026-02-03      0    0  code
    roo          roo-code at commit cb836567       0    0
    vscode       vscode docs of 2026-08-19         3    3
    zed          zed at commit 7eec8920            2    3

    6 skills      agentskills  claude-code  codex  copilot-cli  crush  gemini-cli  goose  openoxide  pepper  pi  qwen-code  remcochat  roo  vscode  zed
    deploy        ○            ·            ●      ○            ○      ○           ○      ●          ·       ○   ·          ·          ·    ○       ○
    sql-review    ○            ·            ●      ●            ●      ●           ●      ●          ·       ●   ·          ·          ·    ●       ●
    deploy        ●            ·            ●      ●            ●      ●           ●      ○          ·       ●   ·          ·          ·    ●       ●
    empty         ○            ·            ○      ○            ○      ○           ○      ○          ·       ○   ·          ·          ·    ○       ○
    pdf_forms     ○            ·            ●      ○            ○      ●           ○      ●          ·       ○   ·          ·          ·    ○       ○
    release-not…  ·            ●            ·      ●            ●      ·           ●      ●          ·       ·   ·          ·          ·    ●       ·
    ----- stderr -----
    ● counts  ○ found, does not count  · not found; why: openoxide explain SKILL
    ");
}

#[test]
fn json_answers_its_schema() {
    let answer = valid_json(&furnished(), &["hosts", "--json"]);
    let names: Vec<String> = Hosts::builtin().names().map(str::to_owned).collect();
    assert_eq!(field(&answer["hosts"], "name"), names);
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
