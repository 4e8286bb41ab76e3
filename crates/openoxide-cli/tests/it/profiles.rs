//! Permission profiles of skills: what is shown is what holds, and nothing holds without a yes.

use std::os::unix::fs::symlink;

use openoxide_testkit::TestContext;

use crate::support::{isolates, run, skipped, valid_json};

/// A skill whose script tries everything that its profile asks for, and more.
fn furnished() -> TestContext {
    let context = TestContext::new();
    context.tree(
        "
//- project/.agents/skills/wide/SKILL.md
---
name: wide
description: Wants more
---
Text.
//- project/.agents/skills/wide/scripts/try.sh
for folder in ~out ~other ~plain; do echo; done >/dev/null
try() { (echo x > \"$1/made\") 2>/dev/null && echo \"wrote ${1##*/}\" || echo \"no ${1##*/}\"; }
try \"$1/out\"; try \"$1/other\"; try \"$1/out/.git\"
cat \"$1/data/file\" 2>/dev/null || echo 'no data'
cat \"$1/private/file\" 2>/dev/null || echo 'no private'
//- project/.agents/skills/wide/agents/openoxide.yaml
permissions:
  file_system:
    read: [ROOT/data, ROOT/none, \"*.md\"]
    write: [ROOT/link, /, ROOT/data/file]
  macos_preferences: readonly
//- out/keep
//- other/keep
//- data/file
some data
//- private/file
some secret
",
    );
    let yaml = context.project().join(".agents/skills/wide/agents/openoxide.yaml");
    let text = fs_err::read_to_string(&yaml).unwrap().replace("ROOT", context.root().to_str().unwrap());
    fs_err::write(yaml, text).unwrap();
    symlink(context.root().join("out"), context.root().join("link")).unwrap();
    context
}

fn tried(context: &TestContext, args: &[&str]) -> openoxide_testkit::Output {
    let root = context.root().to_str().unwrap().to_owned();
    let mut all = vec!["run", "wide", "scripts/try.sh", &root];
    all.extend(args);
    run(context, &all)
}

const LINES: [&str; 6] = [
    "write `[ROOT]/out` and everything below it, but not what agents, editors and version control obey",
    "read `[ROOT]/data` and everything below it",
    "no effect: `file_system.read: *.md`: a pattern is not a path",
    "no effect: `macos_preferences: readonly`: not enforced here",
    "no effect: `read `[ROOT]/none` and everything below it`: it is not there",
    "no effect: `write `/` and everything below it`: it belongs to the system, and is never given",
];

#[test]
fn the_delta_is_shown_line_by_line() {
    let context = furnished();
    let answer = valid_json(&context, &["show", "wide", "--json"]);
    let shown: Vec<String> = serde_json::from_value(answer["permissions"].clone()).unwrap();
    for line in LINES {
        assert!(
            shown.iter().any(|shown| shown.replace(context.root().to_str().unwrap(), "[ROOT]") == line),
            "{line}\n{shown:#?}"
        );
    }
    let output = run(&context, &["trust", "--skill", "wide", "--permission", "profile", "--no-input"]);
    for line in LINES {
        assert!(output.stderr.contains(line), "{line}\n{output}");
    }
}

#[test]
fn what_is_shown_is_what_holds() {
    let context = furnished();
    if !isolates(&context) {
        return skipped("this machine cannot isolate a command");
    }
    assert_eq!(run(&context, &["trust", "--skill", "wide", "--permission", "script", "--yes"]).status, Some(0));
    let output = tried(&context, &["--no-input"]);
    assert_eq!(output.stdout, "no out\nno other\nno .git\nno data\nno private\n", "{output}");
    assert!(output.stderr.contains("it runs without the permissions that it asks for"), "{output}");
    let output = tried(&context, &["--yes"]);
    assert_eq!(output.stdout, "wrote out\nno other\nno .git\nsome data\nno private\n", "{output}");
    assert!(LINES.iter().all(|line| output.stderr.contains(line)), "{output}");

    // A yes for a link is a yes for where it led.
    assert_eq!(run(&context, &["trust", "--skill", "wide", "--permission", "profile", "--yes"]).status, Some(0));
    assert_eq!(tried(&context, &["--no-input"]).stdout, "wrote out\nno other\nno .git\nsome data\nno private\n");
    fs_err::remove_file(context.root().join("link")).unwrap();
    symlink(context.root().join("other"), context.root().join("link")).unwrap();
    assert_eq!(tried(&context, &["--no-input"]).stdout, "no out\nno other\nno .git\nno data\nno private\n");
}

#[test]
fn modes_and_rules_take_profiles_away() {
    let context = furnished();
    for (config, why) in [
        ("skills.profiles=\"strict\"", "the mode is `strict`"),
        ("skills.profiles=\"trusted-sources\"", "only system and admin skills may have a profile"),
        ("permission.profile=\"deny\"", "a permission rule denies it"),
    ] {
        let answer = valid_json(&context, &["show", "wide", "--json", "--config", config]);
        let shown = answer["permissions"].to_string();
        assert!(shown.contains(why), "{config}: {shown}");
        let lines: Vec<String> = serde_json::from_value(answer["permissions"].clone()).unwrap();
        assert!(lines.iter().all(|line| line.starts_with("no effect: ")), "{config}: {lines:#?}");
        if isolates(&context) {
            let output = tried(&context, &["--yes", "--config", config]);
            assert_eq!(output.stdout, "no out\nno other\nno .git\nno data\nno private\n", "{config}: {output}");
        } else {
            skipped("this machine cannot isolate a command");
        }
    }
}

#[test]
fn never_asking_is_asked_for_once_and_denies_still_hold() {
    let context = furnished();
    let yaml = "//- project/.agents/skills/wide/agents/openoxide.yaml\npermissions:\n  approval_policy: never\n";
    context.tree(yaml);
    let refused = tried(&context, &["--no-input"]);
    assert_eq!((refused.status, refused.stdout.as_str()), (Some(1), ""), "a skill cannot say it of itself: {refused}");
    assert_eq!(run(&context, &["trust", "--skill", "wide", "--permission", "profile", "--yes"]).status, Some(0));
    let denied = tried(&context, &["--no-input", "--config", "permission.script=\"deny\""]);
    assert_eq!(denied.status, Some(1), "{denied}");
    if !isolates(&context) {
        return skipped("this machine cannot isolate a command");
    }
    assert_eq!(tried(&context, &["--no-input"]).status, Some(0));
}
