//! What an agent starts with, and whether it is shown the list.

use openoxide_testkit::TestContext;

use crate::support::{field, run, valid_json};

fn context() -> TestContext {
    let context = TestContext::new();
    for folder in [".agents/skills", ".omp/skills", ".claude/skills"] {
        for name in ["lint", "review"] {
            context.tree(&format!(
                "//- project/{folder}/{name}/SKILL.md\n---\nname: {name}\ndescription: About {name}\n---\n\
                 Body of {name}. !`touch canary`\n"
            ));
        }
    }
    context.tree(
        "//- home/.openoxide/config.toml\n[agents.reviewer]\nskills = [\"review\"]\n[agents.plain]\nskills = []\n",
    );
    context
}

/// Returns whether the list is shown, and what the agent starts with.
fn seen(context: &TestContext, args: &[&str]) -> (bool, Vec<String>) {
    let answer = valid_json(context, &[&["prompt", "--json"], args].concat());
    let names = field(&answer["preloaded"], "name").into_iter().map(str::to_owned).collect::<Vec<_>>();
    let texts = field(&answer["messages"], "text").join("\n");
    assert!(names.iter().all(|name| texts.contains(&format!("Body of {name}."))), "{answer:#}");
    assert_eq!(answer["text"].as_str() == Some(""), answer.get("unlisted").is_some(), "{answer:#}");
    (answer.get("unlisted").is_none(), names)
}

#[test]
fn the_list_is_shown_if_files_can_be_read_and_nothing_is_preloaded() {
    let context = context();
    for host in ["openoxide", "omp@seed"] {
        let seen = |args: &[&str]| seen(&context, &[&["--host", host], args].concat());
        assert_eq!(seen(&[]), (true, vec![]), "{host}");
        assert_eq!(seen(&["--no-read-tool"]), (false, vec![]), "{host}");
        assert_eq!(seen(&["--preload", "lint", "--preload", "review"]).0, false, "{host}");
        assert_eq!(seen(&["--agent", "reviewer"]), (false, vec!["review".to_owned()]), "{host}");
        assert_eq!(seen(&["--agent", "reviewer", "--preload", "lint"]).1, ["lint"], "what is typed counts");
        assert_eq!(seen(&["--agent", "plain"]), (true, vec![]), "{host}");
    }
    // Claude Code lists them beside what is preloaded.
    assert_eq!(seen(&context, &["--host", "claude-code", "--preload", "lint"]), (true, vec!["lint".to_owned()]));
    assert_eq!(seen(&context, &["--host", "omp", "--preload", "lint"]), (true, vec!["lint".to_owned()]));
    assert_eq!(seen(&context, &["--host", "omp", "--no-read-tool"]), (false, vec![]));
    assert!(!context.project().join("canary").exists(), "looking runs nothing");
}

#[test]
fn an_unknown_name_is_an_error_or_passed_over() {
    let context = context();
    insta::assert_snapshot!(run(&context, &["prompt", "--host", "omp@seed", "--preload", "nope"]), @"
    status: 1
    ----- stdout -----
    ----- stderr -----
    error: Unknown skills requested: nope. Available skills: lint, review
    ");
    let output = run(&context, &["prompt", "--host", "claude-code", "--preload", "nope"]);
    assert_eq!(output.status, Some(0));
    assert!(output.stderr.contains("warning: nope: it is not preloaded: "), "{output}");
}

#[test]
fn what_an_agent_starts_with_is_printed_after_the_list() {
    let context = context();
    insta::assert_snapshot!(run(&context, &["prompt", "--host", "omp@seed", "--preload", "review"]), @r#"
    status: 0
    ----- stdout -----
    <preloaded_skills>
    <skill name="review">
    ---
    name: review
    description: About review
    ---
    Body of review. !`touch canary`
    </skill>
    </preloaded_skills>
    ----- stderr -----
    no catalog for omp@seed: the agent starts with skills
    the agent starts with 1 skill: review
    "#);
}
