//! Hosts whose rules were read and not measured: their places, who wins a name, and what they refuse.

use std::ffi::OsStr;

use openoxide_testkit::TestContext;

use crate::support::{drawn, run, skill_file};

/// Writes `same` into each root, and a skill of its own, then expects the winner and every other place.
fn check_precedence(host: &str, roots: &[&str]) {
    let context = TestContext::new();
    for (index, root) in roots.iter().enumerate() {
        context.tree(&skill_file(root, "same", "same"));
        context.tree(&skill_file(root, &format!("own-{index}"), &format!("own-{index}")));
    }
    let seen = drawn(&context, &["--host", host], &[]);
    let winner = format!("same = {}/same/SKILL.md\n", roots[0]);
    assert!(seen.contains(&winner), "{host}: {} wins\n{seen}", roots[0]);
    for (index, root) in roots.iter().enumerate() {
        assert!(seen.contains(&format!("own-{index} = {root}/own-{index}/SKILL.md\n")), "{host}: {root}\n{seen}");
        let shadowed = format!("shadowed {root}/same/SKILL.md: S0301");
        assert_eq!(seen.contains(&shadowed), index != 0, "{host}: {root}\n{seen}");
    }
    assert_eq!(seen.lines().count(), roots.len() * 2, "{host}\n{seen}");
    // The winner gone, the next place takes its turn.
    for pair in roots.windows(2) {
        fs_err::remove_dir_all(context.root().join(pair[0]).join("same")).unwrap();
        let seen = drawn(&context, &["--host", host], &[]);
        assert!(seen.contains(&format!("same = {}/same/SKILL.md\n", pair[1])), "{host}: {}\n{seen}", pair[1]);
    }
}

/// Expects what a host sees of a tree.
fn check(host: &str, tree: &str, expected: &str) {
    let context = TestContext::new();
    context.tree(tree);
    assert_eq!(drawn(&context, &["--host", host], &[]), expected, "{host}");
}

/// Expects the line that a host answers on one file.
fn check_file(host: &str, root: &str, folder: &str, file: &str, expected: &str) {
    let context = TestContext::new();
    context.tree(&format!("//- {root}/{folder}/SKILL.md nonl\n{file}"));
    let seen = drawn(&context, &["--host", host], &[]);
    let seen = seen.replace(&format!("{root}/{folder}/SKILL.md"), "FILE");
    assert_eq!(seen.trim_end(), expected, "{host}: {file:?}");
}

#[test]
fn gemini_cli() {
    check_precedence(
        "gemini-cli",
        &["project/.agents/skills", "project/.gemini/skills", "home/.agents/skills", "home/.gemini/skills"],
    );
    let root = "project/.gemini/skills";
    let file = |text: &str, expected: &str| check_file("gemini-cli", root, "x", text, expected);
    file("---\nname: other\ndescription: d\n---\n", "other = FILE");
    file("---\nname: a:b/c\ndescription: d\n---\n", "a-b-c = FILE");
    file("---\nname: Any Name\ndescription: d\n---\n", "Any Name = FILE");
    file("---\nname: a\ndescription: Use when: x\n---\n", "a = FILE");
    file("---\nname: a\ndescription: \"\"\n---\n", "a = FILE");
    file("---\nname: a\ndescription:\n---\n", "a = FILE");
    file("---\nname: a\n---\n", "invalid FILE: S0119: the frontmatter has no `description`");
    file("---\ndescription: d\n---\n", "invalid FILE: S0112: the frontmatter has no `name`");
    file("\n---\nname: a\ndescription: d\n---\n", "invalid FILE: S0100: the file does not begin with frontmatter");
    check(
        "gemini-cli",
        "
//- project/.gemini/skills/SKILL.md
---
name: at-the-root
description: A skill that is the root itself
---
//- project/.gemini/skills/group/deep/SKILL.md
---
name: deep
description: Two levels down
---
//- project/.gemini/skills/node_modules/SKILL.md
---
name: module
description: In a folder of dependencies
---
//- project/.gemini/skills/.hidden/SKILL.md
---
name: hidden
description: In a hidden folder
---
//- project/.gemini/skills/Off/SKILL.md
---
name: Off
description: Switched off, in another case
---
//- project/.gemini/settings.json
{\"skills\": {\"disabled\": [\"off\"]}}
",
        "\
at-the-root = project/.gemini/skills/SKILL.md
invalid project/.gemini/skills/.hidden/SKILL.md: S0009: it is inside a hidden folder, which is not searched
disabled project/.gemini/skills/Off/SKILL.md: S0303: it is switched off: project/.gemini/settings.json lists `off`
invalid project/.gemini/skills/group/deep/SKILL.md: S0014: only folders directly below the root are skills here
invalid project/.gemini/skills/node_modules/SKILL.md: S0015: folders called `node_modules` are not searched
",
    );
}

#[test]
fn gemini_cli_without_skills() {
    let context = TestContext::new();
    context.tree(&skill_file("project/.gemini/skills", "a", "a"));
    context.tree("//- home/.gemini/settings.json\n{\"skills\": {\"enabled\": false}}\n");
    assert_eq!(drawn(&context, &["--host", "gemini-cli"], &[]), "");
    context.tree("//- project/.gemini/settings.json\n{\"skills\": {\"enabled\": true}}\n");
    assert_eq!(drawn(&context, &["--host", "gemini-cli"], &[]), "a = project/.gemini/skills/a/SKILL.md\n");
}

#[test]
fn copilot_cli() {
    check_precedence(
        "copilot-cli",
        &[
            "project/.github/skills",
            "project/.agents/skills",
            "project/.claude/skills",
            "home/.copilot/skills",
            "home/.agents/skills",
        ],
    );
    let file = |text: &str, expected: &str| check_file("copilot-cli", "project/.github/skills", "x", text, expected);
    file("---\nname: My skill_1.0:x\ndescription: d\n---\n", "My skill_1.0:x = FILE");
    file("---\nname: a/b\ndescription: d\n---\n", "invalid FILE: S0118: `/` is not allowed in a name");
    let long = format!("---\nname: {}\ndescription: d\n---\n", "a".repeat(65));
    file(&long, "invalid FILE: S0114: the name has 65 characters, 64 are allowed");
    let long = format!("---\nname: a\ndescription: {}\n---\n", "d".repeat(1025));
    file(&long, "invalid FILE: S0121: the description has 1025 characters, 1024 are allowed");
}

#[test]
fn copilot_cli_looks_further() {
    let context = TestContext::new();
    context.tree(&skill_file("project/.github/skills", "above", "above"));
    context.tree(&skill_file("project/.claude/skills", "claude-above", "claude-above"));
    context.tree(&skill_file("one", "first", "first"));
    context.tree(&skill_file("two", "second", "second"));
    context.tree(&skill_file("three", "third", "third"));
    context.tree("//- project/sub/\n");
    let root = context.root().display().to_string();
    let folders = format!(" {root}/one ,,{root}/two");
    let added = format!("{root}/three");
    let args = ["--host", "copilot-cli", "--project", "sub", "--add-dir", &added];
    let seen = drawn(&context, &args, &[("COPILOT_SKILLS_DIRS", OsStr::new(&folders))]);
    assert_eq!(
        seen,
        "\
above = project/.github/skills/above/SKILL.md
first = one/first/SKILL.md
second = two/second/SKILL.md
third = three/third/SKILL.md
"
    );
}

#[test]
fn vscode() {
    check_precedence(
        "vscode",
        &[
            "project/.github/skills",
            "project/.claude/skills",
            "project/.agents/skills",
            "home/.copilot/skills",
            "home/.claude/skills",
            "home/.agents/skills",
        ],
    );
    let file = |text: &str, expected: &str| check_file("vscode", "project/.github/skills", "pdf", text, expected);
    file("---\nname: pdf\ndescription: d\n---\n", "pdf = FILE");
    file("---\nname: pdfs\ndescription: d\n---\n", "invalid FILE: S0102: the name differs from its folder");
    file("---\nname: Pdf\ndescription: d\n---\n", "invalid FILE: S0115: the name has upper-case letters");
    file("---\nname: p:df\ndescription: d\n---\n", "invalid FILE: S0118: `:` is not allowed in a name");
}

#[test]
fn crush_lets_the_last_path_win() {
    let roots = [
        "home/.agents/skills",
        "home/.claude/skills",
        "home/.config/agents/skills",
        "home/.config/crush/skills",
        "project/.agents/skills",
        "project/.claude/skills",
        "project/.crush/skills",
        "project/.cursor/skills",
    ];
    let last_first: Vec<&str> = roots.into_iter().rev().collect();
    check_precedence("crush", &last_first);
    // Upper and lower case are alike: `B` stands between `a` and `c`.
    let context = TestContext::new();
    for folder in ["a", "B", "c"] {
        context.tree(&skill_file(&format!("project/.crush/skills/{folder}"), "same", "same"));
    }
    let seen = drawn(&context, &["--host", "crush"], &[]);
    assert!(seen.starts_with("same = project/.crush/skills/c/same/SKILL.md\n"), "{seen}");
    fs_err::remove_dir_all(context.project().join(".crush/skills/c")).unwrap();
    let seen = drawn(&context, &["--host", "crush"], &[]);
    assert!(seen.starts_with("same = project/.crush/skills/B/same/SKILL.md\n"), "{seen}");
}

#[test]
fn crush_reads_strictly() {
    let file = |folder: &str, text: &str, expected: &str| {
        check_file("crush", "project/.crush/skills", folder, text, expected);
    };
    file("pdf", "\n\n---\nname: PDF\ndescription: d\n---\n", "PDF = FILE");
    file("pdf", "---\nname: pdfs\ndescription: d\n---\n", "invalid FILE: S0102: the name differs from its folder");
    file("a-_b", "---\nname: a-_b\ndescription: d\n---\n", "invalid FILE: S0118: `_` is not allowed in a name");
    file("-a", "---\nname: -a\ndescription: d\n---\n", "invalid FILE: S0116: the name starts or ends with a hyphen");
    // 513 letters of two bytes each.
    let long = format!("---\nname: a\ndescription: {}\n---\n", "é".repeat(513));
    file("a", &long, "invalid FILE: S0121: the description has 1026 bytes, 1024 are allowed");
    let long = format!("---\nname: a\ndescription: d\ncompatibility: {}\n---\n", "c".repeat(501));
    file("a", &long, "invalid FILE: S0122: `compatibility` has 501 bytes, 500 are allowed");
    file("a", "---\nname: a\ndescription: d\ndisable-model-invocation: true\n---\n", "a = FILE (not for the model)");
}

#[test]
fn crush_settings() {
    let context = TestContext::new();
    context.tree(&skill_file("more", "extra", "extra"));
    context.tree(&skill_file("instead", "moved", "moved"));
    context.tree(&skill_file("home/.agents/skills", "usual", "usual"));
    context.tree(&skill_file("project/.crush/skills/group", "deep", "deep"));
    context.tree(&skill_file("project/.crush/skills", "off", "off"));
    context.tree(
        "//- project/crush.json\n{\"options\": {\"skills_paths\": [\"../more\"], \"disabled_skills\": [\"off\"]}}\n",
    );
    // Only a trusted project names folders outside of it.
    context.tree("//- home/.openoxide/config.toml rooted\n[trust]\nfolders = [\"{root}/project\"]\n");
    let seen = drawn(&context, &["--host", "crush"], &[]);
    assert!(seen.contains("usual = home/.agents/skills/usual/SKILL.md\n"), "{seen}");
    assert!(seen.contains("extra = more/extra/SKILL.md\n"), "{seen}");
    assert!(seen.contains("deep = project/.crush/skills/group/deep/SKILL.md\n"), "{seen}");
    assert!(seen.contains("disabled project/.crush/skills/off/SKILL.md: S0303"), "{seen}");
    let instead = context.root().join("instead");
    let seen = drawn(&context, &["--host", "crush"], &[("CRUSH_SKILLS_DIR", instead.as_os_str())]);
    assert!(seen.contains("moved = instead/moved/SKILL.md\n") && !seen.contains("usual"), "{seen}");
}

#[test]
fn goose() {
    check_precedence(
        "goose",
        &[
            "project/.agents/skills",
            "project/.goose/skills",
            "project/.claude/skills",
            "home/.agents/skills",
            "home/.config/goose/skills",
            "home/.claude/skills",
            "home/.config/agents/skills",
        ],
    );
    let file = |text: &str, expected: &str| check_file("goose", "project/.goose/skills", "x", text, expected);
    file("---\nname: Any: name\n---\n", "invalid FILE: S0103: a value needs quotes");
    file("---\nname: Any name\n---\n", "Any name = FILE");
    file("---\nname: a/b\ndescription: d\n---\n", "invalid FILE: S0118: `/` is not allowed in a name");
    file("---\ndescription: d\n---\n", "invalid FILE: S0112: the frontmatter has no `name`");
    check(
        "goose",
        "
//- project/.goose/skills/a/b/c/SKILL.md
---
name: deep
---
//- project/.goose/skills/a/SKILL.md
---
name: outer
---
//- project/.goose/skills/.git/x/SKILL.md
---
name: git
---
//- project/.goose/skills/.other/SKILL.md
---
name: hidden
---
",
        "\
deep = project/.goose/skills/a/b/c/SKILL.md
hidden = project/.goose/skills/.other/SKILL.md
outer = project/.goose/skills/a/SKILL.md
invalid project/.goose/skills/.git/x/SKILL.md: S0015: folders called `.git` are not searched
",
    );
}

#[test]
fn zed() {
    check_precedence("zed", &["project/.agents/skills", "home/.agents/skills"]);
    let file = |text: &str, expected: &str| check_file("zed", "project/.agents/skills", "x", text, expected);
    file("\n---\nname: unlike-its-folder\ndescription: d\n---\n", "unlike-its-folder = FILE");
    file("---\nname: a--b-\ndescription: d\n---\n", "a--b- = FILE");
    file("---\nname: a_b\ndescription: d\n---\n", "invalid FILE: S0118: `_` is not allowed in a name");
    file("---\nname: A\ndescription: d\n---\n", "invalid FILE: S0115: the name has upper-case letters");
    file(&format!("---\nname: a\ndescription: {}\n---\n", "d".repeat(2000)), "a = FILE");
    file("---\nname: a\ndescription: d\ndisable-model-invocation: true\n---\n", "a = FILE (not for the model)");
    let large = format!("---\nname: a\ndescription: d\n---\n{}", "x".repeat(102_400));
    file(&large, "invalid FILE: S0016: the file is larger than 102400 bytes");
    check(
        "zed",
        &skill_file("project/.agents/skills/group", "deep", "deep"),
        "invalid project/.agents/skills/group/deep/SKILL.md: S0014: only folders directly below the root are skills here\n",
    );
}

#[test]
fn zed_warns_of_long_descriptions() {
    let context = TestContext::new();
    let text = format!("//- project/.agents/skills/a/SKILL.md\n---\nname: a\ndescription: {}\n---\n", "é".repeat(513));
    context.tree(&text);
    let output = run(&context, &["check", "--host", "zed", ".agents/skills/a"]);
    assert!(output.to_string().contains("1026 bytes, 1024 are allowed"), "{output}");
}

#[test]
fn qwen_code() {
    check_precedence("qwen-code", &["project/.qwen/skills", "home/.qwen/skills"]);
    let file = |text: &str, expected: &str| check_file("qwen-code", "project/.qwen/skills", "x", text, expected);
    file("---\nname: 技能_1:a.b\ndescription: d\n---\n", "技能_1:a.b = FILE");
    file("---\nname: 1.0\ndescription: [a, b]\n---\n", "1 = FILE");
    file("---\nname: a b\ndescription: d\n---\n", "invalid FILE: S0118: ` ` is not allowed in a name");
    file("---\nname: a\n---\n", "invalid FILE: S0119: the frontmatter has no `description`");
    file("---\nname: a\ndescription: d\ndisable-model-invocation: true\n---\n", "a = FILE (not for the model)");
    file("---\nname: a\ndescription: d\npaths:\n  - src/**\n---\n", "a = FILE (not for the model)");
}

#[test]
fn qwen_code_paths_keep_from_the_model_only_until_a_file_is_touched() {
    let context = TestContext::new();
    context.tree("//- project/src/a.ts\n//- project/.qwen/skills/a/SKILL.md\n---\nname: a\ndescription: d\npaths: [\"src/*.ts\"]\n---\n");
    let seen = drawn(&context, &["--host", "qwen-code", "--touch", "src/a.ts"], &[]);
    assert_eq!(seen, "a = project/.qwen/skills/a/SKILL.md\n");
}

#[test]
fn roo() {
    check_precedence(
        "roo",
        &["project/.roo/skills-code", "project/.roo/skills", "home/.roo/skills-code", "home/.roo/skills"],
    );
    let file = |text: &str, expected: &str| check_file("roo", "project/.roo/skills", "pdf", text, expected);
    file("---\nname: pdf\ndescription: d\n---\n", "pdf = FILE");
    file("---\nname: pdfs\ndescription: d\n---\n", "invalid FILE: S0102: the name differs from its folder");
    file("---\nname: pdf\n---\n", "invalid FILE: S0119: the frontmatter has no `description`");
    // 512 pairs of surrogates fit, one more does not; blanks at the ends are ignored.
    file(&format!("---\nname: pdf\ndescription: \"  {}  \"\n---\n", "😀".repeat(512)), "pdf = FILE");
    let long = format!("---\nname: pdf\ndescription: {}\n---\n", "😀".repeat(513));
    file(&long, "invalid FILE: S0121: the description has 1026 UTF-16 units, 1024 are allowed");
    check("roo", &skill_file("project/.roo/skills-architect", "plan", "plan"), "");
}

#[test]
fn pi() {
    check_precedence(
        "pi",
        &["project/.pi/skills", "project/.agents/skills", "home/.pi/agent/skills", "home/.agents/skills"],
    );
    let file = |text: &str, expected: &str| check_file("pi", "project/.pi/skills", "pdf", text, expected);
    file("---\nname: Other_Name\ndescription: d\n---\n", "Other_Name = FILE");
    file("---\ndescription: d\n---\n", "pdf = FILE");
    file("---\nname: pdf\n---\n", "invalid FILE: S0119: the frontmatter has no `description`");
    file("---\nname: pdf\ndescription: Use when: x\n---\n", "invalid FILE: S0103: a value needs quotes");
    file("---\nname: pdf\ndescription: d\ndisable-model-invocation: true\n---\n", "pdf = FILE (not for the model)");
    check(
        "pi",
        "
//- project/.pi/skills/loose.md
---
description: A single file
---
//- project/.pi/skills/group/deep/SKILL.md
---
name: deep
description: Two levels down
---
//- project/.pi/skills/group/deep/inner/SKILL.md
---
name: inner
description: Inside another skill
---
//- project/.pi/skills/group/notes.md
Nobody reads this.
//- project/.pi/skills/node_modules/x/SKILL.md
---
name: module
description: In a folder of dependencies
---
//- project/.agents/skills/loose.md
---
description: Not a skill here
---
",
        "\
deep = project/.pi/skills/group/deep/SKILL.md
loose = project/.pi/skills/loose.md
invalid project/.pi/skills/group/deep/inner/SKILL.md: S0010: it is inside another skill, which is not searched
invalid project/.pi/skills/node_modules/x/SKILL.md: S0015: folders called `node_modules` are not searched
",
    );
}

#[test]
fn pi_takes_a_root_that_is_a_skill_and_nothing_below() {
    check(
        "pi",
        "
//- project/.pi/skills/SKILL.md
---
name: skills
description: The root itself
---
//- project/.pi/skills/below/SKILL.md
---
name: below
description: Hidden by the root
---
",
        "\
skills = project/.pi/skills/SKILL.md
invalid project/.pi/skills/below/SKILL.md: S0010: it is inside another skill, which is not searched
",
    );
}

#[test]
fn entries_are_escaped_as_the_programs_do() {
    for (host, root, expected) in [
        ("pi", "project/.pi/skills", "    <description>a &lt;b&gt; &amp; &quot;c&quot; &apos;d&apos;</description>"),
        (
            "crush",
            "project/.crush/skills",
            "    <description>a &lt;b&gt; &amp; &quot;c&quot; &apos;d&apos;</description>",
        ),
        ("gemini-cli", "project/.gemini/skills", "    <description>a <b> & \"c\" 'd'</description>"),
        ("goose", "project/.goose/skills", "- x: a <b> & \"c\" 'd'"),
    ] {
        let context = TestContext::new();
        context.tree(&format!("//- {root}/x/SKILL.md\n---\nname: x\ndescription: a <b> & \"c\" 'd'\n---\n"));
        let output = run(&context, &["prompt", "--host", host]);
        assert!(output.stdout.lines().any(|line| line == expected), "{host}\n{output}");
    }
}

#[test]
fn every_host_can_show_its_catalog() {
    let context = TestContext::new();
    let places = [".agents", ".github", ".gemini", ".crush", ".goose", ".qwen", ".roo", ".pi", ".claude", ".codex"];
    for place in places {
        context.tree(&skill_file(&format!("project/{place}/skills"), "pdf", "pdf"));
    }
    for host in ["gemini-cli", "copilot-cli", "vscode", "crush", "goose", "zed", "qwen-code", "roo", "pi"] {
        let output = run(&context, &["prompt", "--host", host]);
        let names = output.stdout.matches("Does pdf").count();
        assert_eq!((output.status, names), (Some(0), 1), "{host}\n{output}");
    }
}
