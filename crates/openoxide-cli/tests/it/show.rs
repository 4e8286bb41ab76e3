//! `show`: everything about one skill.

use openoxide_testkit::TestContext;

use crate::support::{furnished, run, skill_file, valid_json};

#[test]
fn by_name() {
    let context = furnished();
    insta::assert_snapshot!(run(&context, &["show", "deploy"]), @"
    status: 0
    ----- stdout -----
    deploy
    Ship as I always do

      file           ~/.agents/skills/deploy/SKILL.md
      scope          user
      status         active
      called by      you and the model
      cost           42 tokens listed, about 14 read
    ----- stderr -----
    these are OpenOxide's own rules; for an agent's, add `--host claude-code`
    hint: 1 more has this name: openoxide explain deploy
    ");
    insta::assert_snapshot!(run(&context, &["show", "sql-review"]), @"
    status: 0
    ----- stdout -----
    sql-review
    Review a migration for locks and data loss

      file           ~/.agents/skills/sql-review/SKILL.md
      scope          user
      status         active
      called by      you only
      cost           49 tokens listed, about 28 read
      needs          env_var PDF_KEY
    ----- stderr -----
    these are OpenOxide's own rules; for an agent's, add `--host claude-code`
    ");
}

#[test]
fn by_path() {
    let context = furnished();
    insta::assert_snapshot!(run(&context, &["show", ".agents/skills/deploy"]), @"
    status: 0
    ----- stdout -----
    deploy
    Ship the service to staging or production

      file           .agents/skills/deploy/SKILL.md
      scope          repo
      status         untrusted, S0306: the project is not trusted, so the user's skill keeps the name
      cost           48 tokens listed, about 35 read
      license        MIT
      wants tools    Bash(git:*), Read
    ----- stderr -----
    these are OpenOxide's own rules; for an agent's, add `--host claude-code`
    ");
    let file = run(&context, &["show", ".agents/skills/deploy/SKILL.md"]);
    assert_eq!(file, run(&context, &["show", "./.agents/skills/deploy"]));
    let home = run(&context, &["show", "~/.agents/skills/deploy"]);
    assert!(home.stdout.contains("Ship as I always do"), "{home}");
}

#[test]
fn one_that_does_not_count_is_shown_with_its_reason() {
    insta::assert_snapshot!(run(&furnished(), &["show", "empty"]), @"
    status: 0
    ----- stdout -----
    empty


      file           .agents/skills/empty/SKILL.md
      scope          repo
      status         invalid, S0100: the file does not begin with frontmatter
      cost           37 tokens listed, about 5 read

    error: the file does not begin with frontmatter [S0100]
    ----- stderr -----
    these are OpenOxide's own rules; for an agent's, add `--host claude-code`
    ");
}

#[test]
fn an_unknown_name_has_a_hint() {
    let context = furnished();
    insta::assert_snapshot!(run(&context, &["show", "relase-notes"]), @"
    status: 1
    ----- stdout -----
    ----- stderr -----
    error: no skill is called `relase-notes`
    hint: did you mean `release-notes`? `openoxide list` shows every skill
    ");
    insta::assert_snapshot!(run(&context, &["show", "zzz"]), @"
    status: 1
    ----- stdout -----
    ----- stderr -----
    error: no skill is called `zzz`
    hint: `openoxide list` shows every skill
    ");
}

#[test]
fn json_answers_its_schema() {
    let context = furnished();
    for skill in ["deploy", "release-notes", "sql-review", "empty", "pdf-forms"] {
        let answer = valid_json(&context, &["show", skill, "--json"]);
        assert!(answer["skill"]["path"].as_str().unwrap().ends_with("/SKILL.md"), "{answer:#}");
    }
    let answer = valid_json(&context, &["show", "release-notes", "--json"]);
    assert_eq!(answer["skill"]["argument_hint"], "FROM TO");
    let answer = valid_json(&context, &["show", "empty", "--json"]);
    assert!(answer["skill"]["reason"].as_str().unwrap().starts_with("S0100: "), "{answer:#}");
    assert_eq!(answer["problems"][0]["code"], "S0100");
}

/// These commands follow OpenOxide's own rules: a skill that only an agent of the user finds is not unknown to the user.
#[test]
fn a_skill_that_only_an_agent_finds_has_the_host_in_the_hint() {
    let context = TestContext::new();
    context.tree(&skill_file("home/.codex/skills", "lint", "lint"));
    for command in [&["show", "lint"][..], &["activate", "lint"], &["read", "lint"], &["run", "lint", "x"]] {
        let output = run(&context, command);
        let expected = "error: no skill is called `lint`\nhint: Codex finds it: use `--host codex`\n";
        assert_eq!((output.status, output.stderr.as_str()), (Some(1), expected), "{command:?}");
    }
    assert_eq!(run(&context, &["show", "lint", "--host", "codex"]).status, Some(0));
    // So is one that another agent finds than the one that was named.
    context.tree("//- home/.claude/settings.json\n{}\n");
    for command in [&["show", "lint"][..], &["disable", "lint"]] {
        let output = run(&context, &[command, &["--host", "claude-code"]].concat());
        assert_eq!(
            (output.status, output.stderr.contains("hint: Codex finds it: use `--host codex`")),
            (Some(1), true),
            "{}",
            output.stderr
        );
    }
    let two = run(&context, &["disable", "lint", "other", "--host", "claude-code"]);
    assert!(!two.stderr.contains("Codex finds it"), "{}", two.stderr);
}

#[test]
fn a_misspelled_name_is_answered_by_each_command() {
    let context = TestContext::new();
    context.skill("release-notes", "Turn pull requests into notes");
    for command in [&["show"][..], &["activate"], &["read"], &["run"], &["explain"], &["link", "--into", "claude-code"]]
    {
        let mut args = command.to_vec();
        args.insert(1, "relase-notes");
        args.extend((command == ["run"]).then_some("x"));
        let output = run(&context, &args);
        let expected = "error: no skill is called `relase-notes`\n\
                        hint: did you mean `release-notes`? `openoxide list` shows every skill\n";
        assert_eq!((output.status, output.stderr.as_str()), (Some(1), expected), "{command:?}");
    }
}
