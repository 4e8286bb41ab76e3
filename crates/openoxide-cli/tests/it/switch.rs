//! `enable` and `disable`: switches, with edits that keep what stands around them.

use std::os::unix::fs::MetadataExt as _;

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
        let answer = changes(&context, &[action, "sql-review", "--json", "--yes", "--host", "openoxide"]);
        let path = "[ROOT]/home/.openoxide/config.toml";
        let line = serde_json::json!([{ "action": action, "path": path, "target": "sql-review" }]);
        assert_eq!(answer["changes"], line);
        assert_eq!(
            changes(&context, &[action, "sql-review", "--json", "--yes", "--host", "openoxide"])["changes"],
            serde_json::json!([])
        );
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
    insta::assert_snapshot!(run(&context, &["disable", "sql-review", "--yes", "--host", "openoxide"]), @r#"
    status: 0
    ----- stdout -----
    ----- stderr -----
    OpenOxide
    --- ~/.openoxide/config.toml
    +++ ~/.openoxide/config.toml
    @@ -0,0 +1,3 @@
    +[[skills.config]]
    +name = "sql-review"
    +enabled = false
    sql-review is off in OpenOxide (~/.openoxide/config.toml)
    undo: openoxide enable sql-review --host openoxide
    "#);
    assert_eq!(status(&context, "/sql-review/SKILL.md"), "disabled");
    insta::assert_snapshot!(config(&context), @r#"
    [[skills.config]]
    name = "sql-review"
    enabled = false
    "#);
    insta::assert_snapshot!(run(&context, &["disable", "sql-review", "--yes", "--host", "openoxide"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    sql-review was off already in OpenOxide
    ");
    insta::assert_snapshot!(run(&context, &["enable", "sql-review", "--yes", "--host", "openoxide"]), @r#"
    status: 0
    ----- stdout -----
    ----- stderr -----
    OpenOxide
    --- ~/.openoxide/config.toml
    +++ ~/.openoxide/config.toml
    @@ -1,3 +0,0 @@
    -[[skills.config]]
    -name = "sql-review"
    -enabled = false
    sql-review is on in OpenOxide (~/.openoxide/config.toml)
    ~/.openoxide/config.toml had nothing else in it, so it is removed, and its empty folder with it
    undo: openoxide disable sql-review --host openoxide
    "#);
    assert_eq!(status(&context, "/sql-review/SKILL.md"), "active");
    assert!(!context.home().join(".openoxide/config.toml").exists());
}

#[test]
fn by_path_only_one_of_two() {
    let context = furnished();
    let output = run(&context, &["disable", "~/.agents/skills/deploy", "--yes", "--host", "openoxide"]);
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
    assert_eq!(run(&context, &["disable", "sql-review", "--yes", "--host", "openoxide"]).status, Some(0));
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
    assert_eq!(run(&context, &["enable", "sql-review", "--yes", "--host", "openoxide"]).status, Some(0));
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
    insta::assert_snapshot!(run(&context, &["enable", "sql-review", "--config", &trust, "--yes", "--host", "openoxide"]), @r#"
    status: 1
    ----- stdout -----
    ----- stderr -----
    warning: sql-review is still off in OpenOxide: it is switched off: `[ROOT]/project/.openoxide/config.toml` says so
    ~/.openoxide/config.toml is as it was: the change would have no effect
    hint: openoxide enable sql-review --in-project --host openoxide --config 'trust.folders=["[ROOT]/project"]'
    "#);
    insta::assert_snapshot!(run(&context, &["enable", "sql-review", "--yes", "--host", "openoxide"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    sql-review was on already in OpenOxide
    ");
}

#[test]
fn a_skill_that_switches_itself_off_stays_off() {
    let context = TestContext::new();
    context.tree("//- project/.agents/skills/off/SKILL.md\n---\nname: off\ndescription: d\nenabled: false\n---\n");
    insta::assert_snapshot!(run(&context, &["enable", "off", "--yes", "--host", "openoxide"]), @"
    status: 1
    ----- stdout -----
    ----- stderr -----
    warning: off is still off in OpenOxide: its own text says `enabled: false`
    ");
}

#[test]
fn in_the_project() {
    let context = furnished();
    insta::assert_snapshot!(run(&context, &["disable", "sql-review", "--in-project", "--yes", "--host", "openoxide"]), @r#"
    status: 1
    ----- stdout -----
    ----- stderr -----
    OpenOxide
    --- a/.openoxide/config.toml
    +++ b/.openoxide/config.toml
    @@ -0,0 +1,3 @@
    +[[skills.config]]
    +name = "sql-review"
    +enabled = false
    warning: sql-review is still on in OpenOxide: the project's settings apply only once the project is trusted
    undo: openoxide enable sql-review --in-project --host openoxide
    "#);
    assert!(context.project().join(".openoxide/config.toml").is_file());
    assert!(!context.home().join(".openoxide/config.toml").exists());
}

/// Writes a home and a project in which two agents see a skill.
fn with_agents() -> TestContext {
    let context = TestContext::new();
    context.tree(
        "//- project/.git/HEAD\nref: refs/heads/main\n\
         //- home/.codex/config.toml\n# mine\nmodel = \"m\" # best\n\
         //- home/.claude/settings.json\n{\n  \"model\": \"m\"\n}\n\
         //- home/.claude/skills/deploy/SKILL.md\n---\nname: deploy\ndescription: Ship it\n---\n\
         //- home/.claude/skills/notes/SKILL.md\n---\nname: notes\ndescription: Write notes\n---\n\
         //- home/.codex/skills/deploy/SKILL.md\n---\nname: deploy\ndescription: Ship it\n---\n\
         //- project/.zed/settings.json\n{}\n",
    );
    context
}

fn file(context: &TestContext, path: &str) -> String {
    fs_err::read_to_string(context.root().join(path)).unwrap()
}

#[test]
fn an_agents_own_settings_are_written_and_restored() {
    let context = with_agents();
    let before = file(&context, "home/.claude/settings.json");
    let off = run(&context, &["disable", "deploy", "notes", "--host", "claude-code", "--yes"]);
    insta::assert_snapshot!(off, @r#"
    status: 0
    ----- stdout -----
    ----- stderr -----
    Claude Code
    --- ~/.claude/settings.json
    +++ ~/.claude/settings.json
    @@ -1,3 +1,7 @@
     {
    -  "model": "m"
    +  "model": "m",
    +  "skillOverrides": {
    +    "deploy": "off",
    +    "notes": "off"
    +  }
     }
    deploy is off in Claude Code (~/.claude/settings.json)
    notes is off in Claude Code (~/.claude/settings.json)
    undo: openoxide enable deploy notes --host claude-code
    "#);
    insta::assert_snapshot!(file(&context, "home/.claude/settings.json"), @r#"
    {
      "model": "m",
      "skillOverrides": {
        "deploy": "off",
        "notes": "off"
      }
    }
    "#);
    let on = run(&context, &["enable", "deploy", "notes", "--host", "claude-code", "--yes"]);
    assert_eq!(on.status, Some(0), "{on}");
    assert_eq!(file(&context, "home/.claude/settings.json"), before);
}

#[test]
fn without_a_yes_the_change_is_shown_and_nothing_written() {
    let context = with_agents();
    insta::assert_snapshot!(run(&context, &["disable", "deploy", "--host", "codex"]), @r#"
    status: 2
    ----- stdout -----
    ----- stderr -----
    Codex
    --- ~/.codex/config.toml
    +++ ~/.codex/config.toml
    @@ -1,2 +1,6 @@
     # mine
     model = "m" # best
    +
    +[[skills.config]]
    +name = "deploy"
    +enabled = false
    error: this needs your approval, and there is no terminal to ask on
    hint: read what is shown above; if you want it, add --yes
    "#);
    assert_eq!(file(&context, "home/.codex/config.toml"), "# mine\nmodel = \"m\" # best\n");
}

#[test]
fn several_agents_are_named_and_nothing_is_written() {
    let context = with_agents();
    for yes in [&[][..], &["--yes"]] {
        let output = run(&context, &[&["disable", "deploy"], yes].concat());
        insta::allow_duplicates! { insta::assert_snapshot!(output, @"
    status: 2
    ----- stdout -----
    ----- stderr -----
    error: several of your agents see this, so nothing was written: Claude Code, Codex
    hint: say which: `openoxide disable deploy --host claude-code`, `openoxide disable deploy --host codex`
    "); }
    }
    assert_eq!(file(&context, "home/.codex/config.toml"), "# mine\nmodel = \"m\" # best\n");
    // Only one of them sees the other skill.
    let one = run(&context, &["disable", "notes", "--yes"]);
    assert_eq!(one.status, Some(0), "{one}");
    assert!(file(&context, "home/.claude/settings.json").contains("\"notes\": \"off\""));
    let unknown = run(&context, &["disable", "note", "--yes"]);
    assert!(unknown.status == Some(1) && unknown.stderr.contains("did you mean `notes`?"), "{unknown}");
}

#[test]
fn agents_without_a_switch_say_what_hides_a_skill() {
    let context = with_agents();
    for root in ["home/.agents/skills", "home/.roo/skills"] {
        context.tree(&format!("//- {root}/deploy/SKILL.md\n---\nname: deploy\ndescription: Ship it\n---\n"));
    }
    insta::assert_snapshot!(run(&context, &["disable", "deploy", "--host", "zed", "--yes"]), @"
    status: 2
    ----- stdout -----
    ----- stderr -----
    error: Zed has no setting that switches single skills on or off
    hint: `disable-model-invocation: true` in the skill's frontmatter hides it from the model, in every agent that obeys it
    ");
    insta::assert_snapshot!(run(&context, &["disable", "deploy", "--host", "codex", "--in-project", "--yes"]), @"
    status: 2
    ----- stdout -----
    ----- stderr -----
    error: Codex does not switch skills in a project's settings
    hint: leave out --in-project
    ");
    insta::assert_snapshot!(run(&context, &["disable", "deploy", "--host", "roo", "--yes"]), @"
    status: 2
    ----- stdout -----
    ----- stderr -----
    error: Roo Code has no setting that switches single skills on or off
    hint: move the skill out of the folders where it looks; `openoxide unlink` removes one that was linked
    ");
}

#[test]
fn what_something_else_decides_is_admitted() {
    let context = with_agents();
    context.tree("//- project/.claude/settings.json\n{\"skillOverrides\": {\"deploy\": \"on\"}}\n");
    let written = |context: &TestContext| {
        let stat = fs_err::metadata(context.home().join(".claude/settings.json")).unwrap();
        (stat.ctime(), stat.ctime_nsec())
    };
    let before = written(&context);
    insta::assert_snapshot!(run(&context, &["disable", "deploy", "--host", "claude-code", "--yes"]), @r#"
    status: 1
    ----- stdout -----
    ----- stderr -----
    warning: deploy is still on in Claude Code: another setting of Claude Code is stronger
    ~/.claude/settings.json is as it was: the change would have no effect
    hint: openoxide disable deploy --in-project --host claude-code
    "#);
    // Nothing was written and taken back: another process could have written in between.
    assert_eq!(written(&context), before, "the file was written");
    let hinted = run(&context, &["disable", "deploy", "--in-project", "--host", "claude-code", "--yes"]);
    assert_eq!(hinted.status, Some(0), "{hinted}");
    context.tree("//- home/.claude/settings.json\n{\"skillOverrides\": {\"notes\": \"name-only\"}}\n");
    let output = run(&context, &["disable", "notes", "--host", "claude-code", "--yes"]);
    assert!(output.stderr.contains("undo by hand: set `skillOverrides` of `notes` back to `name-only`"), "{output}");
}

/// A project leads its settings elsewhere, or has what is no file there.
#[test]
fn a_projects_links_are_not_followed() {
    use std::os::unix::fs::symlink;
    let context = with_agents();
    let theirs = context.root().join("theirs");
    fs_err::create_dir_all(&theirs).unwrap();
    fs_err::write(theirs.join("settings.json"), "{}\n").unwrap();
    let off = |expected: &str| {
        let output = run(&context, &["disable", "deploy", "--host", "claude-code", "--in-project", "--yes"]);
        assert!(output.status == Some(2) && output.stderr.contains(expected), "{output}");
        assert_eq!(fs_err::read_to_string(theirs.join("settings.json")).unwrap(), "{}\n");
        assert_eq!(fs_err::read_dir(&theirs).unwrap().count(), 1);
    };
    symlink(&theirs, context.project().join(".claude")).unwrap();
    off("no folder, or a link");
    fs_err::remove_file(context.project().join(".claude")).unwrap();
    fs_err::create_dir(context.project().join(".claude")).unwrap();
    symlink(theirs.join("settings.json"), context.project().join(".claude/settings.json")).unwrap();
    off("it is a link");
    fs_err::remove_file(context.project().join(".claude/settings.json")).unwrap();
    fs_err::write(context.project().join(".claude/settings.json"), "[".repeat(200_000)).unwrap();
    off("is left as it is");
    let own = run(&context, &["disable", "deploy", "--host", "claude-code", "--yes"]);
    assert_eq!(own.status, Some(0), "the user's own settings are not affected\n{own}");
}

#[test]
fn an_unknown_skill_has_a_hint_and_nothing_is_written() {
    let context = furnished();
    insta::assert_snapshot!(run(&context, &["disable", "sql-reviev", "--yes", "--host", "openoxide"]), @"
    status: 1
    ----- stdout -----
    ----- stderr -----
    error: no skill is called `sql-reviev`
    hint: did you mean `sql-review`? `openoxide list --host openoxide` shows every skill
    ");
    assert!(!context.home().join(".openoxide").exists());
}

#[test]
fn a_broken_file_is_left_alone() {
    let context = furnished();
    context.tree("//- home/.openoxide/config.toml\nskills = [\n");
    insta::assert_snapshot!(run(&context, &["disable", "sql-review", "--yes", "--host", "openoxide"]), @"
    status: 2
    ----- stdout -----
    ----- stderr -----
    warning: ~/.openoxide/config.toml:1: the file is not valid TOML: unclosed array, expected `]` [S0401]; fix the file; until then no skill is activated
    error: `[ROOT]/home/.openoxide/config.toml` is left as it is: it is not valid TOML: unclosed array, expected `]`
    ");
    assert_eq!(config(&context), "skills = [\n");
}

#[test]
fn a_dotted_form_is_understood() {
    let context = furnished();
    context.tree("//- home/.openoxide/config.toml\nskills.config = [{ name = \"old\", enabled = false }] # inline\n");
    let output = run(&context, &["disable", "sql-review", "--yes", "--host", "openoxide"]);
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
    assert_eq!(run(&["disable", "release-notes", "--yes", "--host", "openoxide"]).status, Some(0));
    assert_eq!(run(&["trust"]).status, Some(0));
    assert_eq!(run(&["enable", "deploy", "--in-project", "--yes", "--host", "openoxide"]).status, Some(0));
    let listed = run(&["list", "--all", "--host", "openoxide"]).stdout;
    assert!(listed.contains("it is switched off: `~/.openoxide/config.toml` says so"), "{listed}");
}

/// What a program's own rules keep from its model is denied wherever several agents are compared.
#[test]
fn what_an_agents_rules_deny_is_denied_on_every_screen() {
    let context = TestContext::new();
    context.tree(
        "//- home/.codex/config.toml\n//- home/.local/share/opencode/auth.json\n{}\n\
         //- project/.agents/skills/deploy/SKILL.md\n---\nname: deploy\ndescription: Ship it\n---\n\
         //- project/.agents/skills/quiet/SKILL.md\n---\nname: quiet\n---\n",
    );
    let status = |answer: &serde_json::Value| answer["skills"][0]["hosts"]["opencode"].clone();
    let active = || {
        let agents = json(&context, &["--json"])["agents"].clone();
        (agents[1]["active"].clone(), agents[1]["ignored"].clone())
    };
    let sees = || {
        let hosts = json(&context, &["hosts", "--json"]);
        let row = hosts["matrix"].as_array().unwrap().iter().find(|row| row["name"] == "deploy").unwrap().clone();
        (hosts["hosts"][1]["sees"].clone(), row["hosts"]["opencode"].clone())
    };
    assert_eq!(status(&json(&context, &["list", "deploy", "--json"])), "active");
    assert_eq!((active(), sees()), ((2.into(), 0.into()), (2.into(), "active".into())));

    let off = run(&context, &["disable", "deploy", "--host", "opencode", "--yes"]);
    assert_eq!(off.status, Some(0), "{off}");
    assert_eq!(status(&json(&context, &["list", "deploy", "--json"])), "denied");
    assert_eq!((active(), sees()), ((1.into(), 1.into()), (1.into(), "denied".into())));
    let explained = run(&context, &["explain", "deploy"]).stdout;
    for words in ["Codex     active", "OpenCode  denied", "openoxide enable deploy --host opencode"] {
        assert!(explained.contains(words), "{words}\n{explained}");
    }
    let table = run(&context, &["list", "deploy"]);
    assert!(table.stderr.contains("\u{25cb} ignored"), "{table}");

    let on = run(&context, &["enable", "deploy", "--host", "opencode", "--yes"]);
    assert_eq!(on.status, Some(0), "{on}");
    assert_eq!((active(), sees()), ((2.into(), 0.into()), (2.into(), "active".into())));
    assert!(!context.home().join(".config/opencode").exists(), "what was made for the switch is gone");
    let quiet = run(&context, &["explain", "quiet"]).stdout;
    let words = quiet.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("it has no description, so the model is not told of it"), "{quiet}");
}

#[test]
fn only_agents_in_which_it_would_change_something_are_offered() {
    let context = with_agents();
    assert_eq!(run(&context, &["disable", "deploy", "--host", "codex", "--yes"]).status, Some(0));
    // That one of them has it on already does not say that the other one is meant.
    insta::assert_snapshot!(run(&context, &["enable", "deploy", "--yes"]), @"
    status: 2
    ----- stdout -----
    ----- stderr -----
    deploy was on already in Claude Code
    error: several of your agents see this, so nothing was written: Claude Code, Codex
    hint: say which: `openoxide enable deploy --host codex`
    ");
    assert_eq!(run(&context, &["enable", "deploy", "--host", "codex", "--yes"]).status, Some(0));
    insta::assert_snapshot!(run(&context, &["enable", "deploy", "--yes"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    deploy was on already in Claude Code
    deploy was on already in Codex
    ");
    // With two of them off, the question is which.
    for host in ["codex", "claude-code"] {
        assert_eq!(run(&context, &["disable", "deploy", "--host", host, "--yes"]).status, Some(0));
    }
    let which = run(&context, &["enable", "deploy", "--yes"]);
    assert!(which.status == Some(2) && which.stderr.contains("Claude Code, Codex"), "{which}");
}

/// A file that says what is wanted already is no reason to leave out an agent in which something else decides.
#[test]
fn an_agent_in_which_the_skill_is_not_as_wanted_is_never_left_out() {
    let context = with_agents();
    let overrides = |state: &str| format!("{{\"skillOverrides\": {{\"deploy\": \"{state}\"}}}}\n");
    context.tree(&format!("//- home/.claude/settings.json\n{}", overrides("off")));
    context.tree(&format!("//- project/.claude/settings.json\n{}", overrides("on")));
    insta::assert_snapshot!(run(&context, &["disable", "deploy", "--yes"]), @"
    status: 2
    ----- stdout -----
    ----- stderr -----
    warning: deploy is still on in Claude Code: another setting of Claude Code is stronger
    error: several of your agents see this, so nothing was written: Claude Code, Codex
    hint: say which: `openoxide disable deploy --in-project --host claude-code`, `openoxide disable deploy --host codex`
    ");
    assert_eq!(file(&context, "home/.codex/config.toml"), "# mine\nmodel = \"m\" # best\n");
    for command in [
        &["disable", "deploy", "--in-project", "--host", "claude-code", "--yes"][..],
        &["disable", "deploy", "--host", "codex", "--yes"],
    ] {
        let output = run(&context, command);
        assert_eq!(output.status, Some(0), "{output}");
    }
    assert_eq!(json(&context, &["list", "--json"])["skills"].as_array().unwrap().len(), 1, "only `notes` is left");
}
