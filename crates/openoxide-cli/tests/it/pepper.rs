//! Pepper: a registry of folders before flat local files, names as the only rule.

use openoxide_testkit::TestContext;

use crate::support::{drawn, run, skill_file};

fn check(host: &str, tree: &str, expected: &str) {
    let context = TestContext::new();
    context.tree(tree);
    assert_eq!(drawn(&context, &["--host", host], &[]), expected, "{host}");
}

#[test]
fn the_registry_wins_over_local_files() {
    let tree = [
        skill_file("project/files/skills", "rfc-format", "other"),
        skill_file("project/skills", "rfc-format", "other"),
        "//- project/.opencode/skills/rfc-format.md\nLocal text.\n".to_owned(),
        "//- project/.opencode/skills/local-test.md\nLocal text.\n".to_owned(),
    ]
    .concat();
    check(
        "pepper",
        &tree,
        "\
local-test = project/.opencode/skills/local-test.md
rfc-format = project/files/skills/rfc-format/SKILL.md
shadowed project/.opencode/skills/rfc-format.md: S0301: the skill of this name in `project/files/skills` wins: of several roots, the first one counts
shadowed project/skills/rfc-format/SKILL.md: S0301: the skill of this name in `project/files/skills` wins: of several roots, the first one counts
",
    );
    check(
        "pepper@code",
        &tree,
        "\
local-test = project/.opencode/skills/local-test.md
rfc-format = project/skills/rfc-format/SKILL.md
shadowed project/.opencode/skills/rfc-format.md: S0301: the skill of this name in `project/skills` wins: of several roots, the first one counts
",
    );
}

#[test]
fn names_are_letters_digits_hyphens_and_underscores() {
    let words = "S0118: Error: Invalid skill name. Use alphanumeric, hyphens, and underscores only.";
    for (name, is_valid) in [
        ("rfc-format", true),
        ("A_b-9", true),
        ("_", true),
        ("a--b", true),
        ("a.b", false),
        ("a:b", false),
        ("a b", false),
        ("é", false),
        (".hidden", false),
    ] {
        for host in ["pepper", "pepper@code"] {
            let context = TestContext::new();
            let folder = context.project().join("skills").join(name);
            fs_err::create_dir_all(&folder).unwrap();
            fs_err::write(folder.join("SKILL.md"), "Text.\n").unwrap();
            let expected = match is_valid {
                true => format!("{name} = project/skills/{name}/SKILL.md\n"),
                false => format!("invalid project/skills/{name}/SKILL.md: {words}\n"),
            };
            assert_eq!(drawn(&context, &["--host", host], &[]), expected, "{host}: {name}");
        }
    }
}

#[test]
fn local_skills_are_single_files() {
    check(
        "pepper",
        "
//- project/.opencode/skills/plain.md
No frontmatter.
//- project/.opencode/skills/named.md
---
name: another
description: The file gives the name
---
//- project/.opencode/skills/twice.md.md
Text.
//- project/.opencode/skills/notes.txt
Not a skill.
//- project/.opencode/skills/SKILL.md
A file like any other.
//- project/.opencode/skills/folder/SKILL.md
---
name: folder
description: A folder is not a local skill
---
//- project/.opencode/skills/folder/references/more.md
Not a skill either.
//- project/.agents/skills/elsewhere/SKILL.md
Not in one of its places.
//- project/.opencode/skill/elsewhere.md
Nor is this.
",
        "\
SKILL = project/.opencode/skills/SKILL.md
named = project/.opencode/skills/named.md
plain = project/.opencode/skills/plain.md
invalid project/.opencode/skills/folder/SKILL.md: S0014: only files directly in the root are skills here
invalid project/.opencode/skills/twice.md.md: S0118: Error: Invalid skill name. Use alphanumeric, hyphens, and underscores only.
",
    );
}

#[test]
fn nothing_in_a_file_can_keep_it_out() {
    let context = TestContext::new();
    let texts = ["", "---\n", "---\nname: [\n---\n", "---\nname: x\nname: y\n---\n", "---\ndescription: 7\n---\n"];
    for (index, text) in texts.into_iter().enumerate() {
        let folder = context.project().join(format!("skills/s{index}"));
        fs_err::create_dir_all(&folder).unwrap();
        fs_err::write(folder.join("SKILL.md"), text).unwrap();
    }
    let seen = drawn(&context, &["--host", "pepper"], &[]);
    assert_eq!(seen.lines().filter(|line| line.contains(" = ")).count(), texts.len(), "{seen}");
}

#[test]
fn the_list_of_names_is_sorted_and_may_be_none() {
    let context = TestContext::new();
    assert_eq!(run(&context, &["prompt", "--host", "pepper"]).stdout, "Available skills: none\n");
    assert_eq!(run(&context, &["prompt", "--host", "pepper@code"]).stdout, "Available skills: \n");
    context.tree(&skill_file("project/skills", "b", "b"));
    context.tree("//- project/.opencode/skills/a.md\nText.\n//- project/.opencode/skills/c.md\nText.\n");
    for host in ["pepper", "pepper@code"] {
        assert_eq!(run(&context, &["prompt", "--host", host]).stdout, "Available skills: a, b, c\n", "{host}");
    }
}
