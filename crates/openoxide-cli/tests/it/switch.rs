//! `enable` and `disable`: switches, with edits that keep what stands around them.

use openoxide_testkit::TestContext;

use crate::support::{changes, field, furnished, json, run};

fn config(context: &TestContext) -> String {
    fs_err::read_to_string(context.home().join(".openoxide/config.toml")).unwrap()
}

fn status(context: &TestContext, path: &str) -> String {
    let list = json(context, &["list", "--json", "--host", "openoxide"]);
    let lines = list["skills"].as_array().unwrap().iter().chain(list["others"].as_array().unwrap());
    let mut lines = lines.filter(|line| line["path"].as_str().unwrap().ends_with(path));
    lines.next().unwrap()["status"].as_str().unwrap().to_owned()
}

#[test]
fn answers_in_json() {
    let context = furnished();
    for action in ["disable", "enable"] {
        let answer = changes(&context, &[action, "sql-review", "--json"]);
        let path = "[ROOT]/home/.openoxide/config.toml";
        let line = serde_json::json!([{ "action": action, "path": path, "target": "sql-review" }]);
        assert_eq!(answer["changes"], line);
        assert_eq!(changes(&context, &[action, "sql-review", "--json"])["changes"], serde_json::json!([]));
    }
    for action in [&["set", "skills.claude", "false"][..], &["unset", "skills.claude"]] {
        let args = [&["config"], action, &["--json"]].concat();
        let answer = changes(&context, &args);
        assert_eq!(
            (&answer["changes"][0]["action"], &answer["changes"][0]["target"]),
            (&action[0].into(), &action[1].into())
        );
        assert_eq!(changes(&context, &args)["changes"], serde_json::json!([]));
    }
}

#[test]
fn off_and_on_again() {
    let context = furnished();
    insta::assert_snapshot!(run(&context, &["disable", "sql-review"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    OpenOxide's own skills are now in ~/.openoxide/skills/.system; `openoxide list` shows them as `system`
    sql-review is switched off in ~/.openoxide/config.toml
    ");
    assert_eq!(status(&context, "/sql-review/SKILL.md"), "disabled");
    insta::assert_snapshot!(config(&context), @r#"
    [[skills.config]]
    name = "sql-review"
    enabled = false
    "#);
    insta::assert_snapshot!(run(&context, &["disable", "sql-review"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    sql-review was switched off already
    ");
    insta::assert_snapshot!(run(&context, &["enable", "sql-review"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    sql-review is switched on in ~/.openoxide/config.toml
    ");
    assert_eq!(status(&context, "/sql-review/SKILL.md"), "active");
    insta::assert_snapshot!(config(&context), @r#"
    [[skills.config]]
    name = "sql-review"
    enabled = true
    "#);
}

#[test]
fn by_path_only_one_of_two() {
    let context = furnished();
    let output = run(&context, &["disable", "~/.agents/skills/deploy"]);
    assert_eq!(output.status, Some(0), "{output}");
    assert_eq!(status(&context, "home/.agents/skills/deploy/SKILL.md"), "disabled");
    assert_eq!(status(&context, "project/.agents/skills/deploy/SKILL.md"), "active");
}

#[test]
fn comments_and_order_are_kept() {
    let context = furnished();
    let before = "\
# My settings, do not touch.
color = \"never\"   # for the log

[skills]
# more places
paths = [
    \"~/a\",  # first
    \"~/b\",
]

# The old one is kept off.
[[skills.config]]
name = \"old\" # really old
enabled = false

[limits]
depth = 5
";
    context.tree(&format!("//- home/.openoxide/config.toml\n{before}"));
    assert_eq!(run(&context, &["disable", "sql-review"]).status, Some(0));
    let after = config(&context);
    for line in before.lines() {
        assert!(after.contains(line), "{line:?} is gone\n{after}");
    }
    let kept: String = before.lines().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n");
    let rest: Vec<&str> = after.lines().filter(|line| !line.is_empty() && before.contains(line)).collect();
    let mut rest = rest.into_iter();
    assert!(kept.lines().all(|line| rest.any(|other| other == line)), "another order\n{after}");
}

/// Switching the same skill again changes its rule and keeps what is said about it.
#[test]
fn comments_of_the_rule_itself_are_kept() {
    let context = furnished();
    context.tree(
        "//- home/.openoxide/config.toml\n# Too slow for every day.\n[[skills.config]]\nname = \"sql-review\" # by me\nenabled = false # for now\n",
    );
    assert_eq!(run(&context, &["enable", "sql-review"]).status, Some(0));
    insta::assert_snapshot!(config(&context), @r#"
    # Too slow for every day.
    [[skills.config]]
    name = "sql-review" # by me
    enabled = true # for now
    "#);
}

#[test]
fn a_higher_rule_is_admitted() {
    let context = furnished();
    context.tree("//- project/.openoxide/config.toml\n[[skills.config]]\nname = \"sql-review\"\nenabled = false\n");
    let trust = format!("trust.folders=[{:?}]", context.project());
    insta::assert_snapshot!(run(&context, &["enable", "sql-review", "--config", &trust]), @"
    status: 1
    ----- stdout -----
    ----- stderr -----
    OpenOxide's own skills are now in ~/.openoxide/skills/.system; `openoxide list` shows them as `system`
    sql-review is switched on in ~/.openoxide/config.toml
    warning: it is still off: it is switched off: `[ROOT]/project/.openoxide/config.toml` says so
    ");
    insta::assert_snapshot!(run(&context, &["enable", "sql-review"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    sql-review was switched on already
    ");
}

#[test]
fn a_skill_that_switches_itself_off_stays_off() {
    let context = TestContext::new();
    context.tree("//- project/.agents/skills/off/SKILL.md\n---\nname: off\ndescription: d\nenabled: false\n---\n");
    insta::assert_snapshot!(run(&context, &["enable", "off"]), @"
    status: 1
    ----- stdout -----
    ----- stderr -----
    OpenOxide's own skills are now in ~/.openoxide/skills/.system; `openoxide list` shows them as `system`
    off is switched on in ~/.openoxide/config.toml
    warning: it is still off: its own text says `enabled: false`
    ");
}

#[test]
fn in_the_project() {
    let context = furnished();
    insta::assert_snapshot!(run(&context, &["disable", "sql-review", "--in-project"]), @"
    status: 1
    ----- stdout -----
    ----- stderr -----
    OpenOxide's own skills are now in ~/.openoxide/skills/.system; `openoxide list` shows them as `system`
    sql-review is switched off in .openoxide/config.toml
    warning: it is still on: the project's settings apply only once the project is trusted
    ");
    assert!(context.project().join(".openoxide/config.toml").is_file());
    assert!(!context.home().join(".openoxide/config.toml").exists());
}

#[test]
fn settings_of_others_are_never_written() {
    let context = furnished();
    context.tree("//- home/.codex/config.toml\n# theirs\n");
    insta::assert_snapshot!(run(&context, &["disable", "sql-review", "--host", "codex"]), @"
    status: 2
    ----- stdout -----
    ----- stderr -----
    error: the settings of Codex are its own, and are never written here
    hint: leave out --host, or change the program's own settings
    ");
    for host in ["claude-code", "agentskills"] {
        assert_eq!(run(&context, &["disable", "sql-review", "--host", host]).status, Some(2), "{host}");
    }
    assert_eq!(fs_err::read_to_string(context.home().join(".codex/config.toml")).unwrap(), "# theirs\n");
    assert!(!context.home().join(".openoxide").exists());
}

#[test]
fn an_unknown_skill_has_a_hint_and_nothing_is_written() {
    let context = furnished();
    insta::assert_snapshot!(run(&context, &["disable", "sql-reviev"]), @"
    status: 1
    ----- stdout -----
    ----- stderr -----
    error: no skill is called `sql-reviev`
    hint: did you mean `sql-review`? `openoxide list --all` shows everything that was found
    ");
    assert!(!context.home().join(".openoxide").exists());
}

#[test]
fn a_broken_file_is_left_alone() {
    let context = furnished();
    context.tree("//- home/.openoxide/config.toml\nskills = [\n");
    insta::assert_snapshot!(run(&context, &["disable", "sql-review"]), @"
    status: 2
    ----- stdout -----
    ----- stderr -----
    warning: ~/.openoxide/config.toml:1: the file is not valid TOML: unclosed array, expected `]` [S0401]; fix the file; until then it is ignored
    error: `[ROOT]/home/.openoxide/config.toml` is not valid TOML, so it is left as it is
      Caused by: TOML parse error at line 1, column 11
      |
    1 | skills = [
      |           ^
    unclosed array, expected `]`
    ");
    assert_eq!(config(&context), "skills = [\n");
}

#[test]
fn a_dotted_form_is_understood() {
    let context = furnished();
    context.tree("//- home/.openoxide/config.toml\nskills.config = [{ name = \"old\", enabled = false }] # inline\n");
    let output = run(&context, &["disable", "sql-review"]);
    assert_eq!(output.status, Some(0), "{output}");
    assert_eq!(status(&context, "/sql-review/SKILL.md"), "disabled");
    assert!(config(&context).contains("old"), "{}", config(&context));
    let list = json(&context, &["list", "--json", "--host", "openoxide"]);
    assert_eq!(field(&list["problems"], "code").iter().filter(|code| code.starts_with("S04")).count(), 0, "{list:#}");
}

/// Rules of several files add up; each keeps the file that it comes from.
#[test]
fn a_rule_names_its_own_file() {
    let context = furnished();
    let run = |args: &[&str]| run(&context, args);
    assert_eq!(run(&["disable", "release-notes"]).status, Some(0));
    assert_eq!(run(&["trust"]).status, Some(0));
    assert_eq!(run(&["enable", "deploy", "--in-project"]).status, Some(0));
    let listed = run(&["list", "--all", "--host", "openoxide"]).stdout;
    assert!(listed.contains("it is switched off: `~/.openoxide/config.toml` says so"), "{listed}");
}
