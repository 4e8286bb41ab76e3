//! `trust`: folders that are trusted, permissions of skills, and answers that are remembered.

use std::os::unix::fs::PermissionsExt as _;

use openoxide_testkit::{Output, TestContext};

use crate::support::{bin, changes, field, json, run, skill_file, valid_json};

fn config(context: &TestContext) -> String {
    fs_err::read_to_string(context.home().join(".openoxide/config.toml")).unwrap()
}

fn store(context: &TestContext) -> String {
    fs_err::read_to_string(context.home().join(".openoxide/state/trust.toml")).unwrap()
}

/// Writes the store as somebody else left it.
fn write_store(context: &TestContext, text: &str) {
    let file = context.home().join(".openoxide/state/trust.toml");
    fs_err::create_dir_all(file.parent().unwrap()).unwrap();
    fs_err::write(&file, text).unwrap();
    fs_err::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
}

/// Runs the binary; days, digests and ids, which change, are written as `[DAY]`, `[DIGEST]` and `[ID]`.
fn told(context: &TestContext, args: &[&str]) -> Output {
    let mut output = run(context, args);
    let changing =
        [(r"20\d\d-\d\d-\d\d", "[DAY]"), (r"sha256:[0-9a-f]{64}", "[DIGEST]"), (r"\b[0-9a-f]{8}(?= --rev)", "[ID]")];
    for (pattern, word) in changing {
        let pattern = fancy_regex::Regex::new(pattern).unwrap();
        for text in [&mut output.stdout, &mut output.stderr] {
            *text = pattern.replace_all(text, word).into_owned();
        }
    }
    output
}

fn trusted(context: &TestContext) -> bool {
    json(context, &["roots", "--json"])["trusted"] == true
}

/// A project whose skill has the name of the user's.
fn project() -> TestContext {
    let context = TestContext::new();
    context.tree(&skill_file("project/.agents/skills", "deploy", "deploy"));
    context.tree(&skill_file("home/.agents/skills", "deploy", "deploy"));
    context
}

#[test]
fn given_and_taken_back() {
    let context = project();
    let counts = || {
        let list = json(&context, &["list", "--json", "--host", "openoxide"]);
        field(&list["skills"], "path").join(" ")
    };
    assert_eq!(counts(), "[ROOT]/home/.agents/skills/deploy/SKILL.md");
    insta::assert_snapshot!(run(&context, &["trust"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    [ROOT]/project is trusted now
    undo: openoxide trust --revoke
    ");
    assert_eq!(counts(), "[ROOT]/project/.agents/skills/deploy/SKILL.md");
    insta::assert_snapshot!(run(&context, &["trust"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    [ROOT]/project is trusted already
    ");
    insta::assert_snapshot!(told(&context, &["trust", "--list"]), @"
    status: 0
    ----- stdout -----
    [ROOT]/project
      since [DAY], ~/.openoxide/state/trust.toml:4
      revoke: openoxide trust . --revoke
    ----- stderr -----
    ");
    insta::assert_snapshot!(run(&context, &["trust", "--revoke"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    [ROOT]/project is no longer trusted
    ");
    assert_eq!(counts(), "[ROOT]/home/.agents/skills/deploy/SKILL.md");
    insta::assert_snapshot!(run(&context, &["trust", "--revoke"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    [ROOT]/project is not trusted in ~/.openoxide/state/trust.toml
    ");
    assert!(!store(&context).contains("folders"), "{}", store(&context));
    assert!(!context.home().join(".openoxide/config.toml").exists(), "settings are written by people");
}

/// An archive that is unpacked below such a folder is trusted with it, and that is said.
#[test]
fn trusting_a_folder_without_version_control_says_how_far_it_goes() {
    let context = TestContext::new();
    context.tree("//- plain/notes.md\nX\n");
    insta::assert_snapshot!(run(&context, &["trust", "../plain"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    [ROOT]/plain is trusted now
    it has no version control, so every folder below it is trusted with it, also one that is put there later, except repositories
    undo: openoxide trust [ROOT]/plain --revoke
    ");
}

/// Only a project's root is ever compared, so that is what is written.
#[test]
fn a_folder_below_means_its_project() {
    let context = project();
    context.tree("//- project/src/\n");
    let output = run(&context, &["trust", "src"]);
    assert_eq!(output.status, Some(0), "{output}");
    assert!(output.stderr.contains("[ROOT]/project is trusted now"), "{output}");
    assert!(trusted(&context));
}

#[test]
fn another_folder_and_its_undo() {
    let context = TestContext::new();
    context.tree("//- my\\x20app/.git/HEAD escaped\n//- link -> my\\x20app escaped\n");
    let output = run(&context, &["trust", "../link"]);
    assert_eq!(
        output.stderr, "[ROOT]/my app is trusted now\nundo: openoxide trust '[ROOT]/my app' --revoke\n",
        "the folder itself is trusted, not a link that may lead elsewhere tomorrow"
    );
    assert!(!trusted(&context), "this project is another one");
    let undo = format!("{} trust '{}/my app' --revoke", bin().display(), context.root().display());
    let output = context.answer(&mut context.command("/bin/sh".as_ref(), ["-c", &undo]));
    assert_eq!((output.status, output.stderr.as_str()), (Some(0), "[ROOT]/my app is no longer trusted\n"));
}

/// What was written into settings by hand counts as before, and is taken off in place.
#[test]
fn what_else_is_in_the_list_stays() {
    let context = TestContext::new();
    let before = "# mine\n[trust]\nfolders = [\n  \"~/work\", # all of it\n  \"relative\",\n  \"{root}/project\",\n  \"/gone\",\n]\n";
    context.tree(&format!("//- home/.openoxide/config.toml rooted\n{before}"));
    assert!(trusted(&context));
    let output = run(&context, &["trust"]);
    assert_eq!((output.status, output.stderr.as_str()), (Some(0), "[ROOT]/project is trusted already\n"));
    // A folder that is gone can be taken off.
    let output = run(&context, &["trust", "--revoke", "/gone"]);
    assert_eq!((output.status, output.stderr.as_str()), (Some(0), "/gone is no longer trusted\n"), "{output}");
    assert_eq!(run(&context, &["trust", "--revoke"]).status, Some(0));
    let after = config(&context);
    assert!(!trusted(&context));
    assert!(after.contains("\"~/work\", # all of it") && after.contains("\"relative\""), "{after}");
    assert!(!after.contains("/gone") && !after.contains("project"), "{after}");
    // In both places, it is taken off both.
    context.tree("//- home/.openoxide/config.toml\n");
    run(&context, &["trust"]);
    context.tree("//- home/.openoxide/config.toml rooted\ntrust.folders = [\"{root}/project\"]\n");
    let answer = changes(&context, &["trust", "--revoke", "--json"]);
    assert_eq!(answer["changes"].as_array().unwrap().len(), 2, "{answer:#}");
    assert!(!trusted(&context));
}

#[test]
fn listed_as_json() {
    let context = project();
    run(&context, &["trust"]);
    context.tree("//- home/.openoxide/config.toml\n\ntrust.folders = [\"~/work\"]\n");
    let answer = valid_json(&context, &["trust", "--list", "--json"]);
    assert_eq!(field(&answer["folders"], "path"), ["[ROOT]/home/work", "[ROOT]/project"]);
    assert_eq!(
        field(&answer["folders"], "origin"),
        ["[ROOT]/home/.openoxide/config.toml:2", "[ROOT]/home/.openoxide/state/trust.toml:4"]
    );
    assert_eq!(field(&answer["folders"], "revoke"), ["openoxide trust ~/work --revoke", "openoxide trust . --revoke"]);
    assert!(answer["folders"][0].get("since").is_none());
    let since = answer["folders"][1]["since"].as_str().unwrap();
    assert!(since.starts_with("20") && since.ends_with('Z') && store(&context).contains(since), "{since}");
}

#[test]
fn answers_in_json() {
    let context = project();
    let answer = changes(&context, &["trust", "--json"]);
    let line = |action: &str| serde_json::json!([{ "action": action, "path": "[ROOT]/home/.openoxide/state/trust.toml", "target": "[ROOT]/project" }]);
    assert_eq!((&answer["changes"], &answer["undo"]), (&line("trust"), &"openoxide trust --revoke".into()));
    assert_eq!(changes(&context, &["trust", "--json"])["changes"], serde_json::json!([]), "it is trusted already");
    assert_eq!(changes(&context, &["trust", "--revoke", "--json"])["changes"], line("revoke"));
}

/// Whatever is put there, by anyone, would be trusted.
#[test]
fn home_and_all_around_it_are_no_projects() {
    let context = TestContext::new();
    context.tree("//- home/.git/HEAD\n");
    let refused = |args: &[&str], words: &str| {
        let output = run(&context, args);
        assert_eq!((output.status, output.stdout.as_str()), (Some(2), ""), "{output}");
        assert!(output.stderr.contains(words) && output.stderr.contains("\nhint: name the folder of one"), "{output}");
        assert!(!context.home().join(".openoxide").exists(), "nothing was written");
    };
    refused(&["trust", "/"], "`/` is the root of the file system, not a project");
    refused(&["trust", "../home"], "`[ROOT]/home` is your home folder, not a project");
    refused(&["trust", ".."], "`[ROOT]` is a folder around your home folder, not a project");
    refused(&["trust", "--project", "../home"], "is your home folder");
    // A project below is one; what was written by hand can be taken off.
    context.tree("//- home/app/.git/HEAD\n");
    assert_eq!(run(&context, &["trust", "../home/app"]).status, Some(0));
    fs_err::write(context.home().join(".openoxide/config.toml"), "trust.folders = [\"/\"]\n").unwrap();
    let output = run(&context, &["trust", "--revoke", "/"]);
    assert_eq!((output.status, output.stderr.as_str()), (Some(0), "/ is no longer trusted\n"));
}

#[test]
fn what_cannot_be_trusted() {
    let context = TestContext::new();
    insta::assert_snapshot!(run(&context, &["trust", "nowhere"]), @"
    status: 2
    ----- stdout -----
    ----- stderr -----
    error: `[ROOT]/project/nowhere` is not a folder
    hint: name the project's folder
    ");
    context.tree("//- file\n");
    assert_eq!(run(&context, &["trust", "../file"]).status, Some(2));
    context.tree("//- \\xff/.git/HEAD escaped\n");
    let mut command = context.command(bin(), ["trust"]);
    let output = context.answer(
        command
            .current_dir(context.root().join(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"\xff"))),
    );
    assert_eq!(output.status, Some(2), "{output}");
    assert!(output.stderr.contains(r"`[ROOT]/\xff` cannot be written down, because it is not UTF-8"), "{output}");
    assert!(!context.home().join(".openoxide").exists(), "nothing was written");
    let damaged = "[[folders]]\npath = 1\n";
    write_store(&context, damaged);
    insta::assert_snapshot!(run(&context, &["trust"]), @"
    status: 2
    ----- stdout -----
    ----- stderr -----
    error: `[ROOT]/home/.openoxide/state/trust.toml` is damaged, so it is left as it is: line 2: `path` is missing or wrong in an entry of `folders`
    hint: fix the file, or remove it; until then all of it is ignored
    ");
    assert_eq!(run(&context, &["trust", "--revoke", "all"]).status, Some(2));
    assert_eq!(store(&context), damaged);
    let output = run(&context, &["list"]);
    assert_eq!(output.status, Some(0));
    assert!(output.stderr.contains("~/.openoxide/state/trust.toml:2: `path` is missing or wrong"), "{output}");
    assert_eq!(run(&context, &["trust", "--list", "--revoke"]).status, Some(2), "one or the other");
}

/// A project cannot trust itself, and a setting for one run is not taken back in the file.
#[test]
fn trusted_by_somebody_else() {
    let context = project();
    context.tree("//- project/.openoxide/config.toml rooted\ntrust.folders = [\"{root}/project\"]\n");
    assert!(!trusted(&context));
    let setting = format!("trust.folders=[\"{}\"]", context.project().display());
    let output = run(&context, &["trust", "--revoke", "--config", &setting]);
    assert_eq!(output.status, Some(1), "{output}");
    assert!(output.stderr.contains("is still trusted, by the administrator or by --config"), "{output}");
}

#[test]
fn an_empty_list_says_so() {
    let output = run(&TestContext::new(), &["trust", "--list"]);
    assert_eq!((output.status, output.stdout.as_str()), (Some(0), ""));
    assert!(output.stderr.contains("no folder is trusted; `openoxide trust` trusts"), "{output}");
}

/// Nothing is lost when many write at once.
#[test]
fn many_at_once() {
    let context = TestContext::new();
    for number in 0..12 {
        context.tree(&format!("//- app{number}/.git/HEAD\n"));
    }
    let start = |number: usize| {
        let mut command = context.command(bin(), ["trust", &format!("../app{number}")]);
        command.stderr(std::process::Stdio::null()).spawn().unwrap()
    };
    let children: Vec<_> = (0..12).map(start).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let answer = valid_json(&context, &["trust", "--list", "--json"]);
    assert_eq!(answer["folders"].as_array().unwrap().len(), 12, "{answer:#}");
    let mode = |path: &str| fs_err::metadata(context.home().join(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(".openoxide/state"), mode(".openoxide/state/trust.toml")), (0o700, 0o600));
}

/// A skill that asks for every permission there is.
fn powerful() -> TestContext {
    let context = TestContext::new();
    context.tree(
        "
//- project/.agents/skills/deploy/SKILL.md
---
name: deploy
description: Ships
allowed-tools: Bash(git:*) Read
hooks:
  PreToolUse:
    - matcher: Bash
      hooks:
        - type: command
          command: touch CANARY
---
Now: !`touch CANARY; date` and !`id`
//- project/.agents/skills/deploy/agents/openoxide.yaml
permissions:
  network: true
dependencies:
  tools:
    - type: mcp
      value: docs
      command: npx docs
//- project/.agents/skills/deploy/scripts/ship.sh
touch CANARY
",
    );
    context
}

#[test]
fn variables_are_shown_with_every_power_that_sees_them() {
    let context = powerful();
    context.tree(
        "//- project/.agents/skills/deploy/agents/openoxide.yaml\n\
         dependencies: {tools: [{type: env_var, value: TOKEN}]}\n",
    );
    let asked = told(&context, &["trust", "--skill", "deploy", "--yes"]);
    assert_eq!(asked.stderr.matches("  gets the variable TOKEN\n").count(), 3, "shell, script and hook: {asked}");
    let kept = fs_err::read_to_string(context.home().join(".openoxide/state/trust.toml")).unwrap();
    assert_eq!(kept.matches("gets the variable TOKEN").count(), 3, "{kept}");
}

#[test]
fn a_skill_gets_power_after_everything_was_shown() {
    let context = powerful();
    let asked = told(&context, &["trust", "--skill", "deploy", "-q"]);
    insta::assert_snapshot!(asked, @"
    status: 2
    ----- stdout -----
    ----- stderr -----
    .agents/skills/deploy/SKILL.md
    [DIGEST]
    shell: run these commands when it is called
      touch CANARY; date
      id
    script: run these scripts
      scripts/ship.sh
    hook: run these commands when something happens
      PreToolUse on Bash: touch CANARY
    profile: have these permissions
      reach the network, without limits
    tools: use these tools without asking
      Bash(git:*)
      Read
    mcp: add these servers of tools
      docs: npx docs
    error: this needs your approval, and there is no terminal to ask on
    hint: read what is shown above; if you want it, add --yes
    ");
    assert!(!context.home().join(".openoxide").exists(), "nothing was written");
    let output = told(&context, &["trust", "--skill", "deploy", "--no-input"]);
    assert_eq!(output.status, Some(2));
    assert!(output.stderr.contains("this needs your approval, and --no-input was given"), "{output}");
    let output = told(&context, &["trust", "--skill", "deploy", "--yes"]);
    assert_eq!(output.status, Some(0), "{output}");
    assert!(
        output.stderr.ends_with("deploy has 6 permissions now: shell, script, hook, profile, tools and mcp\nundo: openoxide trust .agents/skills/deploy --revoke\n")
    );
    assert_eq!(told(&context, &["trust", "--skill", "deploy"]).stderr, "deploy has these permissions already\n");
    insta::assert_snapshot!(told(&context, &["trust", "--list"]), @"
    status: 0
    ----- stdout -----
    [ROOT]/project/.agents/skills/deploy/SKILL.md: shell
      for [DIGEST]
        touch CANARY; date
        id
      since [DAY], ~/.openoxide/state/trust.toml:4
      revoke: openoxide trust [ID] --revoke
    [ROOT]/project/.agents/skills/deploy/SKILL.md: script
      for [DIGEST]
        scripts/ship.sh
      since [DAY], ~/.openoxide/state/trust.toml:11
      revoke: openoxide trust [ID] --revoke
    [ROOT]/project/.agents/skills/deploy/SKILL.md: hook
      for [DIGEST]
        PreToolUse on Bash: touch CANARY
      since [DAY], ~/.openoxide/state/trust.toml:18
      revoke: openoxide trust [ID] --revoke
    [ROOT]/project/.agents/skills/deploy/SKILL.md: profile
      for [DIGEST]
        reach the network, without limits
      since [DAY], ~/.openoxide/state/trust.toml:25
      revoke: openoxide trust [ID] --revoke
    [ROOT]/project/.agents/skills/deploy/SKILL.md: tools
      for [DIGEST]
        Bash(git:*)
        Read
      since [DAY], ~/.openoxide/state/trust.toml:32
      revoke: openoxide trust [ID] --revoke
    [ROOT]/project/.agents/skills/deploy/SKILL.md: mcp
      for [DIGEST]
        docs: npx docs
      since [DAY], ~/.openoxide/state/trust.toml:39
      revoke: openoxide trust [ID] --revoke
    ----- stderr -----
    no folder is trusted; `openoxide trust` trusts the project that you are in
    ");
    let answer = valid_json(&context, &["trust", "--list", "--json"]);
    assert_eq!(field(&answer["grants"], "permission"), ["shell", "script", "hook", "profile", "tools", "mcp"]);
    assert!(!trusted(&context), "a skill's permissions are no trust in its folder");
    assert!(!context.project().join("CANARY").exists(), "nothing ran");
}

#[test]
fn power_is_for_these_bytes() {
    let context = powerful();
    assert_eq!(run(&context, &["trust", "--skill", "deploy", "--yes", "--permission", "shell"]).status, Some(0));
    let answer = valid_json(&context, &["trust", "--list", "--json"]);
    assert_eq!(field(&answer["grants"], "permission"), ["shell"]);
    let before = answer["grants"][0]["digest"].clone();
    context.tree("//- project/.agents/skills/deploy/scripts/more.sh\nid\n");
    let output = told(&context, &["trust", "--skill", "deploy", "--permission", "shell"]);
    assert!(output.stderr.contains("warning: it changed since you gave it permissions on [DAY]"), "{output}");
    assert_eq!(output.status, Some(2));
    run(&context, &["trust", "--skill", "deploy", "--yes", "--permission", "shell"]);
    let answer = valid_json(&context, &["trust", "--list", "--json"]);
    assert_eq!(answer["grants"].as_array().unwrap().len(), 1);
    assert_ne!(answer["grants"][0]["digest"], before);
    let output = run(&context, &["trust", "--skill", "nobody"]);
    assert_eq!(output.status, Some(1), "{output}");
    context.skill("plain", "Only text");
    let output = run(&context, &["trust", "--skill", "plain"]);
    assert_eq!((output.status, output.stderr.as_str()), (Some(0), "plain asks for no permissions\n"));
    assert_eq!(run(&context, &["trust", "--permission", "shell"]).status, Some(2));
    assert_eq!(run(&context, &["trust", "--skill", "plain", "--permission", "fly"]).status, Some(2));
}

#[test]
fn what_is_hostile_is_shown_as_escapes_and_whole() {
    let context = TestContext::new();
    let long = "x".repeat(5000);
    context.tree(&format!(
        "//- project/.agents/skills/evil/SKILL.md escaped\n---\nname: evil\ndescription: d\n---\n!`echo \\x1b[2K {long} \\xe2\\x80\\xaetxt`\n"
    ));
    let output = run(&context, &["trust", "--skill", "evil"]);
    assert!(output.stderr.contains(&long) && !output.stderr.contains('\u{1b}'), "{output}");
    assert!(!output.stderr.contains('\u{202e}'), "{output}");
}

#[test]
fn one_thing_is_taken_back() {
    let context = powerful();
    let answers = "[[answers]]\npermission = \"shell\"\npattern = \"git *\"\nskill = \"/s/SKILL.md\"\nagent = \"build\"\nat = 2026-01-02T03:04:05Z\n\
                   [[answers]]\npermission = \"shell\"\npattern = \"git *\"\nskill = \"/s/SKILL.md\"\nat = 2026-01-02T03:04:05Z\n\
                   [[sources]]\nsource = \"https://example.com/skills\"\nat = 2026-01-02T03:04:05Z\n";
    write_store(&context, answers);
    run(&context, &["trust"]);
    run(&context, &["trust", "--skill", "deploy", "--yes"]);
    let number = |list: &str| valid_json(&context, &["trust", "--list", "--json"])[list].as_array().unwrap().len();
    let lists = || ["folders", "sources", "grants", "answers"].map(number);
    assert_eq!(lists(), [1, 1, 6, 2]);
    // By the command that the list names.
    let listed = valid_json(&context, &["trust", "--list", "--json"]);
    let revoke = listed["answers"][0]["revoke"].as_str().unwrap().replace("openoxide", &bin().display().to_string());
    let output = context.answer(&mut context.command("/bin/sh".as_ref(), ["-c", &revoke]));
    assert_eq!((output.status, output.stderr.as_str()), (Some(0), "`shell git *` is asked for again\n"), "{output}");
    assert_eq!(lists(), [1, 1, 6, 1]);
    assert!(!store(&context).contains("build"), "that of the agent, not the other");
    let output = run(&context, &["trust", "--revoke", "deploy", "--permission", "hook"]);
    assert_eq!(output.stderr, "[ROOT]/project/.agents/skills/deploy/SKILL.md no longer has the permission `hook`\n");
    assert_eq!(lists(), [1, 1, 5, 1]);
    let output =
        run(&context, &["trust", "--revoke", ".agents/skills/deploy", "--permission", "tools", "--permission", "mcp"]);
    assert_eq!(output.stderr.lines().count(), 2, "{output}");
    assert_eq!(run(&context, &["trust", "--revoke", "deploy"]).status, Some(0));
    assert_eq!(lists(), [1, 1, 0, 1]);
    let output = run(&context, &["trust", "--revoke", "./.agents/skills/deploy"]);
    assert_eq!((output.status, lists()), (Some(0), [1, 1, 0, 1]), "a skill is not its project: {output}");
    let answer = changes(&context, &["trust", "--revoke", "all", "--json"]);
    assert_eq!((lists(), answer["changes"].as_array().unwrap().len()), ([0, 0, 0, 0], 3));
    assert_eq!(
        run(&context, &["trust", "--revoke", "all"]).stderr,
        "nothing is trusted in ~/.openoxide/state/trust.toml\n"
    );
}

/// What was given before is still there, and the help says that it stays.
#[test]
fn permissions_are_counted_whenever_they_were_given() {
    let context = powerful();
    let given = |more: &[&str]| told(&context, &[&["trust", "--skill", "deploy", "--yes"], more].concat()).stderr;
    assert!(given(&["--permission", "shell"]).contains("deploy has 1 permission now: shell\n"));
    assert!(given(&["--permission", "tools"]).contains("deploy has 2 permissions now: shell and tools\n"));
    assert!(given(&[]).contains("deploy has 6 permissions now: "));
    let help = told(&context, &["trust", "--help"]).stdout;
    assert!(help.contains("give them without asking") && !help.contains("nothing is kept"), "{help}");
}
