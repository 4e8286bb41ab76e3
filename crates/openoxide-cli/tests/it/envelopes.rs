//! What the model is sent by hosts that are described, not measured: letter by letter as their descriptions say.

use openoxide_testkit::TestContext;
use serde_json::Value;

use crate::support::bin;

const TREE: &str = r#"
//- project/.git/HEAD
ref: refs/heads/main
//- project/config.toml
[app.skills]
enabled = true
max_skill_md_bytes = 1000
//- project/files/skills/demo/SKILL.md
---
name: demo
description: A "demo"
---

Say <it>.
//- project/.skills/demo/SKILL.md
---
name: demo
description: A "demo"
license: MIT
metadata:
  author: me
---

Say <it>.
//- project/.skills/long/SKILL.md lines=200
---
name: long
description: Long
---
Ünd {n}
//- project/.opencode/skills/demo/SKILL.md
---
name: demo
description: A "demo"
---

Say <it>.
//- project/.omp/skills/demo/SKILL.md
---
name: demo
description: A "demo"
---

Say <it>.
"#;

/// Calls a skill and returns the messages, or what is said instead.
fn called(words: &[&str]) -> Vec<String> {
    let context = TestContext::new();
    context.tree(TREE);
    let mut command = context.command(bin(), ["activate", "--json", "--no-input"]);
    command.args(words).current_dir(context.root().join("project"));
    let output = context.answer(&mut command);
    let answer: Value = serde_json::from_str(&output.stdout).unwrap_or_else(|_| panic!("{output}"));
    let lines = ["messages", "refused"].map(|key| answer[key].as_array().cloned().unwrap_or_default()).concat();
    lines.iter().map(|line| line["text"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn pepper_answers_with_a_comment_and_the_whole_file() {
    let whole = "<!-- Skill: demo | Source: registry | Path: [ROOT]/project/files/skills/demo/SKILL.md -->\n\n---\nname: demo\n\
                 description: A \"demo\"\n---\n\nSay <it>.\n";
    assert_eq!(called(&["demo", "--host", "pepper", "--as", "model"]), [whole]);
    let unknown = "Skill 'x' not found. Available skills: demo";
    assert_eq!(called(&["x", "--host", "pepper", "--as", "model"]), [unknown]);
    assert_eq!(called(&["x", "--host", "pepper@code", "--as", "model"]), ["Skill 'x' not found. Available skills: "]);
    let bad = "Error: Invalid skill name. Use alphanumeric, hyphens, and underscores only.";
    assert_eq!(called(&["../x", "--host", "pepper", "--as", "model"]), [bad]);
}

#[test]
fn remcochat_answers_with_an_object() {
    let object = r#"{"name":"demo","frontmatter":{"name":"demo","description":"A \"demo\"","license":"MIT","metadata":{"author":"me"}},"body":"Say <it>.\n"}"#;
    assert_eq!(called(&["demo", "--host", "remcochat", "--as", "model"]), [object]);
    assert_eq!(called(&["x", "--host", "remcochat", "--as", "model"]), ["Unknown skill: x"]);
    let long = called(&["long", "--host", "remcochat", "--as", "model"]);
    let object: Value = serde_json::from_str(&long[0]).unwrap();
    let (body, notice) = object["body"].as_str().unwrap().rsplit_once("\n\n").unwrap();
    let head = "---\nname: long\ndescription: Long\n---\n".len();
    let size = head + (1..=200).map(|n| format!("Ünd {n}\n").len()).sum::<usize>();
    let removed = size - head - body.len();
    assert_eq!(notice, format!("[REMCOCHAT_SKILLS_TRUNCATED: SKILL.md; {removed} bytes removed]"));
    assert!(body.len() + head <= 1000 && body.len() + head > 990, "{body}");
}

#[test]
fn older_forms_are_as_they_were_described() {
    let first = "## Skill: demo\n\n**Base directory**: [ROOT]/project/.opencode/skills/demo\n\nSay <it>.";
    assert_eq!(called(&["demo", "--host", "opencode@seed-001", "--as", "model"]), [first]);
    let unknown = "Skill \"x\" not found. Available skills: demo";
    assert_eq!(called(&["x", "--host", "opencode@seed-001", "--as", "model"]), [unknown]);
    let second = called(&["demo", "--host", "opencode@seed-002", "--as", "model"]).concat();
    assert!(
        second.contains("\nBase directory for this skill: file://[ROOT]/project/.opencode/skills/demo\n"),
        "{second}"
    );
    let typed = "Say <it>.\n\n---\n\nSkill: [ROOT]/project/.omp/skills/demo/SKILL.md\nUser: x y";
    assert_eq!(called(&["demo", "--host", "omp@seed", "--raw-args", "x y"]), [typed]);
}
