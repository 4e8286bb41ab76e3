//! Files that a skill's text names are sent with it: from the project and the skill only, and never a secret.

use std::path::Path;

use openoxide_testkit::TestContext;
use serde_json::Value;

use crate::support::{bin, run, valid_json};

fn laid(body: &str) -> TestContext {
    let context = TestContext::new();
    context.tree(&format!(
        "
//- project/.claude/skills/plan/SKILL.md
---
name: plan
description: Plans
---
{body}
//- project/.claude/skills/plan/own.md
Of the skill.
//- project/.claude/skills/plan/both.md
The skill's.
//- project/both.md
The project's.
//- project/notes.md
Notes with </file> and </skill> in them.
//- project/.env
SECRET=1
//- project/link -> .env
//- project/way -> .git
//- outside/file.md
SECRET=2
"
    ));
    fs_err::write(context.project().join("picture.png"), b"\x89PNG\0\0").unwrap();
    context
}

fn texts(answer: &Value, key: &str) -> Vec<String> {
    answer[key].as_array().unwrap().iter().map(|item| item["text"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn files_follow_the_skill_in_the_order_of_its_text() {
    let context = laid("See @notes.md, @own.md and @both.md and @notes.md again.");
    let answer = valid_json(&context, &["activate", "plan", "--json"]);
    let messages = texts(&answer, "messages");
    assert_eq!(messages.len(), 4, "{messages:#?}");
    assert!(messages[0].contains("See @notes.md, @own.md"), "the text stays: {messages:#?}");
    assert_eq!(messages[1], "<file path=\"notes.md\">\nNotes with &lt;/file> and </skill> in them.\n</file>");
    assert_eq!(messages[2], "<file path=\"own.md\">\nOf the skill.\n</file>");
    assert_eq!(messages[3], "<file path=\"both.md\">\nThe skill's.\n</file>");
    let answer = valid_json(&context, &["activate", "plan", "--json", "--host", "claude-code"]);
    let files = texts(&answer, "messages");
    assert!(files.last().unwrap().contains("The project's."), "{files:#?}");
    assert_eq!(texts(&answer, "notices"), [""; 0], "a name that leads nowhere is not told of: {answer}");
}

#[test]
fn secrets_links_and_what_is_no_text_stay_where_they_are() {
    let names = [
        ("@.env", "hidden files are never attached"),
        ("@.git/HEAD", "hidden files are never attached"),
        ("@link", "it is a link, and links are not followed"),
        ("@way/HEAD", "there is no such file"),
        ("@../outside/file.md", "it leads out of the project and the skill"),
        ("@/etc/passwd", "it leads out of the project and the skill"),
        ("@picture.png", "it is not text"),
        ("@none.md", "there is no such file"),
    ];
    let body: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
    let context = laid(&body.join(" \n"));
    let answer = valid_json(&context, &["activate", "plan", "--json"]);
    assert_eq!(texts(&answer, "messages").len(), 1, "{answer:#}");
    let told = texts(&answer, "notices");
    for (line, (name, why)) in names.iter().enumerate() {
        let expected = format!("line {}: `{name}` is not attached: {why}", line + 1);
        assert!(told.contains(&expected), "{expected}\n{told:#?}");
    }
    for host in ["openoxide", "claude-code", "opencode"] {
        let output = run(&context, &["activate", "plan", "--host", host]);
        assert!(!output.to_string().contains("SECRET") && !output.stdout.contains("ref:"), "{host}: {output}");
    }
}

#[test]
fn much_is_cut_and_more_is_left_out() {
    let names: Vec<String> = (0..60).map(|number| format!("@big-{number}.txt")).collect();
    let context = laid(&names.join(" "));
    for number in 0..60 {
        let file = context.project().join(format!("big-{number}.txt"));
        fs_err::write(file, "é".repeat(200_000)).unwrap();
    }
    let answer = valid_json(&context, &["activate", "plan", "--json"]);
    let messages = texts(&answer, "messages");
    assert_eq!(messages.len(), 1 + 4, "four times 256 KiB make one MiB");
    assert!(messages[1].ends_with("[137856 bytes of the file are left out]\n</file>"));
    assert!(texts(&answer, "notices").iter().any(|text| text.contains("the files would be too long together")));
}

#[test]
fn a_rule_on_reading_holds_for_files_of_the_skill() {
    let context = laid("See @own.md.");
    context.tree("//- home/.openoxide/config.toml\n[permission.read]\n\"plan/own.md\" = \"deny\"\n");
    let answer = valid_json(&context, &["activate", "plan", "--json"]);
    assert_eq!(texts(&answer, "messages").len(), 1);
    assert!(texts(&answer, "notices")[0].ends_with("a permission rule keeps it from being read"), "{answer}");
}

/// In a home folder, or above it, everything of the user's would be a file of the project.
#[test]
fn nothing_is_attached_from_a_home_folder_or_above() {
    let context = TestContext::new();
    context.tree(
        "
//- home/.claude/skills/plan/SKILL.md
---
name: plan
description: Plans
---
See @private.md, @own.md, @somebody and @home/private.md.
//- home/.claude/skills/plan/own.md
Of the skill.
//- home/private.md
SECRET=1
//- home/work/private.md
Of the work.
",
    );
    for host in ["openoxide", "claude-code", "opencode"] {
        for folder in [context.home(), context.root().to_owned(), "/".into()] {
            let args = ["activate", "plan", "--json", "--host", host];
            let output = context.answer(context.command(bin(), args).current_dir(&folder));
            let answer: Value = serde_json::from_str(&output.stdout).unwrap_or_else(|_| panic!("{output}"));
            assert!(!output.stdout.contains("SECRET"), "{host} in {folder:?}: {answer:#}");
            let told = texts(&answer, "notices").join("\n");
            let is_told = told.contains("private.md` is not attached: it lies in a home folder or above");
            // One host attaches nothing at all.
            assert!(is_told || folder == Path::new("/") || host == "opencode", "{host} in {folder:?}: {told}");
        }
    }
    let mut command = context.command(bin(), ["activate", "plan", "--json"]);
    let output = context.answer(command.current_dir(context.home().join("work")));
    assert!(output.stdout.contains("Of the work.") && output.stdout.contains("Of the skill."), "{output}");
}

/// A file of the project can be a file of another skill; what is said about that skill holds for it too.
#[test]
fn a_rule_on_reading_holds_for_files_of_other_skills_in_the_project() {
    for rule in ["read]\n\"deploy/secret.md\"", "read]\n\"deploy/*\"", "skill]\ndeploy"] {
        let context = laid("See @skills/deploy/secret.md and @notes.md.");
        context.tree(
            "//- project/skills/deploy/SKILL.md\n---\nname: deploy\ndescription: X\n---\nText\n\
             //- project/skills/deploy/secret.md\nSECRET\n//- project/.agents/skills -> ../skills\n",
        );
        let args = ["activate", "plan", "--json"];
        let messages = texts(&valid_json(&context, &args), "messages");
        assert!(messages.len() == 3 && messages[1].contains("SECRET"), "without a rule: {messages:#?}");
        context.tree(&format!("//- home/.openoxide/config.toml\n[permission.{rule} = \"deny\"\n"));
        let answer = valid_json(&context, &args);
        assert!(texts(&answer, "messages").len() == 2 && !answer.to_string().contains("SECRET"), "{rule}: {answer}");
        assert!(texts(&answer, "notices")[0].ends_with("a permission rule keeps it from being read"), "{answer}");
    }
}
