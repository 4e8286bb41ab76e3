//! `check`: problems with code, place and fix.

use openoxide_testkit::TestContext;
use serde_json::Value;

use crate::support::{field, furnished, json, run, snapshot_of, valid_json};

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
    insta::assert_snapshot!(run(&furnished(), &["check"]), @"
    status: 1
    ----- stdout -----
    warning[S0110]: `disable-model-invocation` is not a field of the standard
     --> ~/.agents/skills/sql-review/SKILL.md:4:1
      |
    4 | disable-model-invocation: true
      | ^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = seen by: Agent Skills drops the skill, the others load it
      = help: programs pass over a field that they do not know; a strict checker
              does not

    note[S0123]: `disable-model-invocation` has no effect in Codex, OpenCode
     --> ~/.agents/skills/sql-review/SKILL.md:4:1
      |
    4 | disable-model-invocation: true
      | ^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: do not rely on it where this host is used

    error[S0100]: the file does not begin with frontmatter
     --> .agents/skills/empty/SKILL.md:1:1
      |
    1 | Nothing but text.
      | ^^^^^^^^^^^^^^^^^
      |
      = seen by: Agent Skills, Codex, Copilot CLI, Crush, Gemini CLI, goose,
                 OpenCode, OpenOxide, pi, Qwen Code, RemcoChat, Roo Code, VS Code
                 and Zed drop the skill, the others load it
      = help: begin with `---`, the lines `name:` and `description:`, and `---`

    warning[S0102]: the name differs from its folder
     --> .agents/skills/pdf_forms/SKILL.md:2:7
      |
    2 | name: pdf-forms
      |       ^^^^^^^^^ the folder is called `pdf_forms`
      |
      = seen by: every host loads the skill
      = help: rename the folder to `pdf-forms`, or the skill   (--fix does this)

    error[S0103]: a value needs quotes
     --> .agents/skills/pdf_forms/SKILL.md:3:14
      |
    3 | description: Fill forms: flatten them too
      |              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ `: ` means something else in YAML
      |
      = seen by: Agent Skills, Copilot CLI, Crush, goose, pi, Qwen Code,
                 RemcoChat, Roo Code, VS Code and Zed drop the skill, the others
                 load it
      = help: put quotes around the value (YAML: mapping values are not allowed in
              this context)   (--fix does this)

    warning[S0110]: `argument-hint` is not a field of the standard
     --> .claude/skills/release-notes/SKILL.md:4:1
      |
    4 | argument-hint: FROM TO
      | ^^^^^^^^^^^^^
      |
      = seen by: Agent Skills drops the skill, the others load it
      = help: programs pass over a field that they do not know; a strict checker
              does not

    ----- stderr -----
    2 errors, 3 warnings in 6 skills; 2 can be fixed with --fix
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
    1 error in 1 skill; 1 can be fixed with --fix
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
    let answer = valid_json(&context, &["check", "--json"]);
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
    let output = run(&furnished(), &["check", "--format", "sarif"]);
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
    insta::assert_snapshot!(run(&furnished(), &["check", "--format", "github", ".agents/skills"]), @"
    status: 1
    ----- stdout -----
    ::error file=.agents/skills/empty/SKILL.md,line=1,col=1,title=S0100%3A no frontmatter::the file does not begin with frontmatter%0Abegin with `---`, the lines `name:` and `description:`, and `---`
    ::warning file=.agents/skills/pdf_forms/SKILL.md,line=2,col=7,title=S0102%3A the name differs from its folder::the name differs from its folder%0Arename the folder to `pdf-forms`, or the skill
    ::error file=.agents/skills/pdf_forms/SKILL.md,line=3,col=14,title=S0103%3A the frontmatter is not valid YAML::a value needs quotes%0Aput quotes around the value (YAML: mapping values are not allowed in this context)
    ----- stderr -----
    2 errors, 1 warning in 3 skills; 2 can be fixed with --fix
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
    fixed .agents/skills/forms/SKILL.md: quoted the value [S0103]
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
fn fix_renames_a_folder() {
    let context = skill(".agents/skills/pdf_forms", "---\nname: pdf-forms\ndescription: Fill forms\n---\n");
    insta::assert_snapshot!(run(&context, &["check", "--fix"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    renamed .agents/skills/pdf_forms to pdf-forms
    no problems in 1 skill; 1 fixed
    ");
    assert!(context.project().join(".agents/skills/pdf-forms/SKILL.md").is_file());
    assert!(!context.project().join(".agents/skills/pdf_forms").exists());
    is_settled(&context);
}

/// Links to what is renamed lead there afterwards, and no other link is touched.
#[test]
fn fix_takes_links_along() {
    let context = skill(".agents/skills/pdf_forms", "---\nname: pdf-forms\ndescription: Fill forms\n---\n");
    context.tree(
        "
//- project/.claude/skills/pdf-forms -> ../../.agents/skills/pdf_forms
//- project/.claude/skills/again -> pdf-forms
//- project/.claude/skills/other -> ../../elsewhere/pdf_forms
//- project/.roo/skills/pdf-forms/SKILL.md -> ../../../.agents/skills/pdf_forms/SKILL.md
//- project/.agents/skills/pdf_forms/more.md -> SKILL.md
//- home/.codex/skills/forms -> {root}/project/.agents/skills/pdf_forms rooted
//- project/elsewhere/pdf_forms/
",
    );
    let output = run(&context, &["check", "--fix", ".agents/skills/pdf_forms"]);
    insta::assert_snapshot!(output, @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    renamed .agents/skills/pdf_forms to pdf-forms
    linked ~/.codex/skills/forms to .agents/skills/pdf-forms
    linked .claude/skills/pdf-forms to .agents/skills/pdf-forms
    linked .roo/skills/pdf-forms/SKILL.md to .agents/skills/pdf-forms/SKILL.md
    no problems in 1 skill; 1 fixed
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
    assert_eq!(leads("home/.codex/skills/forms"), "[ROOT]/project/.agents/skills/pdf-forms");
    let list = json(&context, &["list", "--json", "--host", "roo"]);
    assert!(field(&list["skills"], "name").contains(&"pdf-forms"), "{list:#}");
    // The same for a file.
    let context = TestContext::new();
    context.tree("//- project/.agents/skills/a/skill.md\n---\nname: a\ndescription: A\n---\n");
    context.tree("//- project/.claude/skills/a/SKILL.md -> ../../../.agents/skills/a/skill.md\n");
    let output = run(&context, &["check", "--fix", ".agents/skills/a"]);
    assert!(output.stderr.contains("linked .claude/skills/a/SKILL.md to .agents/skills/a/SKILL.md\n"), "{output}");
    assert!(context.project().join(".claude/skills/a/SKILL.md").exists());
}

#[test]
fn fix_renames_a_file() {
    let context = TestContext::new();
    context.tree("//- project/.agents/skills/forms/skill.md\n---\nname: forms\ndescription: Fill forms\n---\n");
    insta::assert_snapshot!(run(&context, &["check", "--fix"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    renamed .agents/skills/forms/skill.md to SKILL.md
    no problems in 1 skill; 1 fixed
    ");
    assert!(context.project().join(".agents/skills/forms/SKILL.md").is_file());
    is_settled(&context);
}

#[test]
fn fix_adds_a_name() {
    let context = skill(".agents/skills/forms", "---\ndescription: Fill forms\n---\n");
    insta::assert_snapshot!(run(&context, &["check", "--fix"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    fixed .agents/skills/forms/SKILL.md: added `name: forms` [S0112]
    no problems in 1 skill; 1 fixed
    ");
    assert_eq!(read(&context, ".agents/skills/forms/SKILL.md"), "---\nname: forms\ndescription: Fill forms\n---\n");
    is_settled(&context);
}

#[test]
fn fix_mends_several_things_at_once() {
    let context = TestContext::new();
    context.tree(
        "//- project/.agents/skills/pdf_forms/skill.md\n---\nname: pdf-forms\ndescription: Fill: forms\n\
         compatibility: Needs: tools\n---\nBody.\n",
    );
    let output = run(&context, &["check", "--fix"]);
    assert_eq!(output.status, Some(0), "{output}");
    let text = read(&context, ".agents/skills/pdf-forms/SKILL.md");
    assert!(text.ends_with("---\nBody.\n"), "{text}");
    is_settled(&context);
}

#[test]
fn fix_does_not_overwrite() {
    let context = skill(".agents/skills/pdf_forms", "---\nname: pdf-forms\ndescription: One\n---\n");
    context.tree("//- project/.agents/skills/pdf-forms/SKILL.md\n---\nname: pdf-forms\ndescription: Two\n---\n");
    insta::assert_snapshot!(run(&context, &["check", "--fix"]), @"
    status: 1
    ----- stdout -----
    error[S0102]: the name differs from its folder
     --> .agents/skills/pdf_forms/SKILL.md:2:7
      |
    2 | name: pdf-forms
      |       ^^^^^^^^^ the folder is called `pdf_forms`
      |
      = seen by: Agent Skills, Crush, RemcoChat, Roo Code and VS Code drop the
                 skill, the others load it
      = help: rename the folder to `pdf-forms`, or the skill   (--fix does this)

    ----- stderr -----
    warning: .agents/skills/pdf_forms is not renamed: `pdf-forms` is already there
    1 error in 2 skills; 1 can be fixed with --fix
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
        run(&context, &["check", "--fix", "--host", host]);
    }
    run(&context, &["check", "--fix"]);
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

/// A second `--fix` finds nothing to mend and writes nothing.
fn is_settled(context: &TestContext) {
    let before = snapshot_of(context.root());
    let output = run(context, &["check", "--fix"]);
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
     = seen by: no host loads the skill
     = help: mend the link

    warning[S0006]: the link leads nowhere
    --> .claude/skills/dangling
     = help: mend or remove the link

    ----- stderr -----
    1 error, 1 warning in 2 skills
    ");
    insta::assert_snapshot!(run(&context, &["check", "drafts"]), @"
    status: 0
    ----- stdout -----
    warning[S0006]: the link leads nowhere
    --> drafts/gone
     = help: mend or remove the link

    ----- stderr -----
    1 warning in 0 skills
    ");
    let answer = valid_json(&context, &["check", ".claude/skills", "--json"]);
    assert_eq!(field(&answer["checked"], "name").len(), 3, "{answer:#}");
}
