//! `explain`: why a skill does or does not count, here and elsewhere.

use crate::support::{furnished, run, valid_json};

#[test]
fn a_name_that_two_have() {
    insta::assert_snapshot!(run(&furnished(), &["explain", "deploy"]), @r#"
    status: 0
    ----- stdout -----
    deploy: 2 found, 1 counts

      counts     ~/.agents/skills/deploy  user
      untrusted  .agents/skills/deploy    repo
                 the project is not trusted, so the user's skill keeps the name [S0306]

    In other hosts
      agentskills  seen      .agents/skills/deploy
      claude-code  not seen  it looks in .claude/skills only
      codex        seen      2 of them, so the name alone is ambiguous
      opencode     seen      .agents/skills/deploy
    ----- stderr -----
    hint: to trust the project: openoxide config set trust.folders '["[ROOT]/project"]'
    "#);
}

#[test]
fn one_that_another_host_does_not_see() {
    insta::assert_snapshot!(run(&furnished(), &["explain", "release-notes"]), @"
    status: 0
    ----- stdout -----
    release-notes: 1 found, 1 counts

      counts  .claude/skills/release-notes  repo

    In other hosts
      agentskills  not seen  it looks in .agents/skills, ~/.agents/skills only
      claude-code  seen      .claude/skills/release-notes
      codex        not seen  it looks in .codex/skills, ~/.agents/skills, .agents/skills only
      opencode     seen      .claude/skills/release-notes
    ----- stderr -----
    ");
}

#[test]
fn one_that_only_another_host_sees() {
    insta::assert_snapshot!(run(&furnished(), &["explain", "release-notes", "--host", "codex"]), @"
    status: 0
    ----- stdout -----
    release-notes: 0 found, 0 count

      Codex does not look where it is

    In other hosts
      agentskills  not seen  it looks in .agents/skills, ~/.agents/skills only
      claude-code  seen      .claude/skills/release-notes
      opencode     seen      .claude/skills/release-notes
      openoxide    seen      .claude/skills/release-notes
    ----- stderr -----
    ");
}

#[test]
fn one_that_is_broken() {
    insta::assert_snapshot!(run(&furnished(), &["explain", "empty"]), @"
    status: 0
    ----- stdout -----
    empty: 1 found, 0 count

      invalid  .agents/skills/empty  repo
               the file does not begin with frontmatter [S0100]

    In other hosts
      agentskills  not seen  invalid: the file does not begin with frontmatter
      claude-code  not seen  it looks in .claude/skills only
      codex        not seen  invalid: the file does not begin with frontmatter
      opencode     not seen  invalid: the file does not begin with frontmatter
    ----- stderr -----
    ");
}

#[test]
fn a_code() {
    let output = run(&furnished(), &["explain", "S0306"]);
    assert_eq!(output.status, Some(0));
    assert!(output.stdout.starts_with("# S0306: "), "{output}");
}

#[test]
fn an_unknown_code_or_name_has_a_hint() {
    let context = furnished();
    insta::assert_snapshot!(run(&context, &["explain", "S9999"]), @"
    status: 1
    ----- stdout -----
    ----- stderr -----
    error: there is no code `S9999`
    hint: `openoxide check` and `openoxide list --all` print the codes that there are
    ");
    insta::assert_snapshot!(run(&context, &["explain", "deplyo"]), @"
    status: 1
    ----- stdout -----
    ----- stderr -----
    error: no skill is called `deplyo`
    hint: did you mean `deploy`? `openoxide list --all` shows everything that was found
    ");
}

#[test]
fn json_answers_its_schema() {
    let context = furnished();
    for skill in ["deploy", "release-notes", "empty"] {
        for host in ["openoxide", "codex", "claude-code", "agentskills", "opencode"] {
            let answer = valid_json(&context, &["explain", skill, "--json", "--host", host]);
            assert_eq!(answer["hosts"].as_array().unwrap().len(), 4, "each other host: {answer:#}");
        }
    }
    let answer = valid_json(&context, &["explain", "deploy", "--json"]);
    assert_eq!(answer["counts"][0]["scope"], "user");
    assert_eq!(answer["others"][0]["standing"], "untrusted");
}
