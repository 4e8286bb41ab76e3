//! What skills need besides their text, at the command line: nobody waits, nothing is written without a yes.

use openoxide_testkit::{Output, TestContext};

use crate::support::{run, run_with};

fn context() -> TestContext {
    let context = TestContext::new();
    context.tree(
        "
//- project/.agents/skills/one/SKILL.md
---
name: one
description: Does things
---
The text
//- project/.agents/skills/one/agents/openai.yaml
dependencies:
  tools:
    - {type: env_var, value: TOKEN}
    - {type: mcp, value: docs, url: \"https://docs.invalid/mcp\"}
",
    );
    context
}

/// Calls the skill; whatever is missing, it is sent.
fn activate(context: &TestContext, args: &[&str]) -> Output {
    let output = run(context, &[&["activate", "one"], args].concat());
    assert_eq!(output.status, Some(0), "{output}");
    assert!(output.stdout.contains("The text"), "{output}");
    output
}

fn config(context: &TestContext) -> String {
    fs_err::read_to_string(context.home().join(".openoxide/config.toml")).unwrap_or_default()
}

#[test]
fn without_a_terminal_nobody_waits_and_nothing_is_written() {
    let context = context();
    for args in [&[][..], &["--no-input"]] {
        let output = activate(&context, args);
        for text in [
            "warning: one: the variable TOKEN is missing",
            "set TOKEN in the environment",
            "warning: one: the server `docs` is not configured",
            "to add `docs` (https://docs.invalid/mcp), run it in a terminal without `--yes`, and answer there",
        ] {
            assert_eq!(output.stderr.matches(text).count(), 1, "{text}\n{output}");
        }
        assert!(!context.home().join(".openoxide").exists());
    }
}

#[test]
fn a_yes_in_advance_adds_no_server_and_invents_no_value() {
    let context = context();
    let output = activate(&context, &["--yes"]);
    assert!(output.stderr.contains("the variable TOKEN is missing"), "{output}");
    assert!(output.stderr.contains("the server `docs` is not configured"), "{output}");
    assert!(output.stderr.contains("to add `docs` (https://docs.invalid/mcp), run it in a terminal"), "{output}");
    assert!(!context.home().join(".openoxide").exists());
}

#[test]
fn a_rule_that_denies_is_stronger_than_a_yes() {
    let context = context();
    let output = activate(&context, &["--yes", "--config", "permission.mcp.docs=\"deny\""]);
    assert!(output.stderr.contains("the server `docs` is denied"), "{output}");
    assert_eq!(config(&context), "");
}

#[test]
fn a_value_of_the_environment_is_taken_and_never_shown() {
    let context = context();
    let output = run_with(&context, &["activate", "one", "--json"], &[("TOKEN", "hunter2".as_ref())]);
    assert_eq!(output.status, Some(0), "{output}");
    assert!(!output.to_string().contains("TOKEN"), "{output}");
    assert!(!output.to_string().contains("hunter2"), "{output}");
}

#[test]
#[allow(clippy::print_stderr, reason = "a test that is skipped says so")]
fn what_a_command_prints_of_a_value_is_taken_out() {
    let context = context();
    context.tree(
        "
//- project/.agents/skills/two/SKILL.md
---
name: two
description: Says too much
---
Said: !`echo $TOKEN $OTHER.`
//- project/.agents/skills/two/agents/openai.yaml
dependencies: {tools: [{type: env_var, value: TOKEN}]}
",
    );
    let variables = [("TOKEN", "hunter2".as_ref()), ("OTHER", "undeclared".as_ref())];
    let output = run_with(&context, &["activate", "two", "--yes"], &variables);
    assert_eq!(output.status, Some(0), "{output}");
    assert!(output.stderr.contains("    gets the variable TOKEN\n"), "{output}");
    assert!(!output.to_string().contains("hunter2") && !output.to_string().contains("undeclared"), "{output}");
    if output.stdout.contains("not run") {
        eprintln!("skipped: nothing can be run in a sandbox here\n{output}");
        return;
    }
    assert!(output.stdout.contains("Said: [TOKEN] .\n"), "{output}");
}
