//! `new`: the files of a new skill.

use openoxide_testkit::TestContext;

use crate::support::{changes, field, json, run};

#[test]
fn answers_in_json() {
    let answer = changes(&TestContext::new(), &["new", "notes", "--json"]);
    let path = "[ROOT]/project/.agents/skills/notes/SKILL.md";
    assert_eq!(answer["changes"], serde_json::json!([{ "action": "create", "path": path, "target": "notes" }]));
}

#[test]
fn makes_a_skill_that_passes_once_it_is_described() {
    let context = TestContext::new();
    insta::assert_snapshot!(run(&context, &["new", "release-notes"]), @"
    status: 0
    ----- stdout -----
    .agents/skills/release-notes/SKILL.md
    ----- stderr -----
    hint: write the description and the steps, then: `openoxide check .agents/skills/release-notes`
    undo: rm -r .agents/skills/release-notes
    ");
    let text = fs_err::read_to_string(context.project().join(".agents/skills/release-notes/SKILL.md")).unwrap();
    insta::assert_snapshot!(text, @r#"
    ---
    name: release-notes
    description: "TODO: say what release notes does, and when to use it"
    ---

    # Release notes

    Write the steps here, in the order in which they are done. Keep this file short:
    put details that are not always needed into `references/`, and anything that a
    program does better into `scripts/`, and say here when to read or run which.

    ## Steps

    1. …

    ## Done when

    - …
    "#);
    let check = || run(&context, &["check", ".agents/skills/release-notes", "--all-hosts", "--strict"]);
    insta::assert_snapshot!(check(), @r#"
    status: 1
    ----- stdout -----
    error[S0128]: the description is a placeholder
     --> .agents/skills/release-notes/SKILL.md:3:15
      |
    3 | description: "TODO: say what release notes does, and when to use it"
      |               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: say what the skill does, and when to use it: the description is all
              that a model chooses by

    ----- stderr -----
    1 error in 1 skill
    "#);
    let file = context.project().join(".agents/skills/release-notes/SKILL.md");
    let described = text.replace("TODO: say what release notes does, and when to use it", "Turn commits into notes");
    fs_err::write(file, described).unwrap();
    assert_eq!((check().status, check().stdout.as_str()), (Some(0), ""), "nothing else fails: {}", check());
    let list = json(&context, &["list", "--json", "--host", "openoxide"]);
    assert!(field(&list["skills"], "name").contains(&"release-notes"));
}

#[test]
fn any_description_makes_a_valid_file() {
    let context = TestContext::new();
    let descriptions = [
        "With: a colon",
        "\"Quoted\" and 'single'",
        "# hash",
        "- dash",
        "[list]",
        "line\nend",
        "back\\slash",
        "{a: b}",
        "ünïcode ✓",
    ];
    for (number, description) in descriptions.into_iter().enumerate() {
        let name = format!("n{number}");
        let output = run(&context, &["new", &name, &format!("--description={description}")]);
        assert_eq!(output.status, Some(0), "{output}");
        let output = run(&context, &["check", &format!(".agents/skills/{name}")]);
        assert_eq!(output.status, Some(0), "{description:?}\n{output}");
    }
    let list = json(&context, &["list", "--json", "--host", "openoxide"]);
    let skills = list["skills"].as_array().unwrap();
    let listed = skills.iter().filter(|skill| skill["scope"] == "repo");
    let shown: Vec<&str> = listed.map(|skill| skill["description"].as_str().unwrap()).collect();
    let wanted: Vec<String> = descriptions.iter().map(|text| text.replace('\n', " ")).collect();
    assert_eq!(shown, wanted);
}

#[test]
fn refuses_bad_names() {
    let context = TestContext::new();
    insta::assert_snapshot!(run(&context, &["new", "Release Notes"]), @"
    status: 2
    ----- stdout -----
    ----- stderr -----
    error: `Release Notes` cannot be a skill's name: the name has upper-case letters
    hint: try `release-notes`
    ");
    for name in ["", "Upper", "a--b", "-a", "a-", "a_b", "../x", "a/b", ".", "..", "a\nb", "a: b", &"n".repeat(65)] {
        let output = run(&context, &["new", "--", name]);
        assert_eq!(output.status, Some(2), "{name:?}\n{output}");
        assert!(output.stderr.contains("error: ") && output.stdout.is_empty(), "{name:?}\n{output}");
    }
    assert!(!context.project().join(".agents").exists(), "nothing was written");
    assert!(!context.home().join(".openoxide").exists(), "nothing was written");
}

#[test]
fn refuses_what_is_there() {
    let context = TestContext::new();
    context.skill("deploy", "Mine");
    insta::assert_snapshot!(run(&context, &["new", "deploy"]), @"
    status: 2
    ----- stdout -----
    ----- stderr -----
    error: `.agents/skills/deploy` is already there
    hint: choose another name, or look at it: `openoxide show .agents/skills/deploy`
    ");
    let text = fs_err::read_to_string(context.project().join(".agents/skills/deploy/SKILL.md")).unwrap();
    assert!(text.contains("Mine"));
    // A link that leads nowhere is there, too.
    context.tree("//- project/.agents/skills/gone -> {root}/outside rooted\n");
    assert_eq!(run(&context, &["new", "gone"]).status, Some(2));
    assert!(!context.root().join("outside").exists());
}

#[test]
fn elsewhere() {
    let context = TestContext::new();
    insta::assert_snapshot!(run(&context, &["new", "mine", "--user"]), @"
    status: 0
    ----- stdout -----
    ~/.agents/skills/mine/SKILL.md
    ----- stderr -----
    hint: write the description and the steps, then: `openoxide check ~/.agents/skills/mine`
    undo: rm -r ~/.agents/skills/mine
    ");
    insta::assert_snapshot!(run(&context, &["new", "there", "--dir", "skills"]), @"
    status: 0
    ----- stdout -----
    skills/there/SKILL.md
    ----- stderr -----
    hint: write the description and the steps, then: `openoxide check skills/there`
    undo: rm -r skills/there
    ");
    assert!(context.home().join(".agents/skills/mine/SKILL.md").is_file());
    assert!(context.project().join("skills/there/SKILL.md").is_file());
}

/// A project of a person who uses these agents.
fn with_agents(agents: &str) -> TestContext {
    let context = TestContext::new();
    context.tree(&format!("//- project/.git/\n//- home/.openoxide/config.toml\nmy_agents = [{agents}]\n"));
    context
}

#[test]
fn goes_where_all_agents_look() {
    for (agents, folder) in [
        ("'claude-code'", ".claude/skills"),
        ("'codex'", ".agents/skills"),
        ("'codex', 'opencode'", ".agents/skills"),
        ("'claude-code', 'opencode'", ".claude/skills"),
    ] {
        let output = run(&with_agents(agents), &["new", "notes"]);
        assert_eq!((output.status, output.stdout), (Some(0), format!("{folder}/notes/SKILL.md\n")), "{agents}");
        assert!(!output.stderr.contains("does not look"), "{agents}");
    }
    // A host that is named is the one agent.
    let output = run(&with_agents("'codex'"), &["new", "notes", "--host", "claude-code"]);
    assert_eq!(output.stdout, ".claude/skills/notes/SKILL.md\n");
}

#[test]
fn says_which_agents_do_not_look_there() {
    let context = with_agents("'claude-code', 'codex', 'opencode'");
    insta::assert_snapshot!(run(&context, &["new", "notes"]), @"
    status: 0
    ----- stdout -----
    .agents/skills/notes/SKILL.md
    ----- stderr -----
    hint: Claude Code does not look in .agents/skills: `openoxide link notes --into claude-code`
    hint: write the description and the steps, then: `openoxide check .agents/skills/notes`
    undo: rm -r .agents/skills/notes
    ");
    let output = run(&context, &["link", "notes", "--into", "claude-code"]);
    assert_eq!(output.status, Some(0), "the command that is suggested works: {output}");
    insta::assert_snapshot!(run(&context, &["new", "mine", "--user"]), @"
    status: 0
    ----- stdout -----
    ~/.agents/skills/mine/SKILL.md
    ----- stderr -----
    hint: Claude Code does not look in ~/.agents/skills: `openoxide link mine --into claude-code`
    hint: write the description and the steps, then: `openoxide check ~/.agents/skills/mine`
    undo: rm -r ~/.agents/skills/mine
    ");
}

/// A link of the project's author may lead anywhere.
#[test]
fn is_not_written_out_of_the_project() {
    let context = with_agents("'claude-code'");
    context.tree("//- outside/\n//- project/.claude -> {root}/outside rooted\n");
    let output = run(&context, &["new", "notes"]);
    assert!(output.status == Some(2) && output.stderr.contains("leads out of the project"), "{output}");
    assert!(!context.root().join("outside/skills").exists());
}

/// What `explain` does not suggest, `new` does not either.
#[test]
fn no_link_is_suggested_into_a_full_catalog() {
    let context = with_agents("'claude-code', 'opencode', 'codex'");
    context.tree("//- project/.claude/skills/\n");
    for at in 0..40 {
        let about = "words ".repeat(150);
        let folder = format!("home/.agents/skills/skill-{at}");
        context.tree(&format!("//- {folder}/SKILL.md\n---\nname: skill-{at}\ndescription: {about}\n---\n"));
    }
    let output = run(&context, &["new", "letters"]);
    assert_eq!(output.stdout, ".claude/skills/letters/SKILL.md\n");
    let explained = run(&context, &["explain", "letters"]).stdout;
    assert!(explained.contains("No link is suggested: Codex's catalog is full."), "{explained}");
    let said = "Codex does not look in .claude/skills; no link is suggested: Codex's catalog is full\n";
    assert!(output.stderr.contains(said) && !output.stderr.contains("--into codex"), "{output}");
}

/// A skill of the same name is no reason not to make one, but to say what comes of it.
#[test]
fn says_that_another_skill_has_the_name() {
    let context = with_agents("'claude-code', 'codex'");
    context.tree("//- home/.agents/skills/notes/SKILL.md\n---\nname: notes\ndescription: Mine\n---\n");
    insta::assert_snapshot!(run(&context, &["new", "notes", "--description", "Write notes"]), @"
    status: 0
    ----- stdout -----
    .agents/skills/notes/SKILL.md
    ----- stderr -----
    warning: there is another `notes` in ~/.agents/skills/notes; Codex uses both
    hint: `openoxide explain notes` says which of them each agent uses
    hint: Claude Code does not look in .agents/skills: `openoxide link .agents/skills/notes --into claude-code`
    hint: write the steps, then: `openoxide check .agents/skills/notes`
    undo: rm -r .agents/skills/notes
    ");
    let output = run(&context, &["link", ".agents/skills/notes", "--into", "claude-code"]);
    assert_eq!(output.status, Some(0), "the command that is suggested works: {output}");
}
