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

    In other agents
      Agent Skills  seen      .agents/skills/deploy
      Claude Code   not seen  it looks only in ~/.claude/skills, .claude/skills
      Codex         seen      2 of them, so the name alone is ambiguous
      Copilot CLI   seen      .agents/skills/deploy
      Crush         seen      .agents/skills/deploy
      Gemini CLI    seen      .agents/skills/deploy
      goose         seen      .agents/skills/deploy
      oh-my-pi      seen      .agents/skills/deploy
      OpenCode      seen      .agents/skills/deploy
      Pepper        not seen  it looks only in files/skills, skills
      pi            seen      .agents/skills/deploy
      Qwen Code     not seen  it looks only in .qwen/skills, ~/.qwen/skills
      RemcoChat     not seen  its settings name no folder to look in
      Roo Code      not seen  it looks only in .roo/skills-code, .roo/skills,
                              ~/.roo/skills-code, ~/.roo/skills
      VS Code       seen      .agents/skills/deploy
      Zed           seen      .agents/skills/deploy
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

    In other agents
      Agent Skills  not seen  it looks only in .agents/skills, ~/.agents/skills
      Claude Code   seen      .claude/skills/release-notes
      Codex         not seen  it looks only in .codex/skills, ~/.codex/skills,
                              ~/.agents/skills, .agents/skills
      Copilot CLI   seen      .claude/skills/release-notes
      Crush         seen      .claude/skills/release-notes
      Gemini CLI    not seen  it looks only in .agents/skills, .gemini/skills,
                              ~/.agents/skills, ~/.gemini/skills
      goose         seen      .claude/skills/release-notes
      oh-my-pi      seen      .claude/skills/release-notes
      OpenCode      seen      .claude/skills/release-notes
      Pepper        not seen  it looks only in files/skills, skills
      pi            not seen  it looks only in .pi/skills, .agents/skills,
                              ~/.pi/agent/skills, ~/.agents/skills
      Qwen Code     not seen  it looks only in .qwen/skills, ~/.qwen/skills
      RemcoChat     not seen  its settings name no folder to look in
      Roo Code      not seen  it looks only in .roo/skills-code, .roo/skills,
                              ~/.roo/skills-code, ~/.roo/skills
      VS Code       seen      .claude/skills/release-notes
      Zed           not seen  it looks only in .agents/skills, ~/.agents/skills
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

    In other agents
      Agent Skills  not seen  it looks only in .agents/skills, ~/.agents/skills
      Claude Code   seen      .claude/skills/release-notes
      Copilot CLI   seen      .claude/skills/release-notes
      Crush         seen      .claude/skills/release-notes
      Gemini CLI    not seen  it looks only in .agents/skills, .gemini/skills,
                              ~/.agents/skills, ~/.gemini/skills
      goose         seen      .claude/skills/release-notes
      oh-my-pi      seen      .claude/skills/release-notes
      OpenCode      seen      .claude/skills/release-notes
      OpenOxide     seen      .claude/skills/release-notes
      Pepper        not seen  it looks only in files/skills, skills
      pi            not seen  it looks only in .pi/skills, .agents/skills,
                              ~/.pi/agent/skills, ~/.agents/skills
      Qwen Code     not seen  it looks only in .qwen/skills, ~/.qwen/skills
      RemcoChat     not seen  its settings name no folder to look in
      Roo Code      not seen  it looks only in .roo/skills-code, .roo/skills,
                              ~/.roo/skills-code, ~/.roo/skills
      VS Code       seen      .claude/skills/release-notes
      Zed           not seen  it looks only in .agents/skills, ~/.agents/skills
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

    In other agents
      Agent Skills  not seen  invalid: the file does not begin with frontmatter
      Claude Code   not seen  it looks only in ~/.claude/skills, .claude/skills
      Codex         not seen  invalid: the file does not begin with frontmatter
      Copilot CLI   not seen  invalid: the file does not begin with frontmatter
      Crush         not seen  invalid: the file does not begin with frontmatter
      Gemini CLI    not seen  invalid: the file does not begin with frontmatter
      goose         not seen  invalid: the file does not begin with frontmatter
      oh-my-pi      seen      .agents/skills/empty
      OpenCode      not seen  invalid: the file does not begin with frontmatter
      Pepper        not seen  it looks only in files/skills, skills
      pi            not seen  invalid: the file does not begin with frontmatter
      Qwen Code     not seen  it looks only in .qwen/skills, ~/.qwen/skills
      RemcoChat     not seen  its settings name no folder to look in
      Roo Code      not seen  it looks only in .roo/skills-code, .roo/skills,
                              ~/.roo/skills-code, ~/.roo/skills
      VS Code       not seen  invalid: the file does not begin with frontmatter
      Zed           not seen  invalid: the file does not begin with frontmatter
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
