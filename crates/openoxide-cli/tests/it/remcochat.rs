//! The host `remcochat`: off until its `config.toml` says so, strict about names, exact in its words.

use openoxide_testkit::TestContext;

use crate::support::{drawn, json, run, skill_file};

const ON: &str = "//- project/config.toml\n[app.skills]\nenabled = true\n";

/// A context in which skills are on, with more lines of settings.
fn switched_on(more: &str) -> TestContext {
    let context = TestContext::new();
    context.tree(&format!("{ON}{more}\n"));
    context
}

fn seen(context: &TestContext, host: &str) -> String {
    drawn(context, &["--host", host], &[])
}

/// Answers what an edition says about one file in the folder `pdf`.
fn said(host: &str, file: &str) -> String {
    let context = switched_on("");
    context.tree("//- project/.skills/pdf/\n");
    fs_err::write(context.project().join(".skills/pdf/SKILL.md"), file).unwrap();
    seen(&context, host).replace("project/.skills/pdf/SKILL.md", "FILE").trim_end().to_owned()
}

fn check_file(host: &str, file: &str, expected: &str) {
    assert_eq!(said(host, file), expected, "{host}: {file:?}");
}

#[test]
fn skills_are_off_until_somebody_switches_them_on() {
    for host in ["remcochat", "remcochat@code"] {
        let context = TestContext::new();
        context.tree(&skill_file("project/.skills", "pdf", "pdf"));
        assert_eq!(seen(&context, host), "", "{host}");
        assert_eq!(run(&context, &["prompt", "--host", host]).stdout, "", "{host}");
        context.tree("//- project/config.toml\n[app.skills]\nenabled = false\n");
        assert_eq!(seen(&context, host), "", "{host}");
        context.tree(ON);
        assert_eq!(seen(&context, host), "pdf = project/.skills/pdf/SKILL.md\n", "{host}");
    }
}

#[test]
fn settings_have_an_origin() {
    let context = switched_on("max_skills = 7");
    let answer = json(&context, &["roots", "--host", "remcochat", "--json"]);
    let setting = |name: &str| {
        let settings = answer["settings"].as_array().unwrap();
        settings.iter().find(|setting| setting["name"] == name).unwrap().clone()
    };
    assert_eq!(setting("max_skills")["value"], 7);
    assert!(setting("max_skills")["origin"].as_str().unwrap().ends_with("project/config.toml:3"));
    assert_eq!(setting("max_skill_md_bytes")["value"], 200_000);
    assert_eq!(setting("max_resource_bytes")["value"], 2_000_000);
    assert_eq!(setting("max_resource_bytes")["origin"], "default");
}

#[test]
fn another_file_may_hold_the_settings() {
    let context = TestContext::new();
    context.tree(&skill_file("project/.skills", "pdf", "pdf"));
    context.tree("//- elsewhere/remco.toml\n[app.skills]\nenabled = true\n");
    let file = context.root().join("elsewhere/remco.toml");
    let variables = [("REMCOCHAT_CONFIG_PATH", file.as_os_str())];
    assert_eq!(drawn(&context, &["--host", "remcochat"], &variables), "pdf = project/.skills/pdf/SKILL.md\n");
}

#[test]
fn earlier_folders_win_and_collisions_are_recorded() {
    let roots = ["project/.skills", "project/.agents/skills", "home/.agents/skills", "home/.remcochat/skills"];
    for host in ["remcochat", "remcochat@code"] {
        let context = switched_on("");
        for (index, root) in roots.iter().enumerate() {
            context.tree(&skill_file(root, "same", "same"));
            context.tree(&skill_file(root, &format!("own-{index}"), &format!("own-{index}")));
        }
        let answer = seen(&context, host);
        assert!(answer.contains("same = project/.skills/same/SKILL.md\n"), "{host}\n{answer}");
        for (index, root) in roots.iter().enumerate() {
            assert!(answer.contains(&format!("own-{index} = {root}/own-{index}/SKILL.md\n")), "{host}\n{answer}");
            let recorded = answer.contains(&format!("shadowed {root}/same/SKILL.md: S0301"));
            assert_eq!(recorded, index != 0, "{host}: {root}\n{answer}");
        }
    }
}

#[test]
fn folders_may_be_absolute_relative_or_of_the_home() {
    let context = switched_on("");
    let absolute = context.root().join("absolute");
    let list =
        format!("{ON}directories = [\"{}\", \"plain\", \"./dotted/\", \"~/mine\", \"plain/\"]\n", absolute.display());
    context.tree(&list);
    for (root, name) in [("absolute", "a"), ("project/plain", "b"), ("project/dotted", "c"), ("home/mine", "d")] {
        context.tree(&skill_file(root, name, name));
    }
    context.tree("//- project/sub/\n");
    // Only a trusted project names folders outside of it.
    context.tree("//- home/.openoxide/config.toml rooted\n[trust]\nfolders = [\"{root}/project\"]\n");
    let expected = "\
a = absolute/a/SKILL.md
b = project/plain/b/SKILL.md
c = project/dotted/c/SKILL.md
d = home/mine/d/SKILL.md
";
    assert_eq!(seen(&context, "remcochat"), expected);
    // Relative folders start at the project's root, wherever one stands.
    assert_eq!(drawn(&context, &["--host", "remcochat", "--project", "sub"], &[]), expected);
}

#[test]
fn what_was_built_starts_at_cwd_and_climbs_for_the_shared_folder() {
    let context = TestContext::new();
    context.tree("//- project/sub/config.toml\n[app.skills]\nenabled = true\n");
    context.tree(&skill_file("project/sub/.skills", "near", "near"));
    context.tree(&skill_file("project/.skills", "far", "far"));
    context.tree(&skill_file("project/.agents/skills", "shared", "shared"));
    let answer = drawn(&context, &["--host", "remcochat@code", "--project", "sub"], &[]);
    assert_eq!(answer, "near = project/sub/.skills/near/SKILL.md\nshared = project/.agents/skills/shared/SKILL.md\n");
}

#[test]
fn an_empty_list_means_the_usual_folders_in_what_was_built() {
    let context = switched_on("directories = []");
    context.tree(&skill_file("project/.skills", "pdf", "pdf"));
    assert_eq!(seen(&context, "remcochat"), "");
    assert_eq!(seen(&context, "remcochat@code"), "pdf = project/.skills/pdf/SKILL.md\n");
}

#[test]
fn a_missing_folder_is_reported_once() {
    let context = switched_on("directories = [\"./none\", \"none/\", \"./.skills\"]");
    context.tree(&skill_file("project/.skills", "pdf", "pdf"));
    let answer = json(&context, &["list", "--json", "--host", "remcochat"]);
    let about: Vec<&str> =
        answer["problems"].as_array().unwrap().iter().filter_map(|problem| problem["path"].as_str()).collect();
    assert_eq!(about, ["[ROOT]/project/none"], "{answer:#}");
    assert_eq!(answer["problems"][0]["code"], "S0407");
}

#[test]
fn values_out_of_range_do_not_count() {
    let rows = [
        ("max_skills", 1, 10_000, 200),
        ("max_skill_md_bytes", 1_000, 50_000_000, 200_000),
        ("max_resource_bytes", 1_000, 200_000_000, 2_000_000),
    ];
    for (name, min, max, default) in rows {
        for (value, counts) in [(min - 1, false), (min, true), (max, true), (max + 1, false)] {
            let context = switched_on(&format!("{name} = {value}"));
            let answer = json(&context, &["roots", "--host", "remcochat", "--json"]);
            let settings = answer["settings"].as_array().unwrap();
            let setting = settings.iter().find(|setting| setting["name"] == name).unwrap();
            assert_eq!(setting["value"], if counts { value } else { default }, "{name} = {value}");
            let refused = answer["problems"].as_array().unwrap().iter().any(|problem| problem["code"] == "S0403");
            assert_eq!(refused, !counts, "{name} = {value}\n{answer:#}");
        }
    }
}

#[test]
fn only_so_many_skills_count() {
    for host in ["remcochat", "remcochat@code"] {
        let context = switched_on("max_skills = 2");
        context.tree(&skill_file("project/.skills", "a", "a"));
        context.tree(&skill_file("project/.skills", "broken", "unlike"));
        context.tree(&skill_file("project/.agents/skills", "a", "a"));
        context.tree(&skill_file("project/.agents/skills", "b", "b"));
        context.tree(&skill_file("home/.agents/skills", "c", "c"));
        let answer = seen(&context, host);
        let counted: Vec<&str> = answer.lines().filter(|line| line.contains(" = ")).collect();
        let expected = ["a = project/.skills/a/SKILL.md", "b = project/.agents/skills/b/SKILL.md"];
        assert_eq!(counted, expected, "only winners are counted\n{answer}");
        assert!(answer.contains("invalid home/.agents/skills/c/SKILL.md: S0017"), "{host}\n{answer}");
        let whole = json(&context, &["list", "--json", "--host", host]);
        assert_eq!(whole["limits"][0]["code"], "S0017", "{whole:#}");
    }
}

#[test]
fn the_specification_takes_folders_directly_below() {
    let context = switched_on("");
    context.tree(&skill_file("project/.skills", ".hidden", "hidden"));
    context.tree(&skill_file("project/.skills/group", "deep", "deep"));
    context.tree(&skill_file("elsewhere", "linked", "linked"));
    context.tree("//- project/.skills/linked -> ../../elsewhere/linked\n//- project/.skills/file/\n");
    context.tree("//- project/.skills/file/SKILL.md -> ../../../elsewhere/linked/SKILL.md\n");
    context.tree("//- project/.skills/lower/skill.md\n---\nname: lower\ndescription: d\n---\n");
    assert_eq!(
        seen(&context, "remcochat"),
        "\
invalid project/.skills/.hidden/SKILL.md: S0102: the name differs from its folder
invalid project/.skills/file/SKILL.md: S0005: a linked skill file is not followed here
invalid project/.skills/group/deep/SKILL.md: S0014: only folders directly below the root are skills here
invalid project/.skills/linked/SKILL.md: S0005: linked folders are not followed here
invalid project/.skills/lower/skill.md: S0008: the file is called `skill.md`, not `SKILL.md`
"
    );
}

#[test]
fn what_was_built_takes_folders_at_any_depth() {
    let context = switched_on("");
    context.tree(&skill_file("project/.skills/node_modules/.x", "deep", "deep"));
    context.tree(&skill_file("project/.skills/deep2", "inner", "inner"));
    context.tree(&skill_file("project/.skills", "deep2", "deep2"));
    context.tree("//- project/.skills/SKILL.md\n---\nname: .skills\ndescription: d\n---\n");
    context.tree(&skill_file("elsewhere", "linked", "linked"));
    context.tree("//- project/.skills/linked -> ../../elsewhere/linked\n");
    context.tree("//- project/docs/text.md\n---\nname: file\ndescription: d\n---\n");
    context.tree("//- project/.skills/file/\n//- project/.skills/file/SKILL.md -> ../../docs/text.md\n");
    assert_eq!(
        seen(&context, "remcochat@code"),
        "\
deep = project/.skills/node_modules/.x/deep/SKILL.md
deep2 = project/.skills/deep2/SKILL.md
file = project/.skills/file/SKILL.md
inner = project/.skills/deep2/inner/SKILL.md
invalid project/.skills/SKILL.md: S0118: Frontmatter.name must contain only lowercase letters, numbers, and hyphens
invalid project/.skills/linked/SKILL.md: S0005: linked folders are not followed here
"
    );
}

/// The words are the program's, and the first thing that it looks at is what it reports.
#[test]
fn errors_are_in_the_words_of_the_program() {
    let file = |text: &str, expected: &str| {
        check_file("remcochat@code", text, &format!("invalid FILE: {expected}"));
        // The specification has no words for it, but takes none of them either.
        let by_specification = said("remcochat", text);
        assert!(by_specification.starts_with("invalid FILE: S01"), "{text:?}: {by_specification}");
    };
    let head = |fields: &str| format!("---\n{fields}\n---\nBody\n");
    file("Body\nMore\nLines\n", "S0100: Missing YAML frontmatter (expected leading ---)");
    file("\n---\nname: pdf\n---\n", "S0100: Missing YAML frontmatter (expected leading ---)");
    file("\u{feff}---\nname: pdf\n---\n", "S0107: Missing YAML frontmatter (expected leading ---)");
    file("---", "S0100: Invalid frontmatter: too short");
    file("---\n", "S0101: Invalid frontmatter: too short");
    file("---\n---", "S0104: Invalid frontmatter: too short");
    file("----\nname: pdf\n---\n", "S0100: Invalid frontmatter start marker");
    file("---yaml\nname: pdf\n---\n", "S0100: Invalid frontmatter start marker");
    file("---\nname: pdf\ndescription: d\n", "S0101: Invalid frontmatter: missing closing ---");
    file("---\n---\nBody", "S0104: Invalid frontmatter: expected a YAML mapping/object");
    file(&head("- a"), "S0104: Invalid frontmatter: expected a YAML mapping/object");
    file(&head("text"), "S0104: Invalid frontmatter: expected a YAML mapping/object");
    file(&head("description: d"), "S0112: Frontmatter.name is required");
    file(&head("name: ''"), "S0113: Frontmatter.name is required");
    file(&head("name:\ndescription: d"), "S0113: Frontmatter.name is required");
    let long = format!("name: {}\ndescription: d", "a_".repeat(33));
    file(&head(&long), "S0114: Frontmatter.name must be at most 64 characters");
    let characters = "must contain only lowercase letters, numbers, and hyphens";
    file(&head("name: -Pdf"), &format!("S0115: Frontmatter.name {characters}"));
    file(&head("name: -p_df-"), &format!("S0118: Frontmatter.name {characters}"));
    file(&head("name: pdé\ndescription: d"), &format!("S0118: Frontmatter.name {characters}"));
    file(&head("name: -pdf"), "S0116: Frontmatter.name must not start or end with a hyphen");
    file(&head("name: p--df"), "S0117: Frontmatter.name must not contain consecutive hyphens");
    file(&head("name: other"), "S0119: Frontmatter.description is required");
    file(&head("name: other\ndescription: ' '"), "S0120: Frontmatter.description is required");
    let long = format!("name: other\ndescription: {}", "d".repeat(1025));
    file(&head(&long), "S0121: Frontmatter.description must be at most 1024 characters");
    let differs = "Frontmatter.name must match parent directory name (expected \"pdf\", got \"other\")";
    file(&head("name: other\ndescription: d"), &format!("S0102: {differs}"));
    file(&head("name: pdf\nname: pdf\ndescription: d"), "S0105: `name` appears twice");
    let colon = "S0103: a value needs quotes";
    file(&head("name: pdf\ndescription: Use when: x"), colon);
}

#[test]
fn values_of_any_type_are_text_in_what_was_built() {
    let text_of = |fields: &str| {
        let context = switched_on("");
        context.tree(&format!("//- project/.skills/42/SKILL.md\n---\n{fields}\n---\n"));
        let answer = json(&context, &["list", "--json", "--host", "remcochat@code"]);
        answer["skills"][0]["description"].as_str().unwrap_or("none").to_owned()
    };
    assert_eq!(text_of("name: 42\ndescription: 1.50"), "1.5");
    assert_eq!(text_of("name: 42\ndescription: [a, b]"), "a,b");
    assert_eq!(text_of("name: 42\ndescription: true"), "true");
    assert_eq!(text_of("name: 42\ndescription: '  x  '"), "x");
    // An indented line of dashes ends the frontmatter early.
    assert_eq!(text_of("name: 42\ndescription: |\n  one\n  ---\n  two"), "one");
    check_file(
        "remcochat",
        "---\nname: pdf\ndescription: [a]\n---\n",
        "invalid FILE: S0111: `description` must be text",
    );
    check_file("remcochat", "---\nname: pdf\ndescription: |\n  a\n  ---\n---\n", "pdf = FILE");
}

#[test]
fn limits_of_texts_are_met_exactly() {
    let file = |name: &str, description: &str| {
        let context = switched_on("");
        context.tree(&format!(
            "//- project/.skills/{name}/SKILL.md\n---\nname: {name}\ndescription: {description}\n---\n"
        ));
        seen(&context, "remcochat").contains(" = ")
    };
    assert!(file(&"a".repeat(64), &"d".repeat(1024)));
    assert!(!file(&"a".repeat(65), "d"));
    assert!(!file("a", &"d".repeat(1025)));
    assert!(file("a", &format!("'  {}  '", "d".repeat(1024))), "blanks at the ends are ignored");
}

#[test]
fn unknown_keys_get_a_warning_in_the_specification_only() {
    for (host, expected) in [("remcochat", 1), ("remcochat@code", 0)] {
        let context = switched_on("directories = [\"./.skills\"]");
        context.tree("//- project/.skills/pdf/SKILL.md\n---\nname: pdf\ndescription: d\nlicense: MIT\nallowed-tools: Read\nother: 1\n---\n");
        let answer = json(&context, &["list", "--json", "--host", host]);
        let codes: Vec<&str> =
            answer["problems"].as_array().unwrap().iter().filter_map(|problem| problem["code"].as_str()).collect();
        assert_eq!((codes.len(), answer["skills"].as_array().unwrap().len()), (expected, 1), "{host}\n{answer:#}");
        assert!(codes.iter().all(|code| *code == "S0110"), "{host}\n{answer:#}");
    }
}

#[test]
fn the_catalog_is_json_with_names_and_descriptions_only() {
    let context = switched_on("");
    context.tree("//- project/.skills/b/SKILL.md\n---\nname: b\ndescription: |-\n  Two \"lines\"\n  é </x>\n---\n");
    context.tree(&skill_file("project/.agents/skills", "a", "a"));
    let text = run(&context, &["prompt", "--host", "remcochat"]).stdout;
    let (_, block) = text.split_once("Available skills metadata (JSON):\n").unwrap();
    assert_eq!(
        block,
        r#"{
  "available_skills": [
    {
      "name": "b",
      "description": "Two \"lines\"\né </x>"
    },
    {
      "name": "a",
      "description": "Does a"
    }
  ]
}
"#
    );
    let read: serde_json::Value = serde_json::from_str(block).unwrap();
    assert_eq!(read["available_skills"].as_array().unwrap().len(), 2);
}

#[test]
fn the_rules_name_the_tools_that_there_are() {
    let context = switched_on("");
    context.tree(&skill_file("project/.skills", "pdf", "pdf"));
    for (host, tools) in [
        ("remcochat", ["skills.activate", "skills.readResource"]),
        ("remcochat@code", ["skillsActivate", "skillsReadResource"]),
    ] {
        let text = run(&context, &["prompt", "--host", host]).stdout;
        let (rules, _) = text.split_once("Available skills metadata (JSON):\n").unwrap();
        for tool in tools {
            assert!(rules.contains(&format!("`{tool}`")), "{host}: {rules}");
        }
        assert!(rules.contains("begins with `/`"), "{host}: how a message names a skill: {rules}");
    }
}

/// Calls a skill and returns the role and the text of each message.
fn messages(context: &TestContext, words: &[&str]) -> Vec<(String, String)> {
    let answer = json(context, &[&["activate", "--json", "--no-input"], words].concat());
    let text = |message: &serde_json::Value, key: &str| message[key].as_str().unwrap().to_owned();
    let all = answer["messages"].as_array().unwrap().iter();
    all.map(|message| (text(message, "role"), text(message, "text"))).collect()
}

#[test]
fn what_follows_the_name_goes_to_the_model() {
    let context = switched_on("");
    context.tree("//- project/.skills/pdf/SKILL.md\n---\nname: pdf\ndescription: d\n---\nFill it.\n");
    let said = ("user".to_owned(), "the form,\n  as it is".to_owned());
    for host in ["remcochat", "remcochat@code"] {
        for words in [&["--turn", "/pdf  the form,\n  as it is"][..], &["pdf", "--raw-args", "the form,\n  as it is"]] {
            let sent = messages(&context, &[words, &["--host", host]].concat());
            assert_eq!((sent[0].0.as_str(), sent.len()), ("system", 2), "{host}: {sent:?}");
            assert!(sent[0].1.contains("Fill it.") && !sent[0].1.contains("the form"), "{host}: {sent:?}");
            assert_eq!(sent[1], said, "{host}");
        }
        let alone = messages(&context, &["--turn", "/pdf", "--host", host]);
        assert_eq!(alone.len(), 1, "{host}: nothing was said: {alone:?}");
        let by_model = messages(&context, &["pdf", "--as", "model", "--host", host]);
        assert_eq!((by_model[0].0.as_str(), by_model.len()), ("tool", 1), "{host}: {by_model:?}");
    }
}

#[test]
fn frontmatter_is_answered_as_it_is_written() {
    let context = switched_on("");
    context.tree(
        "
//- project/.skills/pdf/SKILL.md
---
description: A \u{200b}test
name: pdf
allowed-tools: Read,  Bash(git:*)
x-team: [a, 2]
metadata:
  level: 3
---
Fill it.
",
    );
    let text = messages(&context, &["pdf", "--as", "model", "--host", "remcochat"]).remove(0).1;
    let answer: serde_json::Value = serde_json::from_str(&text).unwrap();
    let frontmatter = serde_json::json!({
        "description": "A \\u{200b}test", "name": "pdf", "allowed-tools": "Read,  Bash(git:*)", "x-team": ["a", 2],
        "metadata": { "level": 3 },
    });
    assert_eq!(answer["frontmatter"], frontmatter);
    let (_, written) = text.split_once("frontmatter").unwrap();
    let order = ["description", "name", "allowed-tools", "x-team", "metadata"].map(|key| written.find(key).unwrap());
    assert!(order.is_sorted(), "keys stand as in the file: {text}");
    let code = messages(&context, &["pdf", "--as", "model", "--host", "remcochat@code"]).remove(0).1;
    assert!(code.contains(r#""allowed-tools":"Read,  Bash(git:*)""#) && !code.contains("x-team"), "{code}");
}

#[test]
fn an_empty_catalog_is_still_json() {
    let text = run(&switched_on(""), &["prompt", "--host", "remcochat"]).stdout;
    let (_, block) = text.split_once("Available skills metadata (JSON):\n").unwrap();
    assert_eq!(block, "{\n  \"available_skills\": []\n}\n");
}

#[test]
fn the_conformance_skill_is_found() {
    let fixture = include_str!("../../../openoxide-testkit/skills/skills-system-validation/SKILL.md");
    for host in ["remcochat", "remcochat@code"] {
        let context = switched_on("");
        context.tree("//- project/.skills/skills-system-validation/\n");
        let file = context.project().join(".skills/skills-system-validation/SKILL.md");
        fs_err::write(&file, fixture).unwrap();
        let expected = "skills-system-validation = project/.skills/skills-system-validation/SKILL.md\n";
        assert_eq!(seen(&context, host), expected, "{host}");
    }
}
