//! `trust`: the list of trusted folders, edited in place.

use openoxide_testkit::TestContext;

use crate::support::{bin, changes, field, json, run, skill_file, valid_json};

fn config(context: &TestContext) -> String {
    fs_err::read_to_string(context.home().join(".openoxide/config.toml")).unwrap()
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
        let list = json(&context, &["list", "--json"]);
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
    insta::assert_snapshot!(run(&context, &["trust", "--list"]), @"
    status: 0
    ----- stdout -----
    [ROOT]/project
    ----- stderr -----
    ");
    insta::assert_snapshot!(run(&context, &["trust", "--revoke"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    [ROOT]/project is not trusted any more
    ");
    assert_eq!(counts(), "[ROOT]/home/.agents/skills/deploy/SKILL.md");
    insta::assert_snapshot!(run(&context, &["trust", "--revoke"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    [ROOT]/project is not trusted in ~/.openoxide/config.toml
    ");
    assert_eq!(config(&context), "[trust]\nfolders = []\n");
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
    assert_eq!((output.status, output.stderr.as_str()), (Some(0), "[ROOT]/my app is not trusted any more\n"));
}

#[test]
fn what_else_is_in_the_list_stays() {
    let context = TestContext::new();
    let before = "# mine\n[trust]\nfolders = [\n  \"~/work\", # all of it\n  \"relative\",\n  \"/gone\",\n]\n";
    context.tree(&format!("//- home/.openoxide/config.toml\n{before}"));
    assert_eq!(run(&context, &["trust"]).status, Some(0));
    let project = context.project().display().to_string();
    assert_eq!(
        config(&context).replace(&format!("\"{project}\""), "NEW").lines().take(5).collect::<Vec<_>>(),
        before.lines().take(5).collect::<Vec<_>>()
    );
    assert!(trusted(&context));
    // A folder that is gone can be taken off.
    let output = run(&context, &["trust", "--revoke", "/gone"]);
    assert_eq!((output.status, output.stderr.as_str()), (Some(0), "/gone is not trusted any more\n"), "{output}");
    assert_eq!(run(&context, &["trust", "--revoke"]).status, Some(0));
    let after = config(&context);
    assert!(
        after.contains("\"~/work\", # all of it") && after.contains("\"relative\"") && !after.contains("/gone"),
        "{after}"
    );
}

#[test]
fn listed_as_json() {
    let context = project();
    run(&context, &["trust"]);
    let answer = json(&context, &["trust", "--list", "--json"]);
    assert_eq!(answer, valid_json(&context, &["config", "get", "trust.folders", "--json"]));
    assert_eq!(answer["values"][0]["value"][0], "[ROOT]/project");
}

#[test]
fn answers_in_json() {
    let context = project();
    let answer = changes(&context, &["trust", "--json"]);
    let line = |action: &str| serde_json::json!([{ "action": action, "path": "[ROOT]/home/.openoxide/config.toml", "target": "[ROOT]/project" }]);
    assert_eq!((&answer["changes"], &answer["undo"]), (&line("trust"), &"openoxide trust --revoke".into()));
    assert_eq!(changes(&context, &["trust", "--json"])["changes"], serde_json::json!([]), "it is trusted already");
    assert_eq!(changes(&context, &["trust", "--revoke", "--json"])["changes"], line("revoke"));
}

/// Whatever is put there, by anybody, would be trusted.
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
    assert_eq!((output.status, output.stderr.as_str()), (Some(0), "/ is not trusted any more\n"));
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
    assert!(output.stderr.contains(r"`[ROOT]/\xff` cannot be named in settings"), "{output}");
    assert!(!context.home().join(".openoxide").exists(), "nothing was written");
    context.tree("//- home/.openoxide/config.toml\ntrust = 1\n");
    let output = run(&context, &["trust"]);
    assert_eq!((output.status, config(&context).as_str()), (Some(2), "trust = 1\n"), "{output}");
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
