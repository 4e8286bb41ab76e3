//! The host `omp`: what its blueprint edition promises, and what recorded answers do not show.

use openoxide_testkit::TestContext;
use serde_json::Value;

use crate::support::{field, json, run};

const SEED: &str = "omp@seed";

/// Writes one skill file with a description, and the name given.
fn skill(path: &str, name: &str, description: &str) -> String {
    format!("//- {path}/SKILL.md\n---\nname: {name}\ndescription: {description}\n---\nBody\n")
}

/// The folder of every provider, first to last.
const PROVIDERS: &[(&str, &str)] = &[
    ("project/.omp/skills", "native"),
    ("home/.omp/agent/skills", "native"),
    ("home/.claude/skills", "claude"),
    ("project/.claude/skills", "claude"),
    ("plugin/skills", "claude-plugins"),
    ("home/.agent/skills", "agents"),
    ("home/.agents/skills", "agents"),
    ("home/.codex/skills", "codex"),
    ("project/.codex/skills", "codex"),
];

/// A project with a skill `same` in every place, and one of its own.
fn everywhere(settings: &str) -> TestContext {
    let context = TestContext::new();
    for (index, (root, _)) in PROVIDERS.iter().enumerate() {
        context.tree(&skill(&format!("{root}/same"), "same", root));
        context.tree(&skill(&format!("{root}/own-{index}"), &format!("own-{index}"), root));
    }
    context.tree(
        "//- home/.claude/plugins/installed_plugins.json rooted
{\"version\": 2, \"plugins\": {\"p@m\": [{\"scope\": \"user\", \"installPath\": \"{root}/plugin\"}]}}
",
    );
    if !settings.is_empty() {
        context.tree(&format!("//- home/.omp/agent/config.yml rooted\n{settings}\n"));
    }
    context
}

fn list(context: &TestContext, host: &str) -> Value {
    json(context, &["list", "--host", host, "--all", "--json"])
}

fn active(context: &TestContext, host: &str) -> Vec<String> {
    field(&list(context, host)["skills"], "name").into_iter().map(str::to_owned).collect()
}

/// Returns where the skill `name` that counts comes from.
fn winner(context: &TestContext, host: &str, name: &str) -> Option<String> {
    let answer = list(context, host);
    let skills = answer["skills"].as_array().unwrap();
    skills.iter().find(|skill| skill["name"] == name).map(|skill| skill["description"].as_str().unwrap().to_owned())
}

/// Returns the status, and the reason's text, of the file below `folder`.
fn status(context: &TestContext, host: &str, folder: &str) -> (String, String) {
    let answer = list(context, host);
    let mut entries = answer["skills"].as_array().unwrap().iter().chain(answer["others"].as_array().unwrap());
    let found =
        entries.find(|entry| entry["path"].as_str().is_some_and(|path| path.ends_with(&format!("{folder}/SKILL.md"))));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    found.map(|entry| (text(&entry["status"]), text(&entry["reason"]))).unwrap_or_default()
}

#[test]
fn skills_lie_one_level_below_a_root() {
    let context = TestContext::new();
    let roots = ["project/.omp/skills", "project/.claude/skills", "custom"];
    for (index, root) in roots.iter().enumerate() {
        context.tree(&skill(&format!("{root}/direct-{index}"), &format!("direct-{index}"), "d"));
        context.tree(&skill(&format!("{root}/team/nested-{index}"), &format!("nested-{index}"), "d"));
    }
    context.tree("//- home/.omp/agent/config.yml rooted\nskills:\n  customDirectories: [\"{root}/custom\"]\n");
    assert_eq!(active(&context, SEED), ["direct-0", "direct-1", "direct-2"]);
    for index in 0..3 {
        assert_eq!(status(&context, SEED, &format!("team/nested-{index}")).0, "invalid", "it is named all the same");
    }
    context.tree("//- home/.omp/agent/config.yml rooted\nskills:\n  customDirectories: [\"{root}/custom/team\"]\n");
    assert!(active(&context, SEED).contains(&"nested-2".to_owned()), "the parent of nested skills can be named");
}

#[test]
fn the_folder_names_a_skill_without_a_name() {
    let context = TestContext::new();
    context.tree("//- project/.claude/skills/from-folder/SKILL.md\n---\ndescription: d\n---\n");
    context.tree(&skill("project/.claude/skills/folder", "from-text", "d"));
    assert_eq!(active(&context, SEED), ["from-folder", "from-text"]);
}

#[test]
fn only_some_places_ask_for_a_description() {
    let context = TestContext::new();
    let bare = "/SKILL.md\nBody only\n";
    for (index, (root, _)) in PROVIDERS.iter().enumerate() {
        context.tree(&format!("//- {root}/bare-{index}{bare}"));
    }
    context.tree(&format!("//- custom/bare-custom{bare}"));
    context.tree(
        "//- home/.claude/plugins/installed_plugins.json rooted
{\"version\": 2, \"plugins\": {\"p@m\": [{\"installPath\": \"{root}/plugin\"}]}}
//- home/.omp/agent/config.yml rooted
skills:
  customDirectories: [\"{root}/custom\"]
",
    );
    assert_eq!(active(&context, SEED), ["bare-2", "bare-3", "bare-4", "bare-5", "bare-6", "bare-7", "bare-8"]);
    for folder in ["bare-0", "bare-1", "bare-custom"] {
        let (status, why) = status(&context, SEED, folder);
        assert_eq!(status, "invalid", "{folder}");
        assert!(why.contains("no description"), "{why}");
    }
}

#[test]
fn fields_of_the_skill_are_read_and_others_are_kept() {
    let context = TestContext::new();
    context.tree(
        "//- project/.omp/skills/all/SKILL.md
---
description: d
globs: [\"*.rs\"]
alwaysApply: true
team: platform
enabled: false
hide: true
disable-model-invocation: true
---
",
    );
    let shown = json(&context, &["show", "all", "--host", SEED, "--json"]);
    let skill = &shown["skill"];
    assert_eq!(skill["globs"][0], "*.rs", "{shown:#}");
    assert_eq!(skill["always_apply"], true, "{shown:#}");
    assert_eq!(skill["unknown"]["team"], "platform", "{shown:#}");
    let listed = list(&context, SEED);
    assert_eq!(listed["skills"][0]["model"], true, "later editions have these controls, this one has not");
}

#[test]
fn without_skills_there_are_none() {
    let context = everywhere("skills:\n  enabled: false\n  customDirectories: [\"{root}/custom\"]");
    context.tree(&skill("custom/mine", "mine", "d"));
    assert!(active(&context, SEED).is_empty());
    let (status, why) = status(&context, SEED, "custom/mine");
    assert_eq!(status, "disabled");
    assert!(why.contains("`enabled`") && why.contains("config.yml"), "{why}");
}

#[test]
fn providers_come_in_their_order() {
    for taken in 0..PROVIDERS.len() {
        let context = everywhere("");
        for (root, _) in &PROVIDERS[..taken] {
            fs_err::remove_dir_all(context.root().join(root).join("same")).unwrap();
        }
        assert_eq!(winner(&context, SEED, "same").as_deref(), Some(PROVIDERS[taken].0));
    }
    let context = everywhere("");
    let own: Vec<String> = (0..PROVIDERS.len()).map(|index| format!("own-{index}")).collect();
    assert_eq!(active(&context, SEED), [own, vec!["same".to_owned()]].concat());
    let (status, why) = status(&context, SEED, "home/.agents/skills/same");
    assert_eq!(status, "shadowed");
    assert!(!why.is_empty());
}

#[test]
fn places_that_the_blueprint_does_not_name_are_not_read() {
    let context = TestContext::new();
    let elsewhere = [
        "project/.agents/skills",
        "project/.opencode/skills",
        "home/.config/opencode/skills",
        "project/.github/skills",
        "home/.omp/agent/managed-skills",
        "home/.omp/skills",
    ];
    for (index, root) in elsewhere.iter().enumerate() {
        context.tree(&skill(&format!("{root}/s{index}"), &format!("s{index}"), "d"));
    }
    context.tree(&skill("project/.omp/skills/above", "above", "d"));
    context.tree("//- project/sub/keep\n");
    assert_eq!(active(&context, SEED), ["above"]);
    let below = json(&context, &["list", "--host", SEED, "--project", "sub", "--json"]);
    assert!(field(&below["skills"], "name").is_empty(), "folders above cwd are not walked");
}

#[test]
fn each_switch_turns_its_source_off() {
    let switches = [
        ("enablePiProject", &[0][..]),
        ("enablePiUser", &[1][..]),
        ("enableClaudeUser", &[2][..]),
        ("enableClaudeProject", &[3][..]),
        ("enableCodexUser", &[7][..]),
    ];
    for (switch, off) in switches {
        let context = everywhere(&format!("skills:\n  {switch}: false"));
        let names = active(&context, SEED);
        for index in 0..PROVIDERS.len() {
            assert_eq!(!names.contains(&format!("own-{index}")), off.contains(&index), "{switch} own-{index}");
        }
    }
}

#[test]
fn other_sources_are_on_if_any_switch_is() {
    let keys = ["enableCodexUser", "enableClaudeUser", "enableClaudeProject", "enablePiUser", "enablePiProject"];
    let settings = |on: Option<&str>| {
        let lines = keys.map(|key| format!("  {key}: {}", on == Some(key)));
        format!("skills:\n{}", lines.join("\n"))
    };
    assert!(active(&everywhere(&settings(None)), SEED).is_empty());
    for key in keys {
        let names = active(&everywhere(&settings(Some(key))), SEED);
        for other in ["own-4", "own-5", "own-6", "own-8"] {
            assert!(names.contains(&other.to_owned()), "{key}: {other} of {names:?}");
        }
    }
}

#[test]
fn what_is_off_hides_nothing() {
    let context = everywhere("skills:\n  enablePiProject: false\n  enablePiUser: false\n  enableClaudeUser: false");
    assert_eq!(winner(&context, SEED, "same").as_deref(), Some("project/.claude/skills"));
    let (status, why) = status(&context, SEED, "project/.omp/skills/same");
    assert_eq!(status, "disabled");
    assert!(why.contains("native_project"), "{why}");
}

#[test]
fn patterns_exclude_and_then_include() {
    let ignored = everywhere("skills:\n  ignoredSkills: [\"own-[0-3]\", same]");
    assert_eq!(active(&ignored, SEED), ["own-4", "own-5", "own-6", "own-7", "own-8"]);
    let included = everywhere("skills:\n  includeSkills: [\"own-{1,2,3}\"]\n  ignoredSkills: [own-2]");
    assert_eq!(active(&included, SEED), ["own-1", "own-3"]);
    let (status, why) = status(&included, SEED, "own-2");
    assert_eq!(status, "disabled");
    assert!(why.contains("`own-2`") && why.contains("config.yml:3"), "the list and its line are named: {why}");
    let empty = everywhere("skills:\n  includeSkills: []");
    assert_eq!(active(&empty, SEED).len(), PROVIDERS.len() + 1, "an empty list includes everything");
}

#[test]
fn patterns_hold_for_custom_folders_too() {
    let settings = "skills:\n  customDirectories: [\"{root}/custom\"]\n  ignoredSkills: [\"mine-*\"]";
    let context = everywhere(settings);
    context.tree(&skill("custom/mine-1", "mine-1", "d"));
    context.tree(&skill("custom/other", "other", "d"));
    let names = active(&context, SEED);
    assert!(names.contains(&"other".to_owned()) && !names.contains(&"mine-1".to_owned()), "{names:?}");
}

#[test]
fn custom_folders_come_last_and_lose_names() {
    let context = everywhere("skills:\n  customDirectories: [\"{root}/custom\", \"{root}/more\"]");
    context.tree(&skill("custom/same", "same", "custom"));
    context.tree(&skill("custom/mine", "mine", "first"));
    context.tree(&skill("more/mine", "mine", "second"));
    assert_eq!(winner(&context, SEED, "same").as_deref(), Some("project/.omp/skills"));
    assert_eq!(winner(&context, SEED, "mine").as_deref(), Some("first"));
    assert_eq!(status(&context, SEED, "custom/same").0, "shadowed");
    assert_eq!(status(&context, SEED, "more/mine").0, "shadowed");
    assert_eq!(winner(&context, "omp", "same").as_deref(), Some("custom"), "in later editions they take names");
}

#[test]
fn a_file_that_links_lead_to_counts_once() {
    let context = TestContext::new();
    context.tree("//- project/.omp/skills/real/SKILL.md\n---\ndescription: d\n---\n");
    context.tree("//- project/.claude/skills/linked -> ../../.omp/skills/real\n");
    context.tree("//- project/.codex/skills/file/SKILL.md -> ../../../.omp/skills/real/SKILL.md\n");
    assert_eq!(active(&context, SEED), ["real"]);
    for folder in [".claude/skills/linked", ".codex/skills/file"] {
        let (status, why) = status(&context, SEED, folder);
        assert_eq!(status, "shadowed", "{folder}");
        assert!(why.contains("same file"), "{why}");
    }
}

#[test]
fn names_are_not_judged_and_texts_have_no_limit() {
    let context = TestContext::new();
    let long = "x".repeat(5_000);
    for (index, name) in ["a/b", "UPPER", "under_score", "other-than-folder", &"n".repeat(100)].iter().enumerate() {
        context.tree(&skill(&format!("project/.omp/skills/d{index}"), name, &long));
    }
    let answer = list(&context, SEED);
    assert_eq!(answer["skills"].as_array().unwrap().len(), 5);
    assert!(answer["skills"].as_array().unwrap().iter().all(|skill| skill["description"] == long.as_str()));
}

#[test]
fn the_model_gets_names_and_descriptions() {
    let context = TestContext::new();
    context.tree(&skill("project/.omp/skills/pdf", "pdf", "Fills in forms"));
    context.tree(&skill("project/.omp/skills/sql", "sql", "Reviews queries"));
    insta::assert_snapshot!(run(&context, &["prompt", "--host", SEED, "-q"]).stdout, @r"
    # Skills
    Each skill below has instructions for a kind of task. Before such a task, read `skill://NAME`.
    ## pdf
    Fills in forms
    ## sql
    Reviews queries
    ");
    insta::assert_snapshot!(run(&context, &["prompt", "--host", "omp", "-q"]).stdout, @r"
    Before a task that a skill is for, read `skill://NAME`.
    <skills>
    - pdf: Fills in forms
    - sql: Reviews queries
    </skills>
    ");
}

#[test]
fn the_user_calls_skills_unless_commands_are_off() {
    for host in [SEED, "omp"] {
        let context = everywhere("skills:\n  enableSkillCommands: false");
        let answer = list(&context, host);
        assert!(answer["skills"].as_array().unwrap().iter().all(|skill| skill["user"] == false), "{host}");
        let answer = list(&everywhere(""), host);
        assert!(answer["skills"].as_array().unwrap().iter().all(|skill| skill["user"] == true), "{host}");
    }
}

#[test]
fn settings_are_shown_with_file_and_line() {
    let context = everywhere("theme: dark\nskills:\n  ignoredSkills: [a, b]\ndisabledProviders: [codex]");
    let answer = json(&context, &["roots", "--host", "omp", "--json"]);
    let settings = answer["settings"].to_string();
    assert!(settings.contains("config.yml:3"), "{settings}");
    assert!(settings.contains("config.yml:4"), "{settings}");
}

#[test]
fn a_settings_file_that_is_not_yaml_is_reported_and_left_alone() {
    let context = everywhere("skills: {enabled: false");
    let file = context.root().join("home/.omp/agent/config.yml");
    let before = fs_err::read_to_string(&file).unwrap();
    let answer = list(&context, "omp");
    assert!(!answer["skills"].as_array().unwrap().is_empty(), "it is ignored");
    assert!(answer["problems"].to_string().contains("S0406"), "{:#}", answer["problems"]);
    assert_eq!(fs_err::read_to_string(&file).unwrap(), before);
}
