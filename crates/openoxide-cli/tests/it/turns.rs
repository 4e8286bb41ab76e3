//! `activate --turn`: from what a user says to what the model is sent.

use openoxide_testkit::TestContext;

use crate::support::{bin, field, run, skill_file, valid_json};

fn laid() -> TestContext {
    let context = TestContext::new();
    for name in ["one", "two", "three"] {
        context.tree(&skill_file("project/.agents/skills", name, name));
    }
    context
}

#[test]
fn every_skill_that_a_text_names_is_called_in_order() {
    let context = laid();
    let answer = valid_json(&context, &["activate", "--json", "--turn", "take $two, then $one; not $none or $TWO"]);
    assert_eq!(field(&answer["activated"], "name"), ["two", "one"]);
    assert_eq!(answer["messages"].as_array().unwrap().len(), 2);
    assert_eq!(field(&answer["ignored"], "text"), ["$none", "$TWO"], "{answer:#}");
    assert!(field(&answer["ignored"], "reason")[0].starts_with("unknown: "), "{answer:#}");
    let answer = valid_json(&context, &["activate", "--json", "--turn", "/three a b"]);
    assert_eq!(field(&answer["activated"], "arguments"), ["a b"]);
    let item = ["activate", "--json", "--item", ".agents/skills/three", "--connector", "one", "--turn", "$one $two"];
    let answer = valid_json(&context, &item);
    assert_eq!(field(&answer["activated"], "name"), ["three", "two"], "{answer:#}");
}

#[test]
fn one_that_cannot_be_read_holds_up_nobody() {
    let context = laid();
    context.tree("//- home/.openoxide/config.toml\n[permission.skill]\none = \"ask\"\n");
    let output = run(&context, &["activate", "--turn", "use $one and $two"]);
    assert_eq!(output.status, Some(0), "{output}");
    assert!(output.stdout.contains("<name>two</name>") && !output.stdout.contains("<name>one</name>"), "{output}");
    assert!(output.stderr.contains("warning: calling `one` was not allowed"), "{output}");
    let output = run(&context, &["activate", "--turn", "use $one"]);
    assert_eq!((output.status, output.stdout.as_str()), (Some(1), ""), "{output}");
    assert!(output.stderr.contains("error: calling `one` was not allowed"), "{output}");
}

#[test]
fn a_text_without_names_is_no_error() {
    let context = laid();
    let output = run(&context, &["activate", "--turn", "hello"]);
    assert_eq!(
        (output.status, output.stdout.as_str(), output.stderr.as_str()),
        (Some(0), "", "the text names no skill\n")
    );
    let file = context.root().join("said");
    fs_err::write(&file, "please $two").unwrap();
    let input = fs_err::File::open(&file).unwrap().into_parts().0;
    let output = context.answer(context.command(bin(), ["activate", "--turn", "-"]).stdin(input));
    assert!(output.stdout.contains("<name>two</name>"), "{output}");
    for bad in [&["activate"][..], &["activate", "one", "--turn", "x"], &["activate", "one", "--item", "x"]] {
        assert_eq!(run(&context, bad).status, Some(2), "{bad:?}");
    }
}
