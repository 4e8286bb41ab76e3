//! `explain`: why a skill is active or ignored, in your agents and in each other.

use openoxide_skills::host::Hosts;
use openoxide_testkit::TestContext;

use crate::support::{bin, field, furnished, run, run_with, skill_file, valid_json};

/// A project with a bit of everything, for a user of three agents.
fn with_agents() -> TestContext {
    let context = furnished();
    context.tree("//- home/.codex/\n//- home/.config/opencode/\n");
    context
}

#[test]
fn a_name_that_two_have() {
    insta::assert_snapshot!(run(&with_agents(), &["explain", "deploy"]), @"
    status: 0
    ----- stdout -----
    deploy: 2 found

      .agents/skills/deploy    repo
      ~/.agents/skills/deploy  user

      Claude Code  not found  it looks only in ~/.claude/skills, .claude/skills
        openoxide link .agents/skills/deploy --into claude-code
      Codex        ambiguous  2 skills of this name are active, so the name alone
                              selects neither
                   active     .agents/skills/deploy
                   active     ~/.agents/skills/deploy
      OpenCode     active     .agents/skills/deploy
                   shadowed   ~/.agents/skills/deploy: the skill of this name in
                              `[ROOT]/project/.agents/skills`
                              wins: of several roots, the last one counts [S0301]
      14 other agents: openoxide explain deploy --all-hosts
    ----- stderr -----
    ");
}

#[test]
fn one_that_another_host_does_not_see() {
    insta::assert_snapshot!(run(&with_agents(), &["explain", "release-notes"]), @"
    status: 0
    ----- stdout -----
    release-notes: 1 found

      .claude/skills/release-notes  repo

      Claude Code  active     .claude/skills/release-notes
      Codex        not found  it looks only in .codex/skills, ~/.codex/skills,
                              ~/.agents/skills, .agents/skills
                              openoxide link release-notes --into codex
      OpenCode     active     .claude/skills/release-notes
      14 other agents: openoxide explain release-notes --all-hosts
    ----- stderr -----
    ");
}

#[test]
fn all_hosts() {
    insta::assert_snapshot!(run(&with_agents(), &["explain", "release-notes", "--all-hosts"]), @"
    status: 0
    ----- stdout -----
    release-notes: 1 found

      .claude/skills/release-notes  repo

      Claude Code   active     .claude/skills/release-notes
      Codex         not found  it looks only in .codex/skills, ~/.codex/skills,
                               ~/.agents/skills, .agents/skills
                               openoxide link release-notes --into codex
      OpenCode      active     .claude/skills/release-notes
      Agent Skills  not found  it looks only in .agents/skills, ~/.agents/skills
      Copilot CLI   active     .claude/skills/release-notes
      Crush         active     .claude/skills/release-notes
      Gemini CLI    not found  it looks only in .agents/skills, .gemini/skills,
                               ~/.agents/skills, ~/.gemini/skills
      goose         active     .claude/skills/release-notes
      oh-my-pi      active     .claude/skills/release-notes
      OpenOxide     active     .claude/skills/release-notes
      Pepper        not found  it looks only in files/skills, skills,
                               .opencode/skills
      pi            not found  it looks only in .pi/skills, .agents/skills,
                               ~/.pi/agent/skills, ~/.agents/skills
      Qwen Code     not found  it looks only in .qwen/skills, ~/.qwen/skills
      RemcoChat     not found  its settings switch skills off: `app.skills.enabled`
                               in config.toml
      Roo Code      not found  it looks only in .roo/skills-code, .roo/skills,
                               ~/.roo/skills-code, ~/.roo/skills
      VS Code       active     .claude/skills/release-notes
      Zed           not found  it looks only in .agents/skills, ~/.agents/skills
    ----- stderr -----
    ");
}

#[test]
fn one_host() {
    insta::assert_snapshot!(run(&with_agents(), &["explain", "release-notes", "--host", "codex"]), @"
    status: 0
    ----- stdout -----
    release-notes: 1 found

      .claude/skills/release-notes  repo

      Codex  not found  it looks only in .codex/skills, ~/.codex/skills,
                        ~/.agents/skills, .agents/skills
                        openoxide link release-notes --into codex
      16 other agents (active in Claude Code, Copilot CLI, Crush, goose, oh-my-pi,
      OpenCode, OpenOxide, VS Code): --all-hosts
    ----- stderr -----
    ");
    insta::assert_snapshot!(run(&with_agents(), &["explain", "deploy", "--host", "openoxide"]), @"
    status: 0
    ----- stdout -----
    deploy: 2 found

      ~/.agents/skills/deploy  user
      .agents/skills/deploy    repo, not trusted

      OpenOxide  active     ~/.agents/skills/deploy
                 untrusted  .agents/skills/deploy: the project is not trusted, so
                            the user's skill keeps the name [S0306]
                            openoxide trust
      16 other agents: openoxide explain deploy --all-hosts --host openoxide
    ----- stderr -----
    ");
}

#[test]
fn one_that_is_broken() {
    insta::assert_snapshot!(run(&with_agents(), &["explain", "empty"]), @"
    status: 0
    ----- stdout -----
    empty: 1 found

      .agents/skills/empty  repo

      Claude Code  not found  it looks only in ~/.claude/skills, .claude/skills
      Codex        invalid    the file does not begin with frontmatter [S0100]
                              openoxide check .agents/skills/empty --host codex
      OpenCode     invalid    the file does not begin with frontmatter [S0100]
                              openoxide check .agents/skills/empty --host opencode
      14 other agents (active in oh-my-pi): openoxide explain empty --all-hosts
    ----- stderr -----
    ");
}

#[test]
fn no_agent_is_found() {
    let context = TestContext::new();
    context.skill("lint", "Lints");
    insta::assert_snapshot!(run(&context, &["explain", "lint"]), @"
    status: 0
    ----- stdout -----
    lint: 1 found

      .agents/skills/lint  repo

      OpenOxide  active  .agents/skills/lint
      16 other agents: openoxide explain lint --all-hosts
    ----- stderr -----
    no agent was found here, so OpenOxide's own rules apply; for an agent's rules, add `--host` and one of agentskills, claude-code, codex, copilot-cli, crush, gemini-cli, goose, omp, opencode, pepper, pi, qwen-code, remcochat, roo, vscode, zed
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
    hint: did you mean `deploy`? `openoxide list` shows every skill
    ");
}

#[test]
fn json_answers_its_schema() {
    let context = with_agents();
    for skill in ["deploy", "release-notes", "empty"] {
        for host in ["openoxide", "codex", "claude-code", "agentskills", "opencode"] {
            let answer = valid_json(&context, &["explain", skill, "--json", "--host", host]);
            assert_eq!(field(&answer["hosts"], "host"), [host], "{answer:#}");
        }
        let answer = valid_json(&context, &["explain", skill, "--json", "--all-hosts"]);
        assert_eq!(answer["hosts"].as_array().unwrap().len(), Hosts::builtin().names().count(), "{answer:#}");
    }
    let answer = valid_json(&context, &["explain", "deploy", "--json"]);
    assert_eq!(field(&answer["hosts"], "status"), ["not found", "ambiguous", "active"]);
    assert_eq!(field(&answer["files"], "scope"), ["repo", "user"]);
    assert_eq!(field(&answer["hosts"][2]["files"], "status"), ["active", "shadowed"]);
    assert!(answer["hosts"].as_array().unwrap().iter().all(|host| host["mine"] == true));
}

/// Runs `explain` for one skill and returns the lines about one host, as one.
fn about(context: &TestContext, args: &[&str], title: &str) -> String {
    let output = run(context, &[&["explain", "--all-hosts"], args].concat());
    let mut lines = output.stdout.lines().skip_while(|line| !line.starts_with(&format!("  {title} ")));
    let first = lines.next().unwrap_or_else(|| panic!("nothing about {title}\n{output}")).trim().to_owned();
    lines.take_while(|line| line.starts_with("     ")).fold(first, |text, line| format!("{text} {}", line.trim()))
}

#[test]
fn a_single_file_and_where_folders_are_searched() {
    let context = TestContext::new();
    context.tree("//- project/.opencode/skills/note.md\n---\nname: note\ndescription: Notes\n---\nText\n");
    context.tree(&skill_file("project/.codex/skills", "lint", "lint"));
    assert!(about(&context, &["note"], "Pepper").contains("  active "), "{}", run(&context, &["explain", "note"]));
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
    lint: 1 found

      .codex/skills/lint  repo

      Claude Code  not found  it looks only in ~/.claude/skills, .claude/skills
                              openoxide link lint --into claude-code
      Codex        active     .codex/skills/lint
      15 other agents: openoxide explain lint --all-hosts
    ----- stderr -----
    ");
}

/// A link that lets an agent show less of what it shows is suggested nowhere.
#[test]
fn no_link_is_suggested_into_a_full_catalog() {
    let context = TestContext::new();
    context.tree("//- home/.codex/config.toml\n//- home/.claude/settings.json\n{}\n");
    for at in 0..40 {
        let about = "words ".repeat(150);
        let folder = format!("project/.agents/skills/skill-{at}");
        context.tree(&format!("//- {folder}/SKILL.md\n---\nname: skill-{at}\ndescription: {about}\n---\n"));
    }
    context.tree(&skill_file("project/.claude/skills", "tiny", "tiny"));
    let explained = run(&context, &["explain", "tiny"]).stdout;
    assert!(explained.contains("No link is suggested: Codex's catalog is full."), "{explained}");
    assert!(explained.contains("openoxide prompt --host codex") && !explained.contains("--into codex"), "{explained}");
    let overview = run(&context, &["-v"]).stdout;
    assert!(!overview.contains("--into codex"), "{overview}");
}

/// Trust is said only for agents that wait for it.
#[test]
fn a_project_that_is_not_trusted_matters_to_some_agents() {
    let context = furnished();
    context.tree("//- home/.codex/config.toml\n");
    let explained = run(&context, &["explain", "deploy"]).stdout;
    assert!(!explained.contains("trusted"), "{explained}");
    let own = run(&context, &["explain", "deploy", "--host", "openoxide"]).stdout;
    assert!(own.contains("repo, not trusted\n"), "{own}");
    // What wins over it need not be the user's.
    let context = TestContext::new();
    context.tree("//- project/.git/HEAD\nref: refs/heads/main\n");
    context.tree("//- project/.agents/skills/skill-creator/SKILL.md\n---\nname: skill-creator\ndescription: d\n---\n");
    let mut command = context.command(bin(), ["explain", "skill-creator", "--host", "openoxide"]);
    let system = context.answer(command.env_remove("OPENOXIDE_SYSTEM_SKILLS")).stdout;
    assert!(system.contains("repo, not trusted\n") && !system.contains("yours"), "{system}");
}

/// What `enable` cannot change is not advised, and what is advised makes the skill active.
#[test]
fn enable_is_advised_only_where_it_makes_the_skill_active() {
    let skill = |path: &str, more: &str| {
        format!("//- {path}/deploy/SKILL.md\n---\nname: deploy\ndescription: Ship it\n{more}---\n")
    };
    let project = "project/.agents/skills";
    let cases = [
        ("openoxide", skill(project, "enabled: false\n"), None),
        ("opencode", skill("home/.claude/skills", ""), None),
        ("omp", skill(project, "") + "//- home/.omp/agent/config.yml\nskills:\n  ignoredSkills: [\"dep*\"]\n", None),
        (
            "opencode",
            skill(project, "") + "//- project/opencode.json\n{\"permission\": {\"skill\": {\"*\": \"deny\"}}}\n",
            Some(&["enable", "deploy", "--in-project", "--host", "opencode"][..]),
        ),
        (
            "opencode",
            skill(project, "")
                + "//- home/.config/opencode/opencode.json\n{\"permission\": {\"skill\": {\"deploy\": \"deny\"}}}\n",
            Some(&["enable", "deploy", "--host", "opencode"]),
        ),
    ];
    for (host, tree, advised) in cases {
        let context = TestContext::new();
        context.tree(&(tree + "//- project/.git/HEAD\nref: refs/heads/main\n"));
        let off = [("OPENCODE_DISABLE_CLAUDE_CODE_SKILLS", "1".as_ref())];
        let explain = || run_with(&context, &["explain", "deploy", "--host", host], &off).stdout;
        let explained = explain();
        assert!(!explained.contains("  active  "), "{explained}");
        let command = explained.lines().map(str::trim).find_map(|line| line.strip_prefix("openoxide enable"));
        let expected = advised.map(|words| words[1..].join(" "));
        assert_eq!(command.map(str::trim), expected.as_deref(), "{explained}");
        if let Some(words) = advised {
            let output = run_with(&context, &[words, &["--yes"]].concat(), &off);
            assert!(output.status == Some(0) && explain().contains("  active  "), "{output}\n{}", explain());
        }
    }
}
