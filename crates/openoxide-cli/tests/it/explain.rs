//! `explain`: why a skill does or does not count, here and elsewhere.

use openoxide_skills::Hosts;

use crate::support::{furnished, run, valid_json};

#[test]
fn a_name_that_two_have() {
    insta::assert_snapshot!(run(&furnished(), &["explain", "deploy"]), @"
    status: 0
    ----- stdout -----
    deploy: 2 found, 1 counts

      counts     ~/.agents/skills/deploy  user
      untrusted  .agents/skills/deploy    repo
                 the project is not trusted, so the user's skill keeps the name
                 [S0306]

    In other hosts
      agentskills  seen      .agents/skills/deploy
      claude-code  not seen  it looks in ~/.claude/skills, .claude/skills only
      codex        seen      2 of them, so the name alone is ambiguous
      copilot-cli  seen      .agents/skills/deploy
      crush        seen      .agents/skills/deploy
      gemini-cli   seen      .agents/skills/deploy
      goose        seen      .agents/skills/deploy
      omp          seen      .agents/skills/deploy
      opencode     seen      .agents/skills/deploy
      pepper       not seen  it looks in files/skills, skills only
      pi           seen      .agents/skills/deploy
      qwen-code    not seen  it looks in .qwen/skills, ~/.qwen/skills only
      remcochat    not seen  its settings name no folder to look in
      roo          not seen  it looks in .roo/skills-code, .roo/skills,
                             ~/.roo/skills-code, ~/.roo/skills only
      vscode       seen      .agents/skills/deploy
      zed          seen      .agents/skills/deploy
    ----- stderr -----
    hint: to trust the project: openoxide trust
    hint: openoxide link deploy --into claude-code
    ");
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
      codex        not seen  it looks in .codex/skills, ~/.codex/skills,
                             ~/.agents/skills, .agents/skills only
      copilot-cli  seen      .claude/skills/release-notes
      crush        seen      .claude/skills/release-notes
      gemini-cli   not seen  it looks in .agents/skills, .gemini/skills,
                             ~/.agents/skills, ~/.gemini/skills only
      goose        seen      .claude/skills/release-notes
      omp          seen      .claude/skills/release-notes
      opencode     seen      .claude/skills/release-notes
      pepper       not seen  it looks in files/skills, skills only
      pi           not seen  it looks in .pi/skills, .agents/skills,
                             ~/.pi/agent/skills, ~/.agents/skills only
      qwen-code    not seen  it looks in .qwen/skills, ~/.qwen/skills only
      remcochat    not seen  its settings name no folder to look in
      roo          not seen  it looks in .roo/skills-code, .roo/skills,
                             ~/.roo/skills-code, ~/.roo/skills only
      vscode       seen      .claude/skills/release-notes
      zed          not seen  it looks in .agents/skills, ~/.agents/skills only
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
      copilot-cli  seen      .claude/skills/release-notes
      crush        seen      .claude/skills/release-notes
      gemini-cli   not seen  it looks in .agents/skills, .gemini/skills,
                             ~/.agents/skills, ~/.gemini/skills only
      goose        seen      .claude/skills/release-notes
      omp          seen      .claude/skills/release-notes
      opencode     seen      .claude/skills/release-notes
      openoxide    seen      .claude/skills/release-notes
      pepper       not seen  it looks in files/skills, skills only
      pi           not seen  it looks in .pi/skills, .agents/skills,
                             ~/.pi/agent/skills, ~/.agents/skills only
      qwen-code    not seen  it looks in .qwen/skills, ~/.qwen/skills only
      remcochat    not seen  its settings name no folder to look in
      roo          not seen  it looks in .roo/skills-code, .roo/skills,
                             ~/.roo/skills-code, ~/.roo/skills only
      vscode       seen      .claude/skills/release-notes
      zed          not seen  it looks in .agents/skills, ~/.agents/skills only
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
      claude-code  not seen  it looks in ~/.claude/skills, .claude/skills only
      codex        not seen  invalid: the file does not begin with frontmatter
      copilot-cli  not seen  invalid: the file does not begin with frontmatter
      crush        not seen  invalid: the file does not begin with frontmatter
      gemini-cli   not seen  invalid: the file does not begin with frontmatter
      goose        not seen  invalid: the file does not begin with frontmatter
      omp          seen      .agents/skills/empty
      opencode     not seen  invalid: the file does not begin with frontmatter
      pepper       not seen  it looks in files/skills, skills only
      pi           not seen  invalid: the file does not begin with frontmatter
      qwen-code    not seen  it looks in .qwen/skills, ~/.qwen/skills only
      remcochat    not seen  its settings name no folder to look in
      roo          not seen  it looks in .roo/skills-code, .roo/skills,
                             ~/.roo/skills-code, ~/.roo/skills only
      vscode       not seen  invalid: the file does not begin with frontmatter
      zed          not seen  invalid: the file does not begin with frontmatter
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
            let others = Hosts::builtin().names().count() - 1;
            assert_eq!(answer["hosts"].as_array().unwrap().len(), others, "each other host: {answer:#}");
        }
    }
    let answer = valid_json(&context, &["explain", "deploy", "--json"]);
    assert_eq!(answer["counts"][0]["scope"], "user");
    assert_eq!(answer["others"][0]["standing"], "untrusted");
}
