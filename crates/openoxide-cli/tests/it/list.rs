//! `list`: the skills that count, and what they cost.

use std::ffi::OsStr;
use std::process::Stdio;

use openoxide_testkit::TestContext;

use crate::support::{bin, field, furnished, run, run_with, valid_json};

#[test]
fn text() {
    insta::assert_snapshot!(run(&furnished(), &["list"]), @"
    status: 0
    ----- stdout -----
    repo  pdf-forms      Fill forms: flatten them too                         46 tok
    repo  release-notes  Turn merged pull requests into notes that people l…  64 tok
    user  deploy         Ship as I always do                                  42 tok
    user  sql-review     Review a migration for lo…  49 tok  you only, needs PDF_KEY
    ----- stderr -----
    4 skills, 152 of 4,000 tokens; 2 more do not count: openoxide list --all
    ");
}

#[test]
fn all() {
    insta::assert_snapshot!(run(&furnished(), &["list", "--all"]), @"
    status: 0
    ----- stdout -----
    repo  pdf-forms      Fill forms: flatten them too                         46 tok
    repo  release-notes  Turn merged pull requests into notes that people l…  64 tok
    user  deploy         Ship as I always do                                  42 tok
    user  sql-review     Review a migration for lo…  49 tok  you only, needs PDF_KEY
    untrusted  .agents/skills/deploy/SKILL.md
               the project is not trusted, so the user's skill keeps the name
               [S0306]
    invalid    .agents/skills/empty/SKILL.md
               the file does not begin with frontmatter [S0100]
    ----- stderr -----
    4 skills, 152 of 4,000 tokens; 2 more, which do not count
    ");
}

#[test]
fn other_hosts() {
    let context = furnished();
    insta::assert_snapshot!(run(&context, &["list", "--host", "codex"]), @"
    status: 0
    ----- stdout -----
    repo  deploy      Ship the service to staging or production               20 tok
    repo  pdf-forms   Fill forms: flatten them too                            18 tok
    user  deploy      Ship as I always do                                     15 tok
    user  sql-review  Review a migration for locks and data loss              22 tok
    ----- stderr -----
    4 skills, 105 of 5,440 tokens; 1 more does not count: openoxide list --all --host codex
    ");
    insta::assert_snapshot!(run(&context, &["list", "--host", "claude-code"]), @"
    status: 0
    ----- stdout -----
    repo  release-notes  Turn merged pull requests into notes that people l…  27 tok
    ----- stderr -----
    1 skill, 27 of 7,500 tokens
    ");
    insta::assert_snapshot!(run(&context, &["list", "--host", "agentskills"]), @"
    status: 0
    ----- stdout -----
    repo  deploy  Ship the service to staging or production                   68 tok
    ----- stderr -----
    1 skill, 68 tokens; 4 more do not count: openoxide list --all --host agentskills
    ");
}

#[test]
fn nothing_found() {
    insta::assert_snapshot!(run(&TestContext::new(), &["list"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    no skills found; `openoxide roots` shows where they are looked for, `openoxide new NAME` makes one
    ");
}

#[test]
fn quiet_leaves_the_data() {
    let context = furnished();
    let (loud, quiet) = (run(&context, &["list"]), run(&context, &["list", "-q"]));
    assert_eq!((quiet.stdout, quiet.stderr.as_str()), (loud.stdout, ""));
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    let context = furnished();
    for columns in ["66", "80", "120"] {
        let mut command = context.command(bin(), ["list"]);
        let output = context.answer(command.env("COLUMNS", columns));
        let limit: usize = columns.parse().unwrap();
        let widest = output.stdout.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= limit, "{columns} columns\n{output}");
    }
}

#[test]
fn json_answers_its_schema() {
    let context = furnished();
    for host in ["openoxide", "codex", "codex@seed", "claude-code", "claude-code@seed", "agentskills"] {
        let list = valid_json(&context, &["list", "--json", "--host", host]);
        assert_eq!(list["schema"]["version"], 1);
        assert_eq!(list["host"], host);
        assert!(!list["skills"].as_array().unwrap().is_empty(), "{host}");
    }
    let list = valid_json(&context, &["list", "--json"]);
    assert_eq!(field(&list["skills"], "name"), ["pdf-forms", "release-notes", "deploy", "sql-review"]);
    let review = &list["skills"][3];
    assert_eq!((&review["model"], &review["user"]), (&false.into(), &true.into()));
    assert_eq!(review["dependencies"][0]["value"], "PDF_KEY");
    // What does not count is always there, whether asked for or not.
    assert_eq!(list, valid_json(&context, &["list", "--all", "--json"]));
    assert_eq!(field(&list["others"], "standing"), ["untrusted", "invalid"]);
}

#[test]
fn a_variable_that_is_set_is_not_missed() {
    let context = furnished();
    assert!(run(&context, &["list"]).stdout.contains("needs PDF_KEY"));
    let output = run_with(&context, &["list"], &[("PDF_KEY", OsStr::new("x"))]);
    assert!(!output.stdout.contains("needs"), "{output}");
}

#[test]
fn color_by_flag_variable_and_setting() {
    let context = furnished();
    let is_colored = |args: &[&str], variables: &[(&str, &OsStr)]| {
        run_with(&context, args, variables).to_string().contains("\u{1b}[")
    };
    let on = OsStr::new("1");
    assert!(!is_colored(&["list"], &[]), "a pipe has no color");
    assert!(is_colored(&["list", "--color", "always"], &[]));
    assert!(is_colored(&["list", "--color", "always"], &[("NO_COLOR", on)]), "the flag wins");
    assert!(!is_colored(&["list", "--color", "never"], &[("CLICOLOR_FORCE", on)]));
    assert!(is_colored(&["list"], &[("CLICOLOR_FORCE", on)]));
    assert!(!is_colored(&["list"], &[("NO_COLOR", on)]));
    assert!(is_colored(&["list", "--config", "color=\"always\""], &[]));
    assert!(!is_colored(&["list", "--config", "color=\"always\"", "--color", "never"], &[]));
    assert!(!is_colored(&["list", "--json", "--color", "always"], &[]), "JSON has no color");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let context = furnished();
    for args in [&["list"][..], &["list", "--json"], &["hosts"], &["check"], &["prompt"], &["explain", "S0102"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = context.command(bin(), args);
        let output = command.stdout(Stdio::from(writer)).stderr(Stdio::piped()).spawn().unwrap().wait_with_output();
        let output = output.unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(!stderr.contains("error") || args == ["check"], "{args:?}: {stderr}");
        assert!(!stderr.to_lowercase().contains("broken pipe") && !stderr.contains("panicked"), "{args:?}: {stderr}");
        assert!(matches!(output.status.code(), Some(0 | 1)), "{args:?}: {:?}", output.status);
    }
}

#[test]
fn an_unknown_host_has_a_hint() {
    let context = furnished();
    insta::assert_snapshot!(run(&context, &["list", "--host", "codx"]), @"
    status: 2
    ----- stdout -----
    ----- stderr -----
    error: no host is called `codx`
    hint: did you mean `codex`? There are `agentskills`, `claude-code`, `codex`, `copilot-cli`, `crush`, `gemini-cli`, `goose`, `omp`, `opencode`, `openoxide`, `pepper`, `pi`, `qwen-code`, `remcochat`, `roo`, `vscode`, `zed`
    ");
    insta::assert_snapshot!(run(&context, &["list", "--host", "codex@sed"]), @"
    status: 2
    ----- stdout -----
    ----- stderr -----
    error: host `codex` has no edition `sed`
    hint: did you mean `seed`? There are `seed`
    ");
    insta::assert_snapshot!(run(&context, &["list", "--host", "openoxide@none"]), @"
    status: 2
    ----- stdout -----
    ----- stderr -----
    error: host `openoxide` has no edition `none`
    hint: it has one edition only
    ");
}

#[test]
fn a_missing_project_is_an_error() {
    insta::assert_snapshot!(run(&furnished(), &["list", "--project", "nowhere"]), @"
    status: 2
    ----- stdout -----
    ----- stderr -----
    error: `[ROOT]/project/nowhere` is not a folder
    ");
}

#[test]
fn an_added_folder_is_searched() {
    let context = TestContext::new();
    context.tree("//- more/extra/SKILL.md\n---\nname: extra\ndescription: From another folder\n---\n");
    let list = valid_json(&context, &["list", "--json", "--add-dir", "../more"]);
    assert_eq!(field(&list["skills"], "name"), ["extra"]);
    assert_eq!(list["skills"][0]["provider"], "added");
}

#[test]
fn a_touched_file_wakes_a_skill() {
    let context = TestContext::new();
    context.tree(
        "//- project/.agents/skills/css/SKILL.md\n---\nname: css\ndescription: Styles\npaths: 'web/**/*.css'\n---\n",
    );
    context.tree("//- project/web/a/main.css\n");
    assert_eq!(field(&valid_json(&context, &["list", "--json"])["others"], "standing"), ["dormant"]);
    let list = valid_json(&context, &["list", "--json", "--touch", "web/a/main.css"]);
    assert_eq!(field(&list["skills"], "name"), ["css"]);
}

/// What `list` says a catalog costs is what `prompt` says.
#[test]
fn the_cost_is_that_of_the_prompt() {
    let context = furnished();
    for host in ["openoxide", "codex", "claude-code", "agentskills"] {
        let prompt = valid_json(&context, &["prompt", "--json", "--host", host]);
        let said = run(&context, &["list", "--host", host]).stderr;
        let (used, unit) = (prompt["used"].as_u64().unwrap(), prompt["unit"].as_str().unwrap());
        let tokens = if unit == "tokens" { used } else { used.div_ceil(4) };
        let shown = said.split(", ").nth(1).and_then(|part| part.split_whitespace().next()).unwrap();
        let shown: u64 = shown.replace(',', "").parse().unwrap();
        // Each entry may be rounded up on its own.
        let entries = prompt["shown"].as_array().unwrap().len() as u64;
        assert!(shown.abs_diff(tokens) <= entries, "{host}: prompt uses {used} {unit}, list says {said}");
    }
}

#[test]
fn suggested_commands_look_at_the_same() {
    let context = furnished();
    let says = |args: &[&str], words: &str| {
        let output = run(&context, args);
        assert!(output.stderr.contains(words), "{args:?} does not say {words:?}\n{output}");
    };
    says(&["list", "--host", "codex"], "not count: openoxide list --all --host codex\n");
    says(&["prompt", "--host", "codex", "--project", "."], "(openoxide list --all --project . --host codex)");
    says(&["show", "none", "--host", "codex"], "`openoxide list --all --host codex` shows");
    says(&["explain", "S9999", "--host", "codex"], "`openoxide check --host codex` and `openoxide list --all --host");
    says(&["explain", "deploy", "--project", "."], "to trust the project: openoxide trust --project .\n");
    says(
        &["show", "none", "--host", "claude-code", "--project", "../home"],
        "`openoxide roots --project ../home --host",
    );
}

#[test]
fn one_token_is_one_token() {
    let context = TestContext::new();
    context.tree("//- project/skills/a/SKILL.md\n---\nname: a\ndescription: d\n---\n");
    let output = run(&context, &["list", "--host", "pepper"]);
    assert!(output.stderr.ends_with("1 skill, 1 token\n"), "{output}");
}

/// A host that knows no such rules would show the skill to the model; the user's rules apply for every host.
#[test]
fn what_a_rule_keeps_from_the_model_is_listed_as_it_is_shown() {
    let context = TestContext::new();
    context.skill("pdf", "Fills in forms");
    context.tree("//- home/.openoxide/config.toml\n[permission.skill]\npdf = \"deny\"\n");
    let listed = valid_json(&context, &["list", "--host", "codex", "--json"]);
    let shown = valid_json(&context, &["show", "pdf", "--host", "codex", "--json"]);
    assert_eq!((&listed["skills"][0]["model"], &shown["skill"]["model"]), (&false.into(), &false.into()), "{listed}");
    let output = run(&context, &["list", "--host", "codex"]);
    assert!(output.stdout.contains("you only") && output.stderr.starts_with("1 skill, 0 of "), "{output}");
}
