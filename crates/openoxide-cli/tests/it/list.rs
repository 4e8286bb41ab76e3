//! `list`: what your agents see; or what one host sees, and what that costs.

use std::ffi::OsStr;
use std::process::Stdio;

use openoxide_skills::host::Hosts;
use openoxide_testkit::TestContext;

use crate::adversarial::on_terminal;
use crate::support::{bin, field, furnished, run, run_with, skill_file, skipped, traced, valid_json};

/// A project with a bit of everything, for a user of three agents.
fn with_agents() -> TestContext {
    let context = furnished();
    context.tree("//- home/.codex/\n//- home/.config/opencode/\n");
    context
}

#[test]
fn your_agents() {
    insta::assert_snapshot!(run(&with_agents(), &["list"]), @"
    status: 0
    ----- stdout -----
                                                               Claude Codex OpenCode
    repo  deploy         Ship the service to staging or prod…    ·      ●      ●
    repo  pdf-forms      Fill forms: flatten them too            ·      ●      ●
    repo  release-notes  Turn merged pull requests into note…    ●      ·      ●
    user  deploy         Ship as I always do                     ·      ●      ○
    user  sql-review     Review a migration for locks and da…    ·      ●      ●
    ----- stderr -----
    5 skills   ● active  ○ ignored  · not found   why: openoxide explain SKILL
    1 more is active in none of your agents: openoxide list --all
    ");
}

#[test]
fn what_your_agents_ignore() {
    insta::assert_snapshot!(run(&with_agents(), &["list", "--all"]), @"
    status: 0
    ----- stdout -----
                                                               Claude Codex OpenCode
    repo  deploy         Ship the service to staging or prod…    ·      ●      ●
    repo  pdf-forms      Fill forms: flatten them too            ·      ●      ●
    repo  release-notes  Turn merged pull requests into note…    ●      ·      ●
    user  deploy         Ship as I always do                     ·      ●      ○
    user  sql-review     Review a migration for locks and da…    ·      ●      ●
    repo  empty                                                  ·      ○      ○

    ~/.agents/skills/deploy/SKILL.md
      OpenCode: shadowed, the skill of this name in
      `[ROOT]/project/.agents/skills`
      wins: of several roots, the last one counts [S0301]

    .agents/skills/empty/SKILL.md
      Codex, OpenCode: invalid, the file does not begin with frontmatter [S0100]
    ----- stderr -----
    6 skills   ● active  ○ ignored  · not found   why: openoxide explain SKILL
    ");
}

#[test]
fn an_agent_that_shows_names_only() {
    let context = TestContext::new();
    let claude = "//- home/.claude/settings.json\n{\"skillOverrides\": {\"quiet\": \"name-only\", \"off\": \"off\"}}\n";
    context.tree(claude).tree("//- home/.codex/\n");
    for name in ["loud", "quiet", "off"] {
        context.tree(&skill_file("home/.claude/skills", name, name));
    }
    insta::assert_snapshot!(run(&context, &["list"]), @"
    status: 0
    ----- stdout -----
                                                                        Claude Codex
    user  loud   Does loud                                                ●      ·
    user  quiet  Does quiet                                               ◐      ·
    ----- stderr -----
    2 skills   ● active  ◐ name only  · not found   why: openoxide explain SKILL
    Claude Code: 6.2k of 8.0k characters (200k window)
    1 more is active in none of your agents: openoxide list --all
    ");
    let list = valid_json(&context, &["list", "--json"]);
    assert_eq!(list["hosts"], serde_json::json!(["claude-code", "codex"]));
    assert_eq!(field(&list["skills"], "name"), ["loud", "quiet"]);
    assert_eq!(list["skills"][1]["name_only"], serde_json::json!(["claude-code"]));
    assert_eq!(list["skills"][0].get("name_only"), None);
    assert_eq!(list["others"][0]["hosts"], serde_json::json!({"claude-code": "disabled"}));
}

#[test]
fn many_agents_and_few_columns() {
    let context = with_agents();
    let all = Hosts::builtin().names().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
    let mine = format!("my_agents=[{all}]");
    for columns in ["24", "40", "66", "80", "120"] {
        for args in [&["list"][..], &["list", "--all"], &["list", "--config", &mine]] {
            let output = context.answer(context.command(bin(), args).env("COLUMNS", columns));
            let (limit, number): (usize, usize) = (columns.parse().unwrap(), if args.len() > 2 { 17 } else { 3 });
            let table: Vec<&str> = output.stdout.lines().take_while(|line| !line.is_empty()).collect();
            let widest = table.iter().map(|line| line.chars().count()).max().unwrap();
            assert!(widest <= limit, "{columns} columns\n{output}");
            let marks =
                |line: &&str| line.chars().filter(|mark| "\u{25cf}\u{25d0}\u{25cb}\u{b7}".contains(*mark)).count();
            let seen: usize = table.iter().filter(|line| line.contains("sql-revi")).map(marks).sum();
            assert_eq!(seen, number, "each agent has its column at {columns}\n{output}");
        }
    }
}

#[test]
fn words_narrow_the_list() {
    let context = with_agents();
    let names = |args: &[&str]| {
        let list = valid_json(&context, &[&["list", "--json"], args].concat());
        field(&list["skills"], "name").join(" ")
    };
    assert_eq!(names(&["DEPLOY"]), "deploy deploy");
    assert_eq!(names(&["ship", "staging"]), "deploy");
    assert_eq!(names(&["ship", "nothing"]), "");
    assert_eq!(names(&["--host", "codex", "locks"]), "sql-review");
    // What is counted is what is shown.
    let all = run(&context, &["list", "--all", "deploy"]);
    assert!(all.stderr.starts_with("2 of 6 skills have `deploy` in their name or description\n2 skills "), "{all}");
    let all = run(&context, &["list", "--all", "empty"]);
    assert!(all.stderr.starts_with("1 of 6 skills has `empty` in its name or description\n1 skill "), "{all}");
    let all = run(&context, &["list", "--all", "empty", "--host", "codex"]).stderr;
    assert!(all.starts_with("1 of 5 skills has `empty` in its name or description\n"), "{all}");
    insta::assert_snapshot!(run(&context, &["list", "ship", "nothing"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    none of 5 skills has all of these words; some of them: openoxide search ship nothing
    ");
    insta::assert_snapshot!(run(&context, &["list", "locks"]), @"
    status: 0
    ----- stdout -----
                                                               Claude Codex OpenCode
    user  sql-review  Review a migration for locks and data…     ·      ●      ●
    ----- stderr -----
    1 of 5 skills has `locks` in its name or description
    1 skill   ● active  · not found   why: openoxide explain SKILL
    ");
}

#[test]
fn one_host() {
    insta::assert_snapshot!(run(&furnished(), &["list", "--host", "openoxide"]), @"
    status: 0
    ----- stdout -----
    repo  pdf-forms      Fill forms: flatten them too                         46 tok
    repo  release-notes  Turn merged pull requests into notes that people l…  64 tok
    user  deploy         Ship as I always do                                  42 tok
    user  sql-review     Review a migration for lo…  49 tok  you only, needs PDF_KEY
    ----- stderr -----
    4 skills, 600 of 16.0k characters; 2 more are ignored: `openoxide list --all --host openoxide`
    ");
}

#[test]
fn what_one_host_ignores() {
    insta::assert_snapshot!(run(&furnished(), &["list", "--all", "--host", "openoxide"]), @"
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
    4 skills, 600 of 16.0k characters; 2 more are ignored
    ");
}

/// A setting acts as the option does.
#[test]
fn a_set_host_is_the_one_host() {
    let context = with_agents();
    let (set, named) = (["list", "--config", "host=codex"], ["list", "--host", "codex"]);
    assert_eq!(run(&context, &set).stdout, run(&context, &named).stdout);
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
    4 skills, 105 of 5.4k tokens (272k window); 1 more is ignored: `openoxide list --all --host codex`
    ");
    insta::assert_snapshot!(run(&context, &["list", "--host", "claude-code"]), @"
    status: 0
    ----- stdout -----
    repo  release-notes  Turn merged pull requests into notes that people l…  27 tok
    ----- stderr -----
    1 skill, 6.3k of 8.0k characters (200k window)
    ");
    insta::assert_snapshot!(run(&context, &["list", "--host", "agentskills"]), @"
    status: 0
    ----- stdout -----
    repo  deploy  Ship the service to staging or production                   68 tok
    ----- stderr -----
    1 skill, 268 characters, no limit; 4 more are ignored: `openoxide list --all --host agentskills`
    ");
}

#[test]
fn nothing_found() {
    insta::assert_snapshot!(run(&TestContext::new(), &["list"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    no agent was found here, so OpenOxide's own rules apply; for an agent's rules, add `--host` and one of agentskills, claude-code, codex, copilot-cli, crush, gemini-cli, goose, omp, opencode, pepper, pi, qwen-code, remcochat, roo, vscode, zed
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
    let list = valid_json(&context, &["list", "--json", "--host", "openoxide"]);
    assert_eq!(field(&list["skills"], "name"), ["pdf-forms", "release-notes", "deploy", "sql-review"]);
    let review = &list["skills"][3];
    assert_eq!((&review["model"], &review["user"]), (&false.into(), &true.into()));
    assert_eq!(review["dependencies"][0]["value"], "PDF_KEY");
    // What is ignored is always there, whether asked for or not.
    assert_eq!(list, valid_json(&context, &["list", "--all", "--json", "--host", "openoxide"]));
    assert_eq!(field(&list["others"], "status"), ["untrusted", "invalid"]);
}

#[test]
fn json_of_your_agents() {
    let context = with_agents();
    let list = valid_json(&context, &["list", "--json"]);
    assert_eq!(list.get("host"), None);
    assert_eq!(list["hosts"], serde_json::json!(["claude-code", "codex", "opencode"]));
    assert_eq!(field(&list["skills"], "name"), ["deploy", "pdf-forms", "release-notes", "deploy", "sql-review"]);
    let (repo, user) = (&list["skills"][0], &list["skills"][3]);
    assert_eq!((repo.get("status"), &repo["scope"], &user["scope"]), (None, &"repo".into(), &"user".into()));
    assert_eq!(repo["hosts"], serde_json::json!({"codex": "active", "opencode": "active"}));
    assert_eq!(user["hosts"], serde_json::json!({"codex": "active", "opencode": "shadowed"}));
    assert!(user["reasons"]["opencode"].as_str().unwrap().starts_with("S0301: "), "{user}");
    assert_eq!(field(&list["others"], "name"), ["empty"]);
    assert_eq!(list["others"][0]["hosts"], serde_json::json!({"codex": "invalid", "opencode": "invalid"}));
    assert_eq!(list["others"][0]["reasons"].as_object().unwrap().len(), 2);
}

#[test]
fn a_variable_that_is_set_is_not_missed() {
    let context = furnished();
    let list = ["list", "--host", "openoxide"];
    assert!(run(&context, &list).stdout.contains("needs PDF_KEY"));
    let output = run_with(&context, &list, &[("PDF_KEY", OsStr::new("x"))]);
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
    assert_eq!(field(&valid_json(&context, &["list", "--json"])["others"], "status"), ["dormant"]);
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
        let shown = said.split(", ").nth(1).and_then(|part| part.split_whitespace().next()).unwrap();
        let used = match used {
            0..1000 => used.to_string(),
            _ => format!("{}.{}k", (used + 50) / 1000, (used + 50) % 1000 / 100),
        };
        assert_eq!(shown, used, "{host}: list says {said}");
        assert!(said.contains(unit), "{host}: list says {said}");
    }
}

#[test]
fn suggested_commands_look_at_the_same() {
    let context = furnished();
    let says = |args: &[&str], words: &str| {
        let output = run(&context, args);
        assert!(output.stderr.contains(words), "{args:?} does not say {words:?}\n{output}");
    };
    says(&["list", "--host", "codex"], "ignored: `openoxide list --all --host codex`\n");
    says(&["prompt", "--host", "codex", "--project", "."], "(openoxide list --all --project . --host codex)");
    says(&["show", "none", "--host", "codex"], "`openoxide list --host codex` shows");
    says(&["explain", "S9999", "--host", "codex"], "`openoxide check --host codex` and `openoxide list --all --host");
    let explained = run(&context, &["explain", "deploy", "--project", ".", "--host", "openoxide"]).stdout;
    assert!(explained.contains(" openoxide trust --project .\n"), "{explained}");
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
    assert!(output.stderr.ends_with("1 skill, 1 character, no limit\n"), "{output}");
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

/// Counts system calls: what a person waits for when there are thousands of skills.
#[test]
fn output_is_written_in_blocks_and_no_folder_of_a_skill_is_entered() {
    const SKILLS: usize = 40;
    let context = TestContext::new();
    for number in 0..SKILLS {
        let name = format!("skill-{number}");
        context.tree(&skill_file("project/.agents/skills", &name, &name));
        context.tree(&format!("//- project/.agents/skills/{name}/scripts/run.sh\necho\n"));
    }
    let calls = |name: &str, args: &[&str]| -> Option<usize> {
        let trace = traced(&context, &format!("trace={name}"), args)?;
        Some(trace.lines().filter(|line| line.contains(&format!("{name}("))).count())
    };
    let host = ["--host", "openoxide"];
    let Some(written) = calls("write", &[&["list"], &host[..]].concat()) else {
        return skipped("no system calls are counted: `strace` cannot run here");
    };
    assert!(written < SKILLS / 2, "{written} calls of write");
    let entered = calls("getdents64", &[&["list", "--json"], &host[..]].concat()).unwrap();
    let thorough = calls("getdents64", &[&["list", "--json", "--all"], &host[..]].concat()).unwrap();
    assert!(entered < SKILLS && thorough > SKILLS, "{entered} without --all, {thorough} with it");
}

/// The legend and what stands below it fit the terminal.
#[test]
fn the_legend_is_no_wider_than_the_terminal() {
    let context = furnished();
    context.tree("//- home/.codex/config.toml\n//- home/.config/opencode/opencode.json\n{}\n");
    for at in 0..25 {
        let about = "words ".repeat(60);
        context.tree(&format!("//- home/.claude/skills/s{at}/SKILL.md\n---\nname: s{at}\ndescription: {about}\n---\n"));
    }
    let list = run(&context, &["list"]);
    assert!(list.stderr.contains("name only") && list.stderr.contains("not found"), "{list}");
    let widest = list.stderr.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(80), "{list}");
}

/// A message that speaks of the program is broken between words like any other; a command in it stays whole.
#[test]
fn messages_are_wrapped_around_commands() {
    let context = TestContext::new();
    let Some(output) = on_terminal(&context, 40, &["list", "--host", "openoxide"], "") else { return };
    let lines: Vec<&str> = output.stdout.lines().map(str::trim_end).collect();
    let expected = [
        "no skills found;",
        "`openoxide roots --host openoxide` shows",
        "where they are looked for,",
        "`openoxide new NAME` makes one",
    ];
    assert_eq!(lines, expected, "{output}");
}
