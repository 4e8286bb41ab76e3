//! The record of a conversation, from one run of the program to the next; and forks on the way.

use openoxide_testkit::TestContext;
use serde_json::Value;

use crate::support::{field, run, valid_json};

fn context() -> TestContext {
    let context = TestContext::new();
    for name in ["alpha", "beta"] {
        context.tree(&format!(
            "//- project/.agents/skills/{name}/SKILL.md\n---\nname: {name}\ndescription: About {name}\n---\n\
             Body of {name}.\n"
        ));
    }
    context
}

fn call(context: &TestContext, args: &[&str]) -> Value {
    valid_json(context, &[&["activate", "--json", "--record", "chat.json"], args].concat())
}

#[test]
fn a_record_survives_restarts_and_is_sent_again() {
    let context = context();
    call(&context, &["alpha", "--raw-args", "first words"]);
    call(&context, &["beta", "--as", "model"]);
    call(&context, &["alpha", "--raw-args", "last words"]);
    let file = context.project().join("chat.json");
    assert!(!fs_err::read_to_string(&file).unwrap().contains("Body of"), "bodies are never stored");
    let before = fs_err::read(&file).unwrap();

    let listed = call(&context, &["--list"]);
    assert_eq!(field(&listed["recorded"], "name"), ["alpha", "beta", "alpha"]);
    assert_eq!(field(&listed["recorded"], "caller"), ["user", "model", "user"]);
    assert!(listed["messages"].as_array().unwrap().is_empty(), "{listed:#}");
    insta::assert_snapshot!(run(&context, &["activate", "--record", "chat.json", "--list"]), @"
    status: 0
    ----- stdout -----
      1  alpha  user   .agents/skills/alpha/SKILL.md  first words
      2  beta   model  .agents/skills/beta/SKILL.md
      3  alpha  user   .agents/skills/alpha/SKILL.md  last words
    ----- stderr -----
    ");

    let again = call(&context, &["--reattach"]);
    assert_eq!(field(&again["reattached"], "name"), ["alpha", "beta"]);
    let texts = field(&again["messages"], "text");
    assert!(texts[0].contains("no new request"), "{texts:?}");
    assert!(texts[1].contains("Body of alpha.") && texts[1].contains("last words"), "{texts:?}");
    assert!(!again.to_string().contains("first words"), "{again:#}");

    context.tree("//- project/.agents/skills/alpha/SKILL.md\n---\nname: alpha\ndescription: New\n---\nNew body.\n");
    fs_err::remove_dir_all(context.project().join(".agents/skills/beta")).unwrap();
    let output = run(&context, &["activate", "--record", "chat.json", "--reattach"]);
    assert!(output.stdout.contains("[`alpha` has changed since it was called; this is how it is now]\n\n"), "{output}");
    assert!(output.stdout.contains("New body.") && !output.stdout.contains("Body of"), "{output}");
    let (_, notices) = output.stderr.split_once('\n').unwrap();
    assert!(output.stderr.starts_with("1 skill sent again, "), "{output}");
    insta::assert_snapshot!(notices, @"
    warning: alpha: it has changed since it was called, and is sent as it is now
    warning: beta: it is not sent again: it is not there any more
    ");
    assert_eq!(fs_err::read(&file).unwrap(), before, "looking at a record does not write it");
}

#[test]
fn a_damaged_record_is_told_with_its_place_and_stays() {
    let context = context();
    for text in ["{", "[1]", "{\"activations\":[{\"name\":1}]}", "\u{0}"] {
        fs_err::write(context.project().join("chat.json"), text).unwrap();
        for args in [&["alpha"][..], &["--list"], &["--reattach"]] {
            let output = run(&context, &[&["activate", "--record", "chat.json"], args].concat());
            assert_eq!((output.status, output.stdout.as_str()), (Some(2), ""), "{text} {args:?}\n{output}");
            assert!(
                output.stderr.contains("`chat.json` is not a record") && output.stderr.contains("line 1"),
                "{output}"
            );
        }
        assert_eq!(fs_err::read_to_string(context.project().join("chat.json")).unwrap(), text);
    }
    let output = run(&context, &["activate", "--reattach"]);
    assert_eq!(output.status, Some(2));
    assert!(output.stderr.contains("--record"), "{output}");
    assert_eq!(run(&context, &["activate"]).status, Some(2), "a skill is needed");
}

#[test]
fn a_fork_is_answered_as_a_plan() {
    let context = context();
    context.tree(
        "//- project/.agents/skills/heavy/SKILL.md\n---\nname: heavy\ndescription: Much work\ncontext: fork\n\
         agent: Explore\n---\nLook at $ARGUMENTS.\n",
    );
    let answer = call(&context, &["heavy", "--raw-args", "src"]);
    assert!(answer["messages"].as_array().unwrap().is_empty(), "{answer:#}");
    let fork = &answer["activated"][0]["fork"];
    assert_eq!((fork["agent_type"].as_str(), fork["background"].as_bool()), (Some("Explore"), Some(false)));
    assert!(fork["prompt"].as_str().unwrap().contains("Look at src."), "{fork:#}");
    let result = "Skill \"heavy\" completed (forked execution).\n\nResult:\n{result}";
    assert_eq!(fork["result"].as_str(), Some(result));
    let output = run(&context, &["activate", "heavy", "--raw-args", "src"]);
    assert!(output.stdout.contains("Look at src."), "{output}");
    assert!(output.stderr.contains("`heavy` is for an agent of its own, `Explore`"), "{output}");
    let again = call(&context, &["--reattach"]);
    assert!(again.get("reattached").is_none(), "the conversation never had it: {again:#}");
}
