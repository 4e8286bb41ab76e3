//! `check`: problems with code, place and fix.

use openoxide_testkit::TestContext;
use serde_json::Value;

use crate::support::{field, furnished, json, run, snapshot_of, traced, valid_json};

fn skill(folder: &str, text: &str) -> TestContext {
    let context = TestContext::new();
    context.tree(&format!("//- project/{folder}/SKILL.md\n{text}"));
    context
}

fn read(context: &TestContext, path: &str) -> String {
    fs_err::read_to_string(context.project().join(path)).unwrap()
}

#[test]
fn text() {
    let context = furnished();
    // Two agents are found.
    context.tree("//- home/.codex/config.toml\n//- home/.config/opencode/opencode.json\n{}\n");
    insta::assert_snapshot!(run(&context, &["check"]), @"
    status: 1
    ----- stdout -----
    error[S0100]: the file does not begin with frontmatter
     --> .agents/skills/empty/SKILL.md:1:1
      |
    1 | Nothing but text.
      | ^^^^^^^^^^^^^^^^^
      |
      = dropped by: Codex, OpenCode
      = help: begin with `---`, the lines `name:` and `description:`, and `---`

    warning[S0106]: this value is not valid YAML unless it is quoted
     --> .agents/skills/pdf_forms/SKILL.md:3:14
      |
    3 | description: Fill forms: flatten them too
      |              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ `: ` ends a key in YAML
      |
      = read differently by: Codex, OpenCode
      = help: put quotes around the value   (--fix does this)

    note[S0110]: `disable-model-invocation` is not a field of the standard
     --> ~/.agents/skills/sql-review/SKILL.md:4:1
      |
    4 | disable-model-invocation: true
      | ^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: leave it if an agent of yours reads it; else move it under `metadata`

    note[S0110]: `argument-hint` is not a field of the standard
     --> .claude/skills/release-notes/SKILL.md:4:1
      |
    4 | argument-hint: FROM TO
      | ^^^^^^^^^^^^^
      |
      = help: leave it if an agent of yours reads it; else move it under `metadata`

    note[S0123]: `disable-model-invocation` has no effect in Codex, OpenCode
     --> ~/.agents/skills/sql-review/SKILL.md:4:1
      |
    4 | disable-model-invocation: true
      | ^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: do not rely on it there

    ----- stderr -----
    1 error, 1 warning, 3 notes in 6 skills; 1 fixable with --fix
    ");
}

#[test]
fn text_for_one_host() {
    insta::assert_snapshot!(run(&furnished(), &["check", "--host", "agentskills", ".agents/skills/pdf_forms"]), @"
    status: 1
    ----- stdout -----
    error[S0103]: a value needs quotes
     --> .agents/skills/pdf_forms/SKILL.md:3:14
      |
    3 | description: Fill forms: flatten them too
      |              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ `: ` means something else in YAML
      |
      = help: put quotes around the value (YAML: mapping values are not allowed in
              this context)   (--fix does this)

    ----- stderr -----
    1 error in 1 skill; 1 fixable with --fix
    ");
}

#[test]
fn nothing_wrong() {
    let context = TestContext::new();
    context.skill("good", "Does one thing well");
    insta::assert_snapshot!(run(&context, &["check"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    no agent was found here, so OpenOxide's own rules apply; for an agent's rules, add `--host` and one of agentskills, claude-code, codex, copilot-cli, crush, gemini-cli, goose, omp, opencode, pepper, pi, qwen-code, remcochat, roo, vscode, zed
    no problems in 1 skill
    ");
    assert_eq!(run(&context, &["check", "-q"]).to_string(), "status: 0\n----- stdout -----\n----- stderr -----\n");
}

#[test]
fn warnings_alone_are_no_failure() {
    let context = skill(".agents/skills/Upper", "---\nname: Upper\ndescription: d\n---\n");
    let output = run(&context, &["check", "--host", "openoxide"]);
    assert_eq!(output.status, Some(0), "{output}");
    assert!(output.stdout.contains("warning[S0115]"), "{output}");
}

/// An error if one of your agents drops the skill, a warning if one reads it differently, a note if only the standard minds.
#[test]
fn levels_follow_your_agents() {
    let context = skill(".agents/skills/forms", "---\nname: forms\ndescription: Use it: now\n---\n");
    context.tree("//- project/.agents/skills/other/SKILL.md\n---\nname: other\ndescription: d\nversion: 1\n---\n");
    let check = |flags: &[&str], expected: &[&str]| {
        let answer = valid_json(&context, &[&["check", "--json"], flags].concat());
        let problems =
            answer["checked"].as_array().unwrap().iter().flat_map(|checked| checked["problems"].as_array().unwrap());
        let text = |problem: &Value, key: &str| problem[key].as_str().unwrap().to_owned();
        let levels: Vec<String> =
            problems.map(|problem| format!("{} {}", text(problem, "code"), text(problem, "level"))).collect();
        assert_eq!(levels, expected, "{flags:?}: {answer:#}");
        assert_eq!(answer["checked"][0]["ok"], !expected[0].ends_with("error"), "{answer:#}");
    };
    let agents = |names: &str| format!("my_agents={names}");
    check(&["--config", &agents("[\"codex\"]")], &["S0106 warning", "S0110 note"]);
    check(&["--config", &agents("[\"codex\", \"pi\"]")], &["S0103 error", "S0110 note"]);
    check(&["--config", &agents("[\"claude-code\"]"), "--strict"], &["S0103 error", "S0110 error"]);
    check(&["--host", "codex"], &["S0106 warning"]);
    check(&["--host", "agentskills"], &["S0103 error", "S0110 error"]);
    check(&["--all-hosts"], &["S0103 error", "S0110 warning"]);
    check(&["--all-hosts", "--strict"], &["S0103 error", "S0110 error"]);
    let answer = json(&context, &["check", "--json", "--config", &agents("[\"codex\", \"pi\"]")]);
    assert_eq!(answer["hosts"], serde_json::json!(["codex", "pi"]));
    let problem = &answer["checked"][0]["problems"][0];
    assert_eq!(problem["dropped_by"], serde_json::json!(["pi"]), "{problem:#}");
    assert_eq!(problem["differs_in"], serde_json::json!(["Codex"]), "{problem:#}");
}

/// A finding does not ask for what the next one forbids.
#[test]
fn findings_do_not_contradict_each_other() {
    let context = skill(".agents/skills/pdf-forms", "---\nname: PDF_Forms\ndescription: d\n---\n");
    insta::assert_snapshot!(run(&context, &["check", "--host", "openoxide"]), @"
    status: 0
    ----- stdout -----
    warning[S0115]: the name has upper-case letters
     --> .agents/skills/pdf-forms/SKILL.md:2:7
      |
    2 | name: PDF_Forms
      |       ^^^^^^^^^
      |
      = help: write `pdf-forms`

    warning[S0118]: `_` is not allowed in a name
     --> .agents/skills/pdf-forms/SKILL.md:2:7
      |
    2 | name: PDF_Forms
      |       ^^^^^^^^^
      |
      = help: use lower-case letters, digits and hyphens

    warning[S0102]: the name differs from its folder
     --> .agents/skills/pdf-forms/SKILL.md:2:7
      |
    2 | name: PDF_Forms
      |       ^^^^^^^^^ the folder is called `pdf-forms`
      |
      = help: write `name: pdf-forms`

    ----- stderr -----
    3 warnings in 1 skill
    ");
    let before = snapshot_of(context.root());
    run(&context, &["check", "--fix", "--rename", "--all-hosts"]);
    assert_eq!(snapshot_of(context.root()), before);
}

fn five_skills() -> TestContext {
    let context = TestContext::new();
    for name in ["a", "b", "c", "d", "e"] {
        context.tree(&format!(
            "//- project/.agents/skills/{name}/SKILL.md\n---\nname: {name}\ndescription: d\nversion: 1\n---\n"
        ));
    }
    context.tree("//- project/.agents/skills/f/SKILL.md\n---\nname: f\n---\n");
    context.tree("//- project/.agents/skills/g/SKILL.md\n---\nname: g\ndescription: d\nallowed-tools: [Read]\n---\n");
    context
}

#[test]
fn repeats_are_grouped() {
    let context = five_skills();
    insta::assert_snapshot!(run(&context, &["check"]), @"
    status: 1
    ----- stdout -----
    error[S0119]: the frontmatter has no `description`
     --> .agents/skills/f/SKILL.md:1:1
      |
    1 | ---
      | ^^^
      |
      = help: add `description:` with what the skill does and when to use it

    note[S0110] 5 times: a field that is not in the standard
      --> .agents/skills/a/SKILL.md:4:1  `version` is not a field of the standard
      --> .agents/skills/b/SKILL.md:4:1  `version` is not a field of the standard
      --> .agents/skills/c/SKILL.md:4:1  `version` is not a field of the standard
      … and 2 more: openoxide check --select S0110 --format concise
      = help: leave it if an agent of yours reads it; else move it under `metadata`

    note[S0108]: the standard's YAML does not have flow style (`[a, b]` or `{a:
                 b}`)
     --> .agents/skills/g/SKILL.md:4:16
      |
    4 | allowed-tools: [Read]
      |                ^^^^^^
      |
      = help: write one item a line

    ----- stderr -----
    no agent was found here, so OpenOxide's own rules apply; for an agent's rules, add `--host` and one of agentskills, claude-code, codex, copilot-cli, crush, gemini-cli, goose, omp, opencode, pepper, pi, qwen-code, remcochat, roo, vscode, zed
    1 error, 6 notes in 7 skills
    ");
    let output = run(&context, &["check", "--verbose"]);
    assert_eq!(output.stdout.matches("note[S0110]").count(), 5, "{output}");
}

/// What most have in common must not hide what one of them could be told.
#[test]
fn a_help_of_its_own_comes_first_in_a_group() {
    let context = five_skills();
    context.tree(
        "//- project/.agents/skills/h/SKILL.md\n---\nname: h\ndescription: d\nallowed_tools: Read\nversion: 1\n---\n",
    );
    insta::assert_snapshot!(run(&context, &["check", ".agents/skills", "--select", "S0110", "--all-hosts"]).stdout, @"
    warning[S0110] 7 times: a field that is not in the standard
      --> .agents/skills/h/SKILL.md:4:1  `allowed_tools` is not a field of the stan…
          = help: did you mean `allowed-tools`?
      --> .agents/skills/a/SKILL.md:4:1  `version` is not a field of the standard
      --> .agents/skills/b/SKILL.md:4:1  `version` is not a field of the standard
      … and 4 more: openoxide check .agents/skills --select S0110 --format concise --all-hosts
      = read differently by: RemcoChat
      = help: leave it if an agent of yours reads it; else move it under `metadata`
    ");
    let concise = run(&context, &["check", "--format", "concise"]).stdout;
    assert!(concise.contains("standard; help: did you mean `allowed-tools`?\n"), "{concise}");
}

#[test]
fn a_tab_is_shown_and_named() {
    let context = skill(".agents/skills/tab", "---\nname: tab\ndescription: d\nmetadata:\n\towner: me\n---\n");
    insta::assert_snapshot!(run(&context, &["check", "--host", "agentskills"]).stdout, @"
    error[S0103]: the frontmatter is not valid YAML: tabs disallowed within this
                  context (block indentation)
     --> .agents/skills/tab/SKILL.md:5:2
      |
    5 | →owner: me
      |  ^
      |
      = help: indent with spaces instead of the tab
    ");
}

#[test]
fn concise() {
    insta::assert_snapshot!(run(&five_skills(), &["check", "--format", "concise"]), @"
    status: 1
    ----- stdout -----
    .agents/skills/a/SKILL.md:4:1: note[S0110]: `version` is not a field of the standard; help: leave it if an agent of yours reads it; else move it under `metadata`
    .agents/skills/b/SKILL.md:4:1: note[S0110]: `version` is not a field of the standard; help: leave it if an agent of yours reads it; else move it under `metadata`
    .agents/skills/c/SKILL.md:4:1: note[S0110]: `version` is not a field of the standard; help: leave it if an agent of yours reads it; else move it under `metadata`
    .agents/skills/d/SKILL.md:4:1: note[S0110]: `version` is not a field of the standard; help: leave it if an agent of yours reads it; else move it under `metadata`
    .agents/skills/e/SKILL.md:4:1: note[S0110]: `version` is not a field of the standard; help: leave it if an agent of yours reads it; else move it under `metadata`
    .agents/skills/f/SKILL.md:1:1: error[S0119]: the frontmatter has no `description`; help: add `description:` with what the skill does and when to use it
    .agents/skills/g/SKILL.md:4:16: note[S0108]: the standard's YAML does not have flow style (`[a, b]` or `{a: b}`); help: write one item a line
    ----- stderr -----
    no agent was found here, so OpenOxide's own rules apply; for an agent's rules, add `--host` and one of agentskills, claude-code, codex, copilot-cli, crush, gemini-cli, goose, omp, opencode, pepper, pi, qwen-code, remcochat, roo, vscode, zed
    1 error, 6 notes in 7 skills
    ");
}

#[test]
fn codes_are_selected_and_ignored() {
    let context = five_skills();
    let codes = |flags: &[&str]| {
        let answer = json(&context, &[&["check", "--json"], flags].concat());
        let checked = answer["checked"].as_array().unwrap();
        let codes = checked.iter().flat_map(|checked| field(&checked["problems"], "code"));
        codes.map(str::to_owned).collect::<std::collections::BTreeSet<String>>().into_iter().collect::<Vec<_>>()
    };
    assert_eq!(codes(&[]), ["S0108", "S0110", "S0119"]);
    assert_eq!(codes(&["--select", "S0108,S0119"]), ["S0108", "S0119"]);
    assert_eq!(codes(&["--select", "s0108", "--select", "S0119", "--ignore", "S0119"]), ["S0108"]);
    assert_eq!(codes(&["--config", "check.ignore=[\"S0119\"]"]), ["S0108", "S0110"]);
    assert_eq!(codes(&["--config", "check.ignore=[\"S0119\"]", "--ignore", "S0108"]), ["S0110", "S0119"]);
    assert_eq!(codes(&["--config", "check.select=[\"S0110\"]"]), ["S0110"]);
    // What is ignored is no error either.
    assert_eq!(run(&context, &["check", "-q"]).status, Some(1));
    assert_eq!(run(&context, &["check", "-q", "--ignore", "S0119"]).status, Some(0));
    insta::assert_snapshot!(run(&context, &["check", "--select", "S0199"]), @"
    status: 2
    ----- stdout -----
    ----- stderr -----
    error: `S0199` is not the code of a finding
    hint: did you mean `S0109`?
    ");
    let output = run(&context, &["check", "-q", "--config", "check.ignore=[\"nonsense\", \"S0119\"]"]);
    assert_eq!(output.status, Some(0), "{output}");
}

/// The exit status is the answer.
#[test]
fn quiet_is_quiet() {
    let context = furnished();
    for way in [
        &["check", "-q", "--all-hosts"][..],
        &["check", "-q", "--format", "concise", "--all-hosts"],
        &["check", "-q", "--diff", "--all-hosts"],
    ] {
        assert_eq!(run(&context, way).to_string(), "status: 1\n----- stdout -----\n----- stderr -----\n", "{way:?}");
    }
    assert_ne!(run(&context, &["check", "-q", "--json"]).stdout, "");
}

#[test]
fn paths_of_every_kind() {
    let context = skill("elsewhere/deep/one", "---\nname: one\ndescription: Outside of any root\n---\n");
    for path in ["elsewhere", "elsewhere/deep/one", "elsewhere/deep/one/SKILL.md", "./elsewhere/deep"] {
        let answer = valid_json(&context, &["check", "--json", path]);
        assert_eq!(field(&answer["checked"], "path"), ["[ROOT]/project/elsewhere/deep/one/SKILL.md"], "{path}");
    }
    // The same skill by two ways is checked once.
    let answer = json(&context, &["check", "--json", "elsewhere", "elsewhere/deep/one"]);
    assert_eq!(answer["checked"].as_array().unwrap().len(), 1);
}

#[test]
fn paths_that_hold_no_skill() {
    let context = TestContext::new();
    context.tree("//- project/docs/readme.txt\n");
    insta::assert_snapshot!(run(&context, &["check", "nowhere"]), @"
    status: 2
    ----- stdout -----
    ----- stderr -----
    error: `nowhere` is not there
    hint: name a skill's folder, its file, or a folder of skills
    ");
    insta::assert_snapshot!(run(&context, &["check", "docs"]), @"
    status: 2
    ----- stdout -----
    ----- stderr -----
    error: there is no skill in `docs`
    hint: a skill is a folder with a `SKILL.md`; `openoxide new NAME` makes one
    ");
}

#[test]
fn json_answers_its_schema() {
    let context = furnished();
    let answer = valid_json(&context, &["check", "--json", "--all-hosts"]);
    assert_eq!(answer["schema"]["version"], 1);
    assert_eq!(answer["checked"].as_array().unwrap().len(), 6);
    let forms = answer["checked"].as_array().unwrap().iter().find(|checked| checked["name"] == "pdf-forms").unwrap();
    assert_eq!(forms["ok"], false);
    assert_eq!(field(&forms["problems"], "code"), ["S0102", "S0103"]);
    assert_eq!(forms["problems"][0]["line"], 2);
    assert_eq!(forms["problems"][0]["fix"]["kind"], "rename-folder");
    assert_eq!(run(&context, &["check", "--format", "json"]).stdout, run(&context, &["check", "--json"]).stdout);
}

#[test]
fn sarif() {
    let output = run(&furnished(), &["check", "--format", "sarif", "--all-hosts"]);
    assert_eq!(output.status, Some(1));
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(report["version"], "2.1.0");
    let run = &report["runs"][0];
    let (rules, results) = (field(&run["tool"]["driver"]["rules"], "id"), field(&run["results"], "ruleId"));
    assert!(!results.is_empty());
    assert!(results.iter().all(|result| rules.contains(result)), "{rules:?} {results:?}");
    for result in run["results"].as_array().unwrap() {
        let place = &result["locations"][0]["physicalLocation"];
        assert!(place["artifactLocation"]["uri"].as_str().unwrap().ends_with("SKILL.md"), "{result:#}");
        assert!(place["region"]["startLine"].as_u64().unwrap() > 0, "{result:#}");
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
    }
}

#[test]
fn github() {
    insta::assert_snapshot!(run(&furnished(), &["check", "--format", "github", "--all-hosts", ".agents/skills"]), @"
    status: 1
    ----- stdout -----
    ::error file=.agents/skills/empty/SKILL.md,line=1,col=1,title=S0100%3A no frontmatter::the file does not begin with frontmatter%0Abegin with `---`, the lines `name:` and `description:`, and `---`
    ::warning file=.agents/skills/pdf_forms/SKILL.md,line=2,col=7,title=S0102%3A the name differs from its folder::the name differs from its folder%0Arename the folder to `pdf-forms`
    ::error file=.agents/skills/pdf_forms/SKILL.md,line=3,col=14,title=S0103%3A the frontmatter is not valid YAML::a value needs quotes%0Aput quotes around the value (YAML: mapping values are not allowed in this context)
    ----- stderr -----
    2 errors, 1 warning in 3 skills; 1 fixable with --fix, 1 more with --rename
    ");
}

#[test]
fn fix_quotes_a_value_with_a_colon() {
    let context =
        skill(".agents/skills/forms", "---\nname: forms\ndescription: Use this: fill \"forms\"\n---\nBody: kept\n");
    insta::assert_snapshot!(run(&context, &["check", "--fix"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    fixed .agents/skills/forms/SKILL.md: quoted the value [S0106]
    no agent was found here, so OpenOxide's own rules apply; for an agent's rules, add `--host` and one of agentskills, claude-code, codex, copilot-cli, crush, gemini-cli, goose, omp, opencode, pepper, pi, qwen-code, remcochat, roo, vscode, zed
    no problems in 1 skill; 1 fixed
    ");
    insta::assert_snapshot!(read(&context, ".agents/skills/forms/SKILL.md"), @r#"
    ---
    name: forms
    description: 'Use this: fill "forms"'
    ---
    Body: kept
    "#);
    is_settled(&context);
}

#[test]
fn fix_renames_a_folder_if_it_may() {
    let context = skill(".agents/skills/pdf_forms", "---\nname: pdf-forms\ndescription: Fill forms\n---\n");
    let before = snapshot_of(context.root());
    insta::assert_snapshot!(run(&context, &["check", "--fix"]), @"
    status: 0
    ----- stdout -----
    warning[S0102]: the name differs from its folder
     --> .agents/skills/pdf_forms/SKILL.md:2:7
      |
    2 | name: pdf-forms
      |       ^^^^^^^^^ the folder is called `pdf_forms`
      |
      = help: rename the folder to `pdf-forms`   (--fix --rename does this)

    ----- stderr -----
    no agent was found here, so OpenOxide's own rules apply; for an agent's rules, add `--host` and one of agentskills, claude-code, codex, copilot-cli, crush, gemini-cli, goose, omp, opencode, pepper, pi, qwen-code, remcochat, roo, vscode, zed
    1 warning in 1 skill; 1 more fixable with --rename
    ");
    assert_eq!(snapshot_of(context.root()), before, "nothing is renamed without --rename");
    insta::assert_snapshot!(run(&context, &["check", "--diff", "--rename"]), @"
    status: 1
    ----- stdout -----
    rename from .agents/skills/pdf_forms
    rename to .agents/skills/pdf-forms
    ----- stderr -----
    no agent was found here, so OpenOxide's own rules apply; for an agent's rules, add `--host` and one of agentskills, claude-code, codex, copilot-cli, crush, gemini-cli, goose, omp, opencode, pepper, pi, qwen-code, remcochat, roo, vscode, zed
    --fix would make 1 change in 1 skill
    ");
    assert_eq!(snapshot_of(context.root()), before);
    insta::assert_snapshot!(run(&context, &["check", "--fix", "--rename"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    renamed .agents/skills/pdf_forms to pdf-forms
    no agent was found here, so OpenOxide's own rules apply; for an agent's rules, add `--host` and one of agentskills, claude-code, codex, copilot-cli, crush, gemini-cli, goose, omp, opencode, pepper, pi, qwen-code, remcochat, roo, vscode, zed
    no problems in 1 skill; 1 fixed
    ");
    assert!(context.project().join(".agents/skills/pdf-forms/SKILL.md").is_file());
    assert!(!context.project().join(".agents/skills/pdf_forms").exists());
    is_settled(&context);
}

/// Links to what is renamed lead there afterwards, and no other link is touched.
#[test]
fn renaming_takes_links_along() {
    let context = skill(".agents/skills/pdf_forms", "---\nname: pdf-forms\ndescription: Fill forms\n---\n");
    context.tree(
        "
//- project/.claude/skills/pdf-forms -> ../../.agents/skills/pdf_forms
//- project/.claude/skills/again -> pdf-forms
//- project/.claude/skills/other -> ../../elsewhere/pdf_forms
//- project/.roo/skills/pdf-forms/SKILL.md -> ../../../.agents/skills/pdf_forms/SKILL.md
//- project/.agents/skills/pdf_forms/more.md -> SKILL.md
//- project/elsewhere/pdf_forms/
",
    );
    insta::assert_snapshot!(run(&context, &["check", "--fix", "--rename", "--host", "roo", "."]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    renamed .agents/skills/pdf_forms to pdf-forms
    linked .claude/skills/pdf-forms to .agents/skills/pdf-forms
    linked .roo/skills/pdf-forms/SKILL.md to .agents/skills/pdf-forms/SKILL.md
    no problems in 2 skills; 1 fixed
    ");
    let leads = |path: &str| {
        let text = fs_err::read_link(context.root().join(path)).unwrap().to_string_lossy().into_owned();
        assert!(context.root().join(path).exists(), "{path} leads nowhere: {text}");
        text.replace(&*context.root().to_string_lossy(), "[ROOT]")
    };
    assert_eq!(leads("project/.claude/skills/pdf-forms"), "../../.agents/skills/pdf-forms");
    assert_eq!(leads("project/.claude/skills/again"), "pdf-forms");
    assert_eq!(leads("project/.claude/skills/other"), "../../elsewhere/pdf_forms");
    assert_eq!(leads("project/.roo/skills/pdf-forms/SKILL.md"), "../../../.agents/skills/pdf-forms/SKILL.md");
    assert_eq!(leads("project/.agents/skills/pdf-forms/more.md"), "SKILL.md");
    let list = json(&context, &["list", "--json", "--host", "roo"]);
    assert!(field(&list["skills"], "name").contains(&"pdf-forms"), "{list:#}");
    // The same for a file.
    let context = TestContext::new();
    context.tree("//- project/.agents/skills/a/skill.md\n---\nname: a\ndescription: A\n---\n");
    context.tree("//- project/.claude/skills/a/SKILL.md -> ../../../.agents/skills/a/skill.md\n");
    let output = run(&context, &["check", "--fix", "--rename", "."]);
    assert!(output.stderr.contains("linked .claude/skills/a/SKILL.md to .agents/skills/a/SKILL.md\n"), "{output}");
    assert!(context.project().join(".claude/skills/a/SKILL.md").exists());
}

/// What relies on a folder's name keeps it: nothing is written where nobody asked for it.
#[test]
fn what_something_relies_on_is_not_renamed() {
    let skill = "---\nname: pdf-forms\ndescription: Fill forms\n---\n";
    let check = |more: &str, way: &[&str], why: &str| {
        let context = TestContext::new();
        context.tree(&format!("//- project/.git/HEAD\n//- project/.agents/skills/pdf_forms/SKILL.md\n{skill}"));
        context.tree(more);
        let before = snapshot_of(context.root());
        let output = run(&context, &[&["check", "--fix", "--rename", "--host", "openoxide"], way].concat());
        assert!(output.stderr.contains(&format!("is not renamed: {why}")), "{more}: {output}");
        assert_eq!(snapshot_of(context.root()), before, "{output}");
    };
    let other = |text: &str| {
        format!("//- project/.agents/skills/other/SKILL.md\n---\nname: other\ndescription: d\n---\n{text}\n")
    };
    check(&other("See [it](../pdf_forms/SKILL.md)."), &[], ".agents/skills/other/SKILL.md:5 refers to it");
    check("//- project/list.json\n{\"skills\": [\"pdf_forms\"]}\n", &[], "list.json:1 refers to it");
    check(
        "//- home/.codex/skills/forms -> {root}/project/.agents/skills/pdf_forms rooted\n",
        &["."],
        "the link ~/.codex/skills/forms leads to it, and is outside of the paths given",
    );
    check(
        "//- project/.claude/skills/forms -> ../../.agents/skills/pdf_forms\n",
        &[".agents/skills/pdf_forms"],
        "the link .claude/skills/forms leads to it, and is outside of the paths given",
    );
    check(
        "//- project/.agents/skills/pdf_forms/.git/HEAD\n",
        &[".agents/skills/pdf_forms"],
        "it is the root of a repository",
    );
    check("", &["--project", ".agents/skills/pdf_forms", "."], "it is the working folder, or holds it");
    check(
        &format!("//- project/.agents/skills/pdf_forms/inner/SKILL.md\n{}", skill.replace("pdf-forms", "inner")),
        &[".agents/skills/pdf_forms"],
        ".agents/skills/pdf_forms/inner lies in it",
    );
    check("//- project/.agents/skills/pdf-forms/notes.md\n", &[], "`pdf-forms` is already there");
}

#[test]
fn of_two_folders_that_want_one_name_the_first_gets_it() {
    let context = TestContext::new();
    let skill = "---\nname: forms\ndescription: Fill forms\n---\n";
    context.tree(&format!("//- project/.git/HEAD\n//- project/.agents/skills/FORMS/SKILL.md\n{skill}"));
    context.tree(&format!("//- project/.agents/skills/Forms/SKILL.md\n{skill}"));
    let output = run(&context, &["check", "--fix", "--rename", "--host", "openoxide"]);
    assert!(output.stderr.contains("renamed .agents/skills/FORMS to forms"), "{output}");
    let refused = ".agents/skills/Forms is not renamed: another folder or file wants the name `forms` too";
    assert!(output.stderr.contains(refused), "{output}");
    assert_ne!(output.status, Some(2), "{output}");
    assert!(context.project().join(".agents/skills/Forms").is_dir());
}

/// A file that nobody can read may refer to the folder.
#[test]
fn beside_a_file_that_cannot_be_read_nothing_is_renamed() {
    let context = skill(".agents/skills/pdf_forms", "---\nname: pdf-forms\ndescription: Fill forms\n---\n");
    context.tree("//- project/.git/HEAD\n");
    let text = "../pdf_forms/SKILL.md".encode_utf16().flat_map(u16::to_le_bytes);
    fs_err::write(context.project().join("list.txt"), [0xff, 0xfe].into_iter().chain(text).collect::<Vec<_>>())
        .unwrap();
    let output = run(&context, &["check", "--fix", "--rename", "--host", "openoxide"]);
    assert!(output.stderr.contains("is not renamed: some files in . could not be read"), "{output}");
}

#[test]
fn what_a_fix_does_not_reach_is_not_said_to_be_fixable() {
    let context = TestContext::new();
    let skill = "---\nname: NAME\ndescription: Fill forms: flatten them too\n---\n";
    context.tree(&format!("//- project/.agents/skills/mine/SKILL.md\n{}", skill.replace("NAME", "mine")));
    context.tree(&format!("//- home/.agents/skills/yours/SKILL.md\n{}", skill.replace("NAME", "yours")));
    let output = run(&context, &["check", "--host", "openoxide"]);
    assert!(
        output.stderr.contains("1 fixable with --fix; 1 outside of the project, fixable with --fix PATH"),
        "{output}"
    );
    assert!(output.stdout.contains("(--fix ~/.agents/skills/yours"), "{output}");
    let output = run(&context, &["check", "--fix", "--host", "openoxide"]);
    assert!(output.stderr.contains("1 fixed; 1 outside of the project, fixable with --fix PATH"), "{output}");
    let output = run(&context, &["check", "--fix", "--diff", "--host", "openoxide"]);
    let left = "nothing to fix in 2 skills; 1 outside of the project, fixable with --fix PATH\n";
    assert_eq!((output.status, output.stderr.as_str()), (Some(0), left), "{output}");
    let output = run(&context, &["check", "--fix", "--host", "openoxide", "../home/.agents/skills/yours"]);
    assert!(output.stderr.contains("1 fixed"), "{output}");
}

#[test]
fn all_hosts_are_checked_for_whatever_a_setting_names() {
    let context = furnished();
    let answer = json(&context, &["check", "--all-hosts", "--config", "host=codex", "--json"]);
    assert!(answer["hosts"].as_array().unwrap().len() > 10, "{answer}");
}

#[test]
fn fix_renames_a_file() {
    let context = TestContext::new();
    context.tree("//- project/.agents/skills/forms/skill.md\n---\nname: forms\ndescription: Fill forms\n---\n");
    insta::assert_snapshot!(run(&context, &["check", "--fix", "--rename"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    renamed .agents/skills/forms/skill.md to SKILL.md
    no agent was found here, so OpenOxide's own rules apply; for an agent's rules, add `--host` and one of agentskills, claude-code, codex, copilot-cli, crush, gemini-cli, goose, omp, opencode, pepper, pi, qwen-code, remcochat, roo, vscode, zed
    no problems in 1 skill; 1 fixed
    ");
    assert!(context.project().join(".agents/skills/forms/SKILL.md").is_file());
    is_settled(&context);
}

#[test]
fn diff_shows_and_writes_nothing() {
    let context =
        skill(".agents/skills/forms", "---\nname: forms\nhomepage: https://x.org/y\ndescription: Use this: now\n---\n");
    let before = snapshot_of(context.root());
    insta::assert_snapshot!(run(&context, &["check", "--diff"]), @"
    status: 1
    ----- stdout -----
    --- a/.agents/skills/forms/SKILL.md
    +++ b/.agents/skills/forms/SKILL.md
    @@ -1,5 +1,5 @@
     ---
     name: forms
     homepage: https://x.org/y
    -description: Use this: now
    +description: 'Use this: now'
     ---
    ----- stderr -----
    no agent was found here, so OpenOxide's own rules apply; for an agent's rules, add `--host` and one of agentskills, claude-code, codex, copilot-cli, crush, gemini-cli, goose, omp, opencode, pepper, pi, qwen-code, remcochat, roo, vscode, zed
    --fix would make 1 change in 1 skill
    ");
    assert_eq!(snapshot_of(context.root()), before);
    // A value that is valid alone stays, also for an agent whose own repair rewrites it.
    for host in ["opencode", "omp", "codex", "agentskills", "goose"] {
        let output = run(&context, &["check", "--diff", "--host", host]);
        let changed = output.stdout.lines().filter(|line| line.starts_with(['-', '+'])).count();
        assert!(output.stdout.is_empty() || changed == 4, "{host}: {output}");
    }
    run(&context, &["check", "--fix", "--host", "opencode"]);
    insta::assert_snapshot!(read(&context, ".agents/skills/forms/SKILL.md"), @"
    ---
    name: forms
    homepage: https://x.org/y
    description: 'Use this: now'
    ---
    ");
    assert_eq!(run(&context, &["check", "--diff"]).status, Some(0));
    let output = run(&context, &["check", "--rename"]);
    assert_eq!(output.status, Some(2), "{output}");
}

/// A folder that is a skill and holds others is checked with them.
#[test]
fn a_skill_and_the_skills_below_it_are_both_reported() {
    let context = skill("pack", "---\nname: pack\ndescription: d\n---\n");
    context.tree("//- project/pack/skills/one/SKILL.md\n---\nname: one\ndescription: Use: it\n---\n");
    for (cwd, path) in [(".", "pack"), ("pack", ".")] {
        let answer = valid_json(&context, &["check", "--json", "--project", cwd, path]);
        assert_eq!(field(&answer["checked"], "name"), ["pack", "one"], "{answer:#}");
    }
}

const BAD: &str = "---\nname: bad\ndescription: Use: it\n---\n";

/// `--fix` changes nothing but what is below the paths given.
#[test]
fn fix_stays_below_the_paths_given() {
    let context = TestContext::new();
    context.tree(&format!(
        "//- project/.git/HEAD\n//- project/tools/sk/bad/SKILL.md\n{BAD}//- project/pkg-a/.claude/skills/bad/SKILL.md\n{BAD}\
         //- project/.claude/skills/bad/SKILL.md\n{BAD}//- home/.claude/skills/bad/SKILL.md\n{BAD}"
    ));
    let hosts = ["claude-code", "codex", "opencode", "openoxide", "agentskills", "omp", "vscode"];
    let flags = hosts.map(|host| vec!["--host", host]).into_iter().chain([vec![], vec!["--all-hosts"]]);
    for flags in flags {
        let others = ["project/pkg-a", "project/.claude", "home"].map(|path| snapshot_of(&context.root().join(path)));
        let output = run(&context, &[&["check", "--fix", "--rename", "tools/sk"], &*flags].concat());
        let after = ["project/pkg-a", "project/.claude", "home"].map(|path| snapshot_of(&context.root().join(path)));
        assert_eq!(after, others, "{flags:?}: {output}");
        context.tree(&format!("//- project/tools/sk/bad/SKILL.md\n{BAD}"));
    }
    run(&context, &["check", "--fix", "--all-hosts", "tools/sk"]);
    assert!(read(&context, "tools/sk/bad/SKILL.md").contains("'Use: it'"), "what is below is fixed");
}

/// `--fix` changes nothing in a nested repository or a submodule.
#[test]
fn fix_leaves_other_repositories_alone() {
    let context = TestContext::new();
    context.tree(&format!(
        "//- project/.git/HEAD\n//- project/skills/bad/SKILL.md\n{BAD}//- project/vendor/nested/.git/HEAD\n\
         //- project/vendor/nested/bad/SKILL.md\n{BAD}//- project/vendor/sub/.git\ngitdir: ../../.git/modules/sub\n\
         //- project/vendor/sub/bad/SKILL.md\n{BAD}//- project/vendor/sub/deep/bad/SKILL.md\n{BAD}"
    ));
    let before = snapshot_of(&context.project().join("vendor"));
    insta::assert_snapshot!(run(&context, &["check", "--fix", "--rename", "--host", "codex", "."]), @"
    status: 0
    ----- stdout -----
    warning[S0106]: this value is not valid YAML unless it is quoted
     --> vendor/nested/bad/SKILL.md:3:14
      |
    3 | description: Use: it
      |              ^^^^^^^ `: ` ends a key in YAML
      |
      = help: put quotes around the value   (--fix vendor/nested/bad does this)

    warning[S0106]: this value is not valid YAML unless it is quoted
     --> vendor/sub/bad/SKILL.md:3:14
      |
    3 | description: Use: it
      |              ^^^^^^^ `: ` ends a key in YAML
      |
      = help: put quotes around the value   (--fix vendor/sub/bad does this)

    warning[S0106]: this value is not valid YAML unless it is quoted
     --> vendor/sub/deep/bad/SKILL.md:3:14
      |
    3 | description: Use: it
      |              ^^^^^^^ `: ` ends a key in YAML
      |
      = help: put quotes around the value   (--fix vendor/sub/deep/bad does this)

    ----- stderr -----
    warning: vendor/nested is another git repository: 1 skill in it is not fixed; name it to fix it
    warning: vendor/sub is another git repository: 2 skills in it are not fixed; name it to fix it
    fixed skills/bad/SKILL.md: quoted the value [S0106]
    3 warnings in 4 skills; 1 fixed; 3 left alone, fixable with --fix PATH
    ");
    assert_eq!(snapshot_of(&context.project().join("vendor")), before);
    assert!(read(&context, "skills/bad/SKILL.md").contains("'Use: it'"));
    run(&context, &["check", "--fix", "--host", "codex", "vendor/sub"]);
    assert!(read(&context, "vendor/sub/bad/SKILL.md").contains("'Use: it'"), "a repository that is named is fixed");
}

/// A skill that has nothing to fix is not spoken of, wherever it is.
#[test]
fn only_what_has_something_to_fix_is_said_to_be_left() {
    let context = TestContext::new();
    context.tree("//- project/elsewhere/good/SKILL.md\n---\nname: good\ndescription: d\n---\n");
    context.tree("//- project/skills/good -> ../elsewhere/good\n//- project/skills/bad -> ../elsewhere/bad\n");
    context.tree(&format!("//- project/elsewhere/bad/SKILL.md\n{BAD}"));
    let output = run(&context, &["check", "--fix", "--host", "codex", "skills"]);
    let warnings: Vec<&str> = output.stderr.lines().filter(|line| line.starts_with("warning")).collect();
    let left = "warning: elsewhere/bad is reached through a link and is not fixed; name it to fix it";
    assert_eq!(warnings, [left], "{output}");
}

/// A name is suggested only if the host allows it.
#[test]
fn of_folder_and_name_either_can_be_changed() {
    let context = skill(".agents/skills/pdf-tools", "---\nname: pdf-forms\ndescription: Fill forms\n---\n");
    let output = run(&context, &["check", "--host", "agentskills"]);
    let help = "rename the folder to `pdf-forms`, or change the skill's name to\n          `pdf-tools`";
    assert!(output.stdout.contains(help), "{output}");
}

/// From a home folder, nothing below is searched for nested folders of skills, and that is said.
#[test]
fn a_home_folder_is_not_searched_for_nested_skills() {
    let context = TestContext::new();
    context.tree(&format!("//- home/work/app/.claude/skills/bad/SKILL.md\n{BAD}"));
    let home = context.home();
    let home = home.to_str().unwrap();
    let output = run(&context, &["check", "--host", "claude-code", "--project", home]);
    insta::assert_snapshot!(output, @"
    status: 0
    ----- stdout -----
    note[S0012]: a home folder, or the root of the disk, is not searched for
                 nested folders of skills
    --> .
     = help: name a folder to search it: `openoxide check PATH`

    ----- stderr -----
    no problems, 1 note in 0 skills
    ");
    if let Some(trace) = traced(&context, "trace=openat", &["check", "--host", "claude-code", "--project", home]) {
        assert!(!trace.contains("home/work"), "{trace}");
    }
    let output = run(&context, &["check", "--host", "claude-code", "--project", "/"]);
    assert!(output.stdout.contains("note[S0012]"), "{output}");
}

#[test]
fn fix_adds_a_name() {
    let context = skill(".agents/skills/forms", "---\ndescription: Fill forms\n---\n");
    insta::assert_snapshot!(run(&context, &["check", "--fix"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    fixed .agents/skills/forms/SKILL.md: added `name: forms` [S0112]
    no agent was found here, so OpenOxide's own rules apply; for an agent's rules, add `--host` and one of agentskills, claude-code, codex, copilot-cli, crush, gemini-cli, goose, omp, opencode, pepper, pi, qwen-code, remcochat, roo, vscode, zed
    no problems in 1 skill; 1 fixed
    ");
    assert_eq!(read(&context, ".agents/skills/forms/SKILL.md"), "---\nname: forms\ndescription: Fill forms\n---\n");
    is_settled(&context);
}

#[test]
fn fix_fixes_several_things_at_once() {
    let context = TestContext::new();
    context.tree(
        "//- project/.agents/skills/pdf_forms/skill.md\n---\nname: pdf-forms\ndescription: Fill: forms\n\
         compatibility: Needs: tools\n---\nBody.\n",
    );
    let output = run(&context, &["check", "--fix", "--rename"]);
    assert_eq!(output.status, Some(0), "{output}");
    let text = read(&context, ".agents/skills/pdf-forms/SKILL.md");
    assert!(text.ends_with("---\nBody.\n"), "{text}");
    is_settled(&context);
}

#[test]
fn fix_does_not_overwrite() {
    let context = skill(".agents/skills/pdf_forms", "---\nname: pdf-forms\ndescription: One\n---\n");
    context.tree("//- project/.agents/skills/pdf-forms/SKILL.md\n---\nname: pdf-forms\ndescription: Two\n---\n");
    insta::assert_snapshot!(run(&context, &["check", "--fix", "--rename", "--all-hosts"]), @"
    status: 1
    ----- stdout -----
    error[S0102]: the name differs from its folder
     --> .agents/skills/pdf_forms/SKILL.md:2:7
      |
    2 | name: pdf-forms
      |       ^^^^^^^^^ the folder is called `pdf_forms`
      |
      = dropped by: Crush, RemcoChat, Roo Code, VS Code
      = read differently by: OpenOxide, pi
      = help: rename the folder to `pdf-forms`   (--fix --rename does this)

    ----- stderr -----
    warning: .agents/skills/pdf_forms is not renamed: `pdf-forms` is already there
    1 error in 2 skills
    ");
    assert!(read(&context, ".agents/skills/pdf_forms/SKILL.md").contains("One"));
    assert!(read(&context, ".agents/skills/pdf-forms/SKILL.md").contains("Two"));
}

#[test]
fn fix_stays_in_its_folder() {
    let context = skill(".agents/skills/climber", "---\nname: ../../../escaped\ndescription: d\n---\n");
    context.tree(
        "//- project/.agents/skills/absolute/SKILL.md rooted\n---\nname: {root}/escaped\ndescription: d\n---\n\
         //- project/.agents/skills/dots/SKILL.md\n---\nname: ..\ndescription: d\n---\n\
         //- project/.agents/skills/inner/SKILL.md\n---\nname: climber/inner\ndescription: d\n---\n",
    );
    for host in ["openoxide", "codex", "claude-code", "agentskills"] {
        run(&context, &["check", "--fix", "--rename", "--host", host]);
    }
    run(&context, &["check", "--fix", "--rename"]);
    for folder in ["climber", "absolute", "dots", "inner"] {
        assert!(context.project().join(".agents/skills").join(folder).join("SKILL.md").is_file(), "{folder} moved");
    }
    assert!(!context.root().join("escaped").exists() && !context.project().join("escaped").exists());
}

#[test]
fn fix_does_not_write_through_a_link() {
    let context = TestContext::new();
    context.tree(
        "//- outside/notes.md\n---\nname: notes\ndescription: Mine: not the project's\n---\n\
         //- project/.agents/skills/notes/SKILL.md -> {root}/outside/notes.md rooted\n\
         //- project/.claude/skills/notes/SKILL.md -> {root}/outside/notes.md rooted\n",
    );
    let before = fs_err::read_to_string(context.root().join("outside/notes.md")).unwrap();
    for host in ["agentskills", "claude-code"] {
        run(&context, &["check", "--fix", "--host", host]);
        run(&context, &["check", "--fix", "--host", host, ".agents/skills/notes", ".claude/skills/notes/SKILL.md"]);
    }
    run(&context, &["check", "--fix"]);
    assert_eq!(fs_err::read_to_string(context.root().join("outside/notes.md")).unwrap(), before);
}

/// What is checked is the skill, not the folder that its file is linked from.
#[test]
fn a_linked_file_is_checked_where_it_is_found() {
    let context = TestContext::new();
    context.tree(
        "//- project/docs/notes.md\n---\nname: notes\ndescription: Fine\n---\n\
         //- project/.agents/skills/notes/SKILL.md -> {root}/project/docs/notes.md rooted\n",
    );
    let answer = valid_json(&context, &["check", "--json", "--host", "agentskills"]);
    assert_eq!(field(&answer["checked"], "path"), ["[ROOT]/project/.agents/skills/notes/SKILL.md"], "{answer:#}");
    assert_eq!(answer["checked"][0]["ok"], true, "{answer:#}");
    let answer = json(&context, &["check", "--json", "--host", "openoxide"]);
    assert_eq!(field(&answer["checked"][0]["problems"], "code"), ["S0005"], "{answer:#}");
}

/// `list` and `check` agree on whether a skill loads.
#[test]
fn a_large_file_is_no_error_where_it_loads() {
    let context = TestContext::new();
    context.skill("large", "Has a long text");
    let file = context.project().join(".agents/skills/large/SKILL.md");
    let mut text = fs_err::read_to_string(&file).unwrap();
    text.push_str(&"A line of text that says little.\n".repeat(50_000));
    fs_err::write(&file, text).unwrap();
    for host in ["openoxide", "codex", "agentskills"] {
        let list = json(&context, &["list", "--json", "--host", host]);
        let counts = field(&list["skills"], "name") == ["large"];
        let answer = json(&context, &["check", "--json", "--host", host]);
        assert_eq!(answer["checked"][0]["ok"], counts, "{host} counts it: {counts}, {answer:#}");
    }
}

/// A second `--fix` finds nothing to fix and writes nothing.
fn is_settled(context: &TestContext) {
    let before = snapshot_of(context.root());
    let output = run(context, &["check", "--diff", "--rename"]);
    assert_eq!((output.status, &*output.stdout), (Some(0), ""), "{output}");
    let output = run(context, &["check", "--fix", "--rename"]);
    assert_eq!(output.status, Some(0), "{output}");
    assert_eq!(output.stdout, "", "{output}");
    assert_eq!(snapshot_of(context.root()), before);
}

#[test]
fn places_that_cannot_be_searched_are_findings() {
    let context = TestContext::new();
    context.tree("//- project/.claude/skills/dangling -> ../nowhere\n//- project/drafts/gone -> nowhere\n");
    let ok = "---\nname: fine\ndescription: Is fine\n---\nText\n";
    context.tree(&format!("//- project/.claude/skills/fine/SKILL.md\n{ok}"));
    context.tree("//- project/.claude/skills/broken/SKILL.md -> none\n");
    insta::assert_snapshot!(run(&context, &["check"]), @"
    status: 1
    ----- stdout -----
    error[S0006]: the link leads nowhere
    --> .claude/skills/broken/SKILL.md
     = dropped by: Claude Code
     = help: fix the link

    warning[S0006]: the link leads nowhere
    --> .claude/skills/dangling
     = help: fix or remove the link

    ----- stderr -----
    1 error, 1 warning in 2 skills
    ");
    insta::assert_snapshot!(run(&context, &["check", "drafts"]), @"
    status: 0
    ----- stdout -----
    warning[S0006]: the link leads nowhere
    --> drafts/gone
     = help: fix or remove the link

    ----- stderr -----
    1 warning in 0 skills
    ");
    let answer = valid_json(&context, &["check", ".claude/skills", "--json"]);
    assert_eq!(field(&answer["checked"], "name").len(), 3, "{answer:#}");
}

/// An agent minds only what it finds.
#[test]
fn agents_judge_skills_where_they_look() {
    let context = TestContext::new();
    context.tree(
        "//- home/.codex/config.toml\n//- home/.claude/settings.json\n{}\n\
         //- project/.claude/skills/quiet/SKILL.md\n---\nname: quiet\n---\nText\n",
    );
    for paths in [&[][..], &[".claude/skills"], &[".claude/skills/quiet"]] {
        let here = run(&context, &[&["check"], paths].concat());
        assert!(here.status == Some(0) && !here.stdout.contains("Codex"), "{here}");
        let all = run(&context, &[&["check", "--all-hosts"], paths].concat());
        assert!(all.status == Some(1) && all.stdout.contains("Codex"), "{all}");
    }
    // Where none of them looks, each of them judges.
    context.tree("//- project/kit/quiet/SKILL.md\n---\nname: quiet\n---\nText\n");
    let elsewhere = run(&context, &["check", "kit"]);
    assert!(elsewhere.status == Some(1) && elsewhere.stdout.contains("= dropped by: Codex"), "{elsewhere}");
}

/// A field that says what holds anyway makes no difference to an agent that does not read it.
#[test]
fn a_field_that_says_the_usual_is_no_finding() {
    for (field, expected) in [
        ("disable-model-invocation: false", 0),
        ("disable-model-invocation: true", 1),
        ("user-invocable: true", 0),
        ("user-invocable: false", 1),
    ] {
        let context = skill(".agents/skills/a", &format!("---\nname: a\ndescription: One\n{field}\n---\n"));
        let answer = json(&context, &["check", "--json", "--host", "codex", "--select", "S0123"]);
        let found = answer["checked"][0]["problems"].as_array().map_or(0, Vec::len);
        assert_eq!(found, expected, "{field}\n{answer:#}");
    }
}
