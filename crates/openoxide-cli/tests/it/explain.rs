//! `explain`: why a skill does or does not count, here and elsewhere.

use openoxide_skills::host::Hosts;
use openoxide_testkit::TestContext;

use crate::support::{furnished, run, skill_file, valid_json};

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
      Claude Code  not seen  it looks only in ~/.claude/skills, .claude/skills
      and 15 more hosts: openoxide explain deploy -v
    ----- stderr -----
    hint: to trust the project: openoxide trust
    hint: openoxide link deploy --into claude-code
    ");
}

#[test]
fn one_that_another_host_does_not_see() {
    insta::assert_snapshot!(run(&furnished(), &["explain", "release-notes", "-v"]), @"
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
      Pepper        not seen  it looks only in files/skills, skills,
                              .opencode/skills
      pi            not seen  it looks only in .pi/skills, .agents/skills,
                              ~/.pi/agent/skills, ~/.agents/skills
      Qwen Code     not seen  it looks only in .qwen/skills, ~/.qwen/skills
      RemcoChat     not seen  its settings switch skills off: `app.skills.enabled`
                              in config.toml
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
    release-notes: not found by Codex

      .claude/skills/release-notes  repo

      Codex: it looks only in .codex/skills, ~/.codex/skills, ~/.agents/skills,
             .agents/skills

    In other agents
      Claude Code  seen      .claude/skills/release-notes
      OpenOxide    seen      .claude/skills/release-notes
      and 14 more hosts: openoxide explain release-notes -v --host codex
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
      Claude Code  not seen  it looks only in ~/.claude/skills, .claude/skills
      and 15 more hosts: openoxide explain empty -v
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

/// Runs `explain` for one skill and returns the lines about one host, as one.
fn about(context: &TestContext, args: &[&str], title: &str) -> String {
    let output = run(context, &[&["explain", "-v"], args].concat());
    let mut lines = output.stdout.lines().skip_while(|line| !line.starts_with(&format!("  {title} ")));
    let first = lines.next().unwrap_or_else(|| panic!("nothing about {title}\n{output}")).trim().to_owned();
    lines.take_while(|line| line.starts_with("     ")).fold(first, |text, line| format!("{text} {}", line.trim()))
}

#[test]
fn a_single_file_and_where_folders_are_searched() {
    let context = TestContext::new();
    context.tree("//- project/.opencode/skills/note.md\n---\nname: note\ndescription: Notes\n---\nText\n");
    context.tree(&skill_file("project/.codex/skills", "lint", "lint"));
    assert!(about(&context, &["note"], "Pepper").contains("  seen "), "{}", run(&context, &["explain", "note", "-v"]));
    let opencode = about(&context, &["note"], "OpenCode");
    assert!(opencode.ends_with("it is a single file, and .opencode/skills is searched for folders"), "{opencode}");
    let pepper = about(&context, &["lint"], "Pepper");
    assert!(pepper.ends_with("it looks only in files/skills, skills, .opencode/skills"), "{pepper}");
}

#[test]
fn a_host_whose_skills_are_switched_off() {
    let context = TestContext::new();
    context.tree(&skill_file("project/.agents/skills", "lint", "lint"));
    let line = about(&context, &["lint"], "RemcoChat");
    assert!(line.ends_with("its settings switch skills off: `app.skills.enabled` in config.toml"), "{line}");
    let remedy = "skills are off: set `app.skills.enabled` to true in config.toml";
    for command in ["list", "prompt", "roots"] {
        let output = run(&context, &[command, "--host", "remcochat"]);
        assert!(output.to_string().contains(remedy), "{command}\n{output}");
        assert!(!output.to_string().contains("openoxide new"), "{command}\n{output}");
    }
    context.tree("//- project/config.toml\nversion = 2\n[app.skills]\nenabled = true\n");
    let output = run(&context, &["list", "--host", "remcochat"]);
    assert!(output.stdout.contains("lint") && !output.stderr.contains("are off"), "{output}");
    context.tree("//- home/.gemini/settings.json\n{\"skills\": {\"enabled\": false}}\n");
    let line = about(&context, &["lint"], "Gemini CLI");
    assert!(line.ends_with("its settings switch skills off: `skills.enabled` in ~/.gemini/settings.json"), "{line}");
}

#[test]
fn one_that_only_one_agent_here_sees() {
    let context = TestContext::new();
    context.tree("//- home/.claude/\n//- home/.codex/\n");
    context.tree(&skill_file("project/.codex/skills", "lint", "lint"));
    insta::assert_snapshot!(run(&context, &["explain", "lint"]), @"
    status: 0
    ----- stdout -----
    lint: not found by OpenOxide

      .codex/skills/lint  repo

      OpenOxide: it looks only in .openoxide/skills, .agents/skills, .claude/skills,
                 ~/.openoxide/skills, ~/.agents/skills, ~/.claude/skills

    In other agents
      Claude Code  not seen  it looks only in ~/.claude/skills, .claude/skills
      Codex        seen      .codex/skills/lint
      and 14 more hosts: openoxide explain lint -v
    ----- stderr -----
    hint: openoxide link lint --into claude-code
    ");
    let output = run(&context, &["explain", "lint", "-v"]);
    assert!(output.stdout.contains("\n  Zed ") && !output.stdout.contains("more host"), "{output}");
}
