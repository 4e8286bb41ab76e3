//! `hosts`: the hosts, and which skills each of them sees.

use openoxide_skills::host::Hosts;
use openoxide_testkit::TestContext;

use crate::support::{field, furnished, run, valid_json};

#[test]
fn your_agents() {
    let context = furnished();
    context.tree("//- home/.codex/\n");
    insta::assert_snapshot!(run(&context, &["hosts"]), @"
    status: 0
    ----- stdout -----
      #  host         found  active  ignored  rules of
      1  claude-code  yes         1        0  claude-code 2.1.325  @2.1.240 @seed
      2  codex        yes         4        1  codex 0.166.0  @seed

    5 skills                    claude-code  codex
    deploy in ~/.agents/skills  ·            ●
    sql-review                  ·            ●
    deploy in .agents/skills    ·            ●
    pdf-forms                   ·            ●
    release-notes               ●            ·
    ----- stderr -----
    ● active  ○ ignored  · not found   why: openoxide explain SKILL
    15 other hosts: openoxide hosts --all-hosts
    ");
}

#[test]
fn no_agent_is_found() {
    insta::assert_snapshot!(run(&TestContext::new(), &["hosts"]), @"
    status: 0
    ----- stdout -----
      #  host       found  active  ignored  rules of
      1  openoxide  no          0        0  openoxide 0.1.0
    ----- stderr -----
    no agent was found here, so OpenOxide's own rules apply; for an agent's rules, add `--host` and one of agentskills, claude-code, codex, copilot-cli, crush, gemini-cli, goose, omp, opencode, pepper, pi, qwen-code, remcochat, roo, vscode, zed
    16 other hosts: openoxide hosts --all-hosts
    ");
}

#[test]
fn all_hosts() {
    insta::assert_snapshot!(run(&furnished(), &["hosts", "--all-hosts"]), @"
    status: 0
    ----- stdout -----
      #  host         found  active  ignored  rules of
      1  claude-code  yes         1        0  claude-code 2.1.325  @2.1.240 @seed
      2  agentskills  no          1        4  skills-ref 0.1.1
      3  codex        no          4        1  codex 0.166.0  @seed
      4  copilot-cli  no          3        3  copilot-cli docs of 2026-08
      5  crush        no          3        3  crush at commit 37f36e93
      6  gemini-cli   no          3        2  gemini-cli 0.61.0
      7  goose        no          3        3  goose at commit ca26f01d
      8  omp          no          5        1  omp 18.2.3  @seed
      9  opencode     no          4        2  opencode 1.18.33  @seed-001 @seed-002
     10  openoxide    no          4        2  openoxide 0.1.0
     11  pepper       no          0        0  pepper RFC-010 of 2026-01-31  @code
     12  pi           no          2        3  pi 0.73.1
     13  qwen-code    no          0        0  qwen-code at commit db051956
     14  remcochat    no          0        0  remcochat spec of 2026-02-03  @code
     15  roo          no          0        0  roo-code at commit cb836567
     16  vscode       no          3        3  vscode docs of 2026-08-19
     17  zed          no          2        3  zed at commit 7eec8920

    6 skills                   1  2  3  4  5  6  7  8  9  10 11 12 13 14 15 16 17
    deploy in ~/.agents/skills ·  ○  ●  ○  ○  ○  ○  ○  ○  ●  ·  ○  ·  ·  ·  ○  ○
    sql-review                 ·  ○  ●  ●  ●  ●  ●  ●  ●  ●  ·  ●  ·  ·  ·  ●  ●
    deploy in .agents/skills   ·  ●  ●  ●  ●  ●  ●  ●  ●  ○  ·  ●  ·  ·  ·  ●  ●
    empty                      ·  ○  ○  ○  ○  ○  ○  ●  ○  ○  ·  ○  ·  ·  ·  ○  ○
    pdf_forms                  ·  ○  ●  ○  ○  ●  ○  ●  ●  ●  ·  ○  ·  ·  ·  ○  ○
    release-notes              ●  ·  ·  ●  ●  ·  ●  ●  ●  ●  ·  ·  ·  ·  ·  ●  ·
    ----- stderr -----
    ● active  ○ ignored  · not found   why: openoxide explain SKILL
    ");
}

/// Hosts of one's own are added, until a line does not hold them any more.
#[test]
fn more_hosts_than_a_line_holds() {
    let context = furnished();
    for number in 10..40 {
        let program = "a program with a name of several words, and a version 1.2.3";
        context.tree(&format!(
            "//- home/.openoxide/hosts/own-{number}/host.toml\ntitle = \"Own\"\nprogram = \"{program}\"\nroots = []\n"
        ));
    }
    let output = run(&context, &["hosts", "--all-hosts"]);
    let long: Vec<&str> = output.stdout.lines().filter(|line| line.chars().count() > 80).collect();
    assert!(long.is_empty(), "{long:#?}");
    let marks = |line: &str| line.chars().filter(|mark| "\u{25cf}\u{25cb}\u{b7}".contains(*mark)).count();
    let seen: usize = output.stdout.lines().filter(|line| line.starts_with("sql-review ")).map(marks).sum();
    assert_eq!(seen, Hosts::builtin().names().count() + 30, "each host has its column\n{output}");
}

#[test]
fn json_answers_its_schema() {
    let context = furnished();
    let mine = valid_json(&context, &["hosts", "--json"]);
    assert_eq!(field(&mine["hosts"], "name"), ["claude-code"]);
    let answer = valid_json(&context, &["hosts", "--all-hosts", "--json"]);
    let mut names: Vec<&str> = field(&answer["hosts"], "name");
    assert_eq!(
        (names[0], &answer["hosts"][0]["mine"], &answer["hosts"][1]["mine"]),
        ("claude-code", &true.into(), &false.into())
    );
    names.sort_unstable();
    assert_eq!(names, Hosts::builtin().names().collect::<Vec<_>>());
    let row = answer["matrix"]
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["path"] == "[ROOT]/project/.agents/skills/deploy/SKILL.md");
    let statuses = &row.unwrap()["hosts"];
    assert_eq!(statuses["openoxide"], "untrusted");
    assert_eq!(statuses["codex"], "active");
    assert_eq!(statuses["agentskills"], "active");
    assert!(statuses.get("claude-code").is_none(), "it does not look there");
}

/// A host that the user broke is left out, also where its program is installed; the others work as before.
#[test]
fn a_broken_host_of_an_installed_program_is_left_out() {
    let context = TestContext::new();
    context.skill("plain", "X").tree(
        "//- home/.codex/config.toml\n//- home/.claude/settings.json\n{}\n\
         //- home/.openoxide/hosts/codex/host.toml\nnonsense = 1\n",
    );
    for command in [&["list"][..], &["hosts"], &["check"], &[]] {
        let output = run(&context, command);
        assert_eq!(output.status, Some(0), "{command:?}: {}", output.stderr);
        assert!(command == ["check"] || output.stderr.contains("S0405"), "{command:?}: {}", output.stderr);
    }
    let hosts = run(&context, &["hosts"]).stdout;
    assert!(hosts.contains("claude-code") && !hosts.contains("codex"), "{hosts}");
}
