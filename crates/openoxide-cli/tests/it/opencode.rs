//! The host `opencode`: its editions beside the current one, and what is deliberately done otherwise.

use std::ffi::OsStr;

use openoxide_testkit::TestContext;
use serde_json::Value;

use crate::support::{bin, field, padded, run, valid_json};

const NOW: &str = "opencode";
const FIRST: &str = "opencode@seed-001";
const SECOND: &str = "opencode@seed-002";

/// One skill of every root, all of one name.
const SAME: &str = "
//- project/.claude/skills/a/SKILL.md
---
name: same
description: Of the project for Claude Code
---
//- home/.claude/skills/a/SKILL.md
---
name: same
description: Of the user for Claude Code
---
//- home/.agents/skills/a/SKILL.md
---
name: same
description: Of the user for any agent
---
//- project/.agents/skills/a/SKILL.md
---
name: same
description: Of the project for any agent
---
";

fn tree(text: &str) -> TestContext {
    let context = padded();
    context.tree(text);
    context
}

fn list(context: &TestContext, host: &str) -> Value {
    valid_json(context, &["list", "--all", "--host", host, "--json"])
}

fn with(context: &TestContext, host: &str, name: &str, value: &str) -> Value {
    let mut command = context.command(bin(), ["list", "--all", "--host", host, "--json"]);
    serde_json::from_str(&context.answer(command.env(name, OsStr::new(value))).stdout).unwrap()
}

fn names(answer: &Value) -> Vec<&str> {
    field(&answer["skills"], "name")
}

/// Returns the codes by which skills are ignored, by their folders.
fn refused(answer: &Value) -> Vec<String> {
    let others = answer["others"].as_array().into_iter().flatten();
    let folder = |path: &str| path.rsplit('/').nth(1).unwrap_or_default().to_owned();
    let word = |other: &Value, key: &str| other[key].as_str().unwrap_or_default().split(':').next().unwrap().to_owned();
    let line = |other: &Value| {
        let path = other["path"].as_str().unwrap_or_default();
        format!("{} {} {}", folder(path), word(other, "status"), word(other, "reason"))
    };
    others.map(line).collect()
}

#[test]
fn the_later_root_wins_a_name() {
    let winner = |text: &str, host: &str| {
        let context = tree(text);
        let answer = list(&context, host);
        assert_eq!(names(&answer), ["same"], "{host}");
        let losers = refused(&answer);
        assert!(losers.iter().all(|loser| loser.contains("shadowed S0301")), "every loser is listed: {losers:?}");
        let reasons = field(&answer["others"], "reason");
        assert!(
            reasons.iter().all(|reason| reason.ends_with("wins: of several roots, the last one counts")),
            "{reasons:?}"
        );
        answer["skills"][0]["description"].as_str().unwrap().to_owned()
    };
    // The first edition searches the project before the user, and does not know `.agents`.
    assert_eq!(winner(SAME, FIRST), "Of the user for Claude Code");
    assert_eq!(winner(SAME, SECOND), "Of the project for any agent");
    assert_eq!(winner(SAME, NOW), "Of the project for any agent");
    let own = format!("{SAME}//- home/.config/opencode/skill/a/SKILL.md\n---\nname: same\ndescription: Its own\n---\n");
    for host in [FIRST, SECOND, NOW] {
        assert_eq!(winner(&own, host), "Its own");
    }
    let listed = format!(
        "{own}//- project/opencode.json\n{{\"skills\": {{\"paths\": [\"more\"]}}}}\n\
         //- project/more/a/SKILL.md\n---\nname: same\ndescription: From the settings\n---\n"
    );
    for host in [SECOND, NOW] {
        assert_eq!(winner(&listed, host), "From the settings");
    }
    assert_eq!(winner(&listed, FIRST), "Its own");
}

#[test]
fn roots_in_their_order() {
    let context = padded();
    context.tree("//- project/sub/\n//- .claude/skills/above/SKILL.md\n---\nname: above\ndescription: d\n---\n");
    let roots = |host: &str| {
        let mut command = context.command(bin(), ["roots", "--host", host, "--json"]);
        let output = context.answer(command.current_dir(context.project().join("sub")));
        let answer: Value = serde_json::from_str(&output.stdout).unwrap();
        let paths = field(&answer["roots"], "path").join("\n");
        paths.replace("[ROOT]/", "").replace(".config/opencode", "XDG")
    };
    // The walk ends at the top of the repository.
    insta::assert_snapshot!(roots(FIRST), @"
    project/sub/.claude/skills
    project/.claude/skills
    home/.claude/skills
    home/XDG/skill
    home/XDG/skills
    project/sub/.opencode/skill
    project/sub/.opencode/skills
    project/.opencode/skill
    project/.opencode/skills
    home/.opencode/skill
    home/.opencode/skills
    ");
    insta::assert_snapshot!(roots(SECOND), @"
    home/.claude/skills
    home/.agents/skills
    project/sub/.claude/skills
    project/sub/.agents/skills
    project/.claude/skills
    project/.agents/skills
    home/XDG/skill
    home/XDG/skills
    project/sub/.opencode/skill
    project/sub/.opencode/skills
    project/.opencode/skill
    project/.opencode/skills
    home/.opencode/skill
    home/.opencode/skills
    ");
    assert_eq!(roots(NOW), roots(SECOND));
}

#[test]
fn a_farther_folder_wins_over_a_nearer_one() {
    let context = tree(
        "
//- project/.opencode/skills/a/SKILL.md
---
name: same
description: Far
---
//- project/sub/.opencode/skills/a/SKILL.md
---
name: same
description: Near
---
",
    );
    for host in [FIRST, SECOND, NOW] {
        let mut command = context.command(bin(), ["list", "--host", host, "--json"]);
        let output = context.answer(command.current_dir(context.project().join("sub")));
        let answer: Value = serde_json::from_str(&output.stdout).unwrap();
        assert_eq!(field(&answer["skills"], "description"), ["Far"], "{host}");
    }
}

/// A skill in each place that only some editions look at, or that only some roots search.
const PLACES: &str = "
//- project/.claude/skills/.hidden/dot/SKILL.md
---
name: claude-hidden
description: d
---
//- project/.opencode/skills/.hidden/dot/SKILL.md
---
name: own-hidden
description: d
---
//- project/.opencode/skill/a/b/c/deep/SKILL.md
---
name: own-deep
description: d
---
//- project/.claude/skill/singular/SKILL.md
---
name: claude-singular
description: d
---
//- home/.agents/skills/agents/SKILL.md
---
name: agents
description: d
---
//- project/store/linked/SKILL.md
---
name: linked
description: d
---
//- project/.opencode/skills/link -> {root}/project/store/linked rooted
//- project/.opencode/skills/folder/SKILL.md/text.md
A folder, not a file.
//- home/.claude/skills/flat.md
---
name: flat
description: d
---
";

#[test]
fn places_that_are_searched() {
    let context = tree(PLACES);
    let sorted = |host: &str| {
        let answer = list(&context, host);
        let mut names: Vec<String> = names(&answer).into_iter().map(str::to_owned).collect();
        names.sort();
        names.join(" ")
    };
    assert_eq!(sorted(FIRST), "claude-hidden linked own-deep");
    assert_eq!(sorted(SECOND), "agents claude-hidden linked own-deep");
    assert_eq!(sorted(NOW), "agents claude-hidden linked own-deep");
    let answer = list(&context, NOW);
    let hidden: Vec<String> = refused(&answer).into_iter().filter(|line| line.starts_with("dot ")).collect();
    assert_eq!(hidden, ["dot invalid S0009"], "what is skipped is listed");
    let linked = answer["skills"].as_array().unwrap().iter().find(|skill| skill["name"] == "linked").unwrap();
    assert_eq!(linked["path"], "[ROOT]/project/.opencode/skills/link/SKILL.md", "the link is named, not its target");
}

#[test]
fn a_description_was_once_required() {
    let context = tree(
        "
//- project/.opencode/skills/bare/SKILL.md
---
name: bare
---
//- project/.opencode/skills/nameless/SKILL.md
---
description: d
---
//- project/.opencode/skills/empty/SKILL.md
---
name: empty
description: ''
---
//- project/.opencode/skills/good/SKILL.md
---
name: Any Name, unlike its folder
description: d
---
",
    );
    for host in [FIRST, SECOND] {
        let answer = list(&context, host);
        assert_eq!(names(&answer), ["Any Name, unlike its folder", "empty"], "{host}");
        assert_eq!(refused(&answer), ["bare invalid S0119", "nameless invalid S0112"], "{host}");
    }
    let answer = list(&context, NOW);
    assert_eq!(names(&answer), ["Any Name, unlike its folder", "bare", "empty"]);
    let seen: Vec<bool> = answer["skills"].as_array().unwrap().iter().map(|skill| skill["model"] == true).collect();
    assert_eq!(seen, [true, false, true], "the model sees what has a description, be it empty");
}

#[test]
fn values_with_colons_are_read() {
    let context = tree(
        "
//- project/.opencode/skills/address/SKILL.md
---
name: address
description: see http://a.b:80
---
//- project/.opencode/skills/broken/SKILL.md
---
name: broken
description: use when: asked
---
//- project/.opencode/skills/quoted/SKILL.md
---
name: quoted
description: 'use when: asked'
---
",
    );
    let shown = |host: &str| field(&list(&context, host)["skills"], "description").join("|");
    // The first edition made a block of every such value, and a block ends in a line end.
    assert_eq!(shown(FIRST), "see http://a.b:80\n|use when: asked\n|use when: asked");
    assert_eq!(shown(SECOND), "see http://a.b:80|use when: asked|use when: asked");
    assert_eq!(shown(NOW), "see http://a.b:80|use when: asked|use when: asked");
    let repaired = list(&context, FIRST);
    let codes: Vec<&str> = field(&repaired["problems"], "code");
    assert_eq!(
        codes.iter().filter(|code| **code == "S0106").count(),
        1,
        "what was valid is not called broken: {codes:?}"
    );
}

#[test]
fn one_bad_file_leaves_the_others() {
    let context = tree(
        "
//- project/.claude/skills/bad/SKILL.md
---
name: [
---
//- project/.claude/skills/none/SKILL.md
No frontmatter.
//- project/.claude/skills/good/SKILL.md
---
name: good
description: d
---
",
    );
    for host in [FIRST, SECOND, NOW] {
        let answer = list(&context, host);
        assert_eq!(names(&answer), ["good"], "{host}");
        assert_eq!(refused(&answer).len(), 2, "{host}: {answer}");
    }
}

#[test]
fn variables_switch_places_off() {
    let context = tree(SAME);
    let count = |host: &str, name: &str, value: &str| {
        let answer = with(&context, host, name, value);
        // What lies in a place that is off is listed as disabled.
        names(&answer).len() + refused(&answer).iter().filter(|line| !line.contains("disabled")).count()
    };
    assert_eq!(count(FIRST, "OPENCODE_DISABLE_CLAUDE_CODE_SKILLS", "true"), 0);
    assert_eq!(count(FIRST, "OPENCODE_DISABLE_CLAUDE_CODE_SKILLS", "no"), 2);
    assert_eq!(count(FIRST, "OPENCODE_DISABLE_EXTERNAL_SKILLS", "true"), 2, "the first edition does not know it");
    assert_eq!(count(NOW, "OPENCODE_DISABLE_CLAUDE_CODE_SKILLS", "true"), 2);
    assert_eq!(count(NOW, "OPENCODE_DISABLE_CLAUDE_CODE", "y"), 2);
    assert_eq!(count(NOW, "OPENCODE_DISABLE_EXTERNAL_SKILLS", "on"), 0);
    // The program does not start with such a value; here it is reported, and is ignored.
    let answer = with(&context, NOW, "OPENCODE_DISABLE_EXTERNAL_SKILLS", "Yes");
    assert_eq!(names(&answer).len() + refused(&answer).len(), 4);
    assert!(field(&answer["problems"], "code").contains(&"S0403"), "{}", answer["problems"]);
}

#[test]
fn denied_skills_are_kept_from_the_model() {
    let context = tree(
        "
//- project/.opencode/skills/review/SKILL.md
---
name: code-review
description: d
---
//- project/.opencode/skills/web/SKILL.md
---
name: deploy-web
description: d
---
//- home/.config/opencode/opencode.jsonc
{
  // by name
  \"permission\": {\"skill\": {\"code-review\": \"allow\", \"deploy-*\": \"deny\"}},
}
",
    );
    for host in [FIRST, SECOND, NOW] {
        let answer = list(&context, host);
        assert_eq!(names(&answer), ["code-review", "deploy-web"], "{host}: the user may still call both");
        let prompt = run(&context, &["prompt", "--host", host]).stdout;
        assert!(prompt.contains("code-review") && !prompt.contains("deploy-web"), "{host}: {prompt}");
        let note = answer["problems"].as_array().unwrap().iter().find(|problem| problem["code"] == "S0303").unwrap();
        let message = note["message"].as_str().unwrap();
        assert!(message.contains("`deploy-*`") && message.contains("/opencode.jsonc"), "{message}");
    }
}

/// What `opencode debug agent` of the program says about skills with these settings, agent by agent.
#[test]
fn each_agent_has_rules_of_its_own() {
    let context = tree(
        r#"
//- project/.opencode/skills/a/SKILL.md
---
name: a
description: d
---
//- project/.opencode/skills/b/SKILL.md
---
name: b
description: d
---
//- project/opencode.json
{"permission": {"skill": {"a": "deny"}},
 "agent": {"plan": {"permission": {"skill": {"b": "deny"}}}, "mine": {"permission": {"skill": {"a": "allow"}}},
           "old": {"tools": {"skill": false}}, "plain.one": {"description": "d"}}}
"#,
    );
    for host in [FIRST, SECOND, NOW] {
        let shown = |agent: &str| {
            let output = run(&context, &["prompt", "--json", "--host", host, "--agent", agent]);
            let answer: Value = serde_json::from_str(&output.stdout).unwrap_or_else(|_| panic!("{agent}: {output}"));
            field(&answer["shown"], "name").join(" ")
        };
        assert_eq!(field(&valid_json(&context, &["prompt", "--json", "--host", host])["shown"], "name"), ["b"]);
        let rows = [
            ("build", "b"),
            ("plan", ""),
            ("general", "b"),
            ("explore", ""),
            ("mine", "a b"),
            ("old", ""),
            ("plain.one", "b"),
        ];
        for (agent, names) in rows {
            assert_eq!(shown(agent), names, "{host} {agent}");
        }
    }
    let roots = run(&context, &["roots", "--json", "--host", NOW]).stdout;
    assert!(!roots.contains("\"description\""), "what an agent is made of is not shown: {roots}");
    let unknown = run(&context, &["list", "--host", NOW, "--agent", "mien"]);
    assert_eq!(unknown.status, Some(2), "{unknown}");
    assert!(unknown.stderr.contains("did you mean `mine`?") && unknown.stderr.contains("`explore`"), "{unknown}");
    let elsewhere = run(&context, &["list", "--host", "codex", "--agent", "mine"]);
    assert_eq!(elsewhere.status, Some(2), "agents are of one program: {elsewhere}");
    let plan = TestContext::new();
    plan.tree("//- home/.config/opencode/opencode.json\n{}\n//- home/.codex/config.toml\n");
    insta::assert_snapshot!(run(&plan, &["list", "--agent", "plan"]), @"
    status: 2
    ----- stdout -----
    ----- stderr -----
    error: there is no agent `plan`
    hint: name its host: `--host opencode`
    ");
    assert_eq!(run(&plan, &["list", "--agent", "plan", "--host", "opencode"]).status, Some(0));
}

#[test]
fn the_files_of_a_skill_are_readable_unless_a_rule_says_otherwise() {
    let skills = "
//- home/.config/opencode/skills/u/SKILL.md
---
name: u
description: d
---
//- home/.config/opencode/skills/u/notes.md
Notes of u.
//- project/.opencode/skills/p/SKILL.md
---
name: p
description: d
---
//- project/.opencode/skills/p/notes.md
Notes of p.
";
    let read = |context: &TestContext, skill: &str, more: &[&str]| {
        let words = [&["read", skill, "notes.md", "--host", NOW, "--no-input"], more].concat();
        run(context, &words)
    };
    let model = ["--as", "model"];
    let context = tree(skills);
    assert_eq!(read(&context, "u", &model).stdout, "Notes of u.\n", "a skill outside of the project, without rules");
    let rules = [
        (r#"{"external_directory": "deny"}"#, false),
        (r#"{"external_directory": {"~/.config/*": "deny"}}"#, false),
        (r#"{"external_directory": "ask"}"#, false),
        (r#"{"external_directory": {"*": "deny", "*/skills/u/*": "allow"}}"#, true),
        (r#"{"external_directory": {"/elsewhere/*": "deny"}}"#, true),
    ];
    for (rules, allowed) in rules {
        let context = tree(skills);
        context.tree(&format!("//- home/.config/opencode/opencode.json\n{{\"permission\": {rules}}}\n"));
        let output = read(&context, "u", &model);
        assert_eq!(output.stdout == "Notes of u.\n", allowed, "{rules}\n{output}");
        assert_eq!(read(&context, "u", &[]).stdout, "Notes of u.\n", "people may read what is theirs: {rules}");
        assert_eq!(read(&context, "p", &model).stdout, "Notes of p.\n", "the project is not outside: {rules}");
    }
}

/// Two skills, found in another order than their names have.
const TWO: &str = "
//- project/.opencode/skills/b/SKILL.md
---
name: alpha
description: First by name
---
//- project/.opencode/skills/a\\x20b/SKILL.md escaped
---
name: beta
description: Second <by> name
---
";

#[test]
fn the_catalog_of_each_edition() {
    let context = tree(TWO);
    let text = |host: &str| run(&context, &["prompt", "--host", host]).stdout;
    insta::assert_snapshot!(text(FIRST), @"Load a skill to get detailed instructions for a specific task. Skills provide specialized knowledge and step-by-step guidance. Use this when a task matches an available skill's description. <available_skills>   <skill>     <name>beta</name>     <description>Second <by> name</description>   </skill>   <skill>     <name>alpha</name>     <description>First by name</description>   </skill> </available_skills>");
    insta::assert_snapshot!(text(SECOND), @"
    Loads the instructions of a skill into the conversation.

    When a task fits one of the skills below, call this tool with its name.

    <available_skills>
      <skill>
        <name>beta</name>
        <description>Second <by> name</description>
        <location>file://[ROOT]/project/.opencode/skills/a%20b/SKILL.md</location>
      </skill>
      <skill>
        <name>alpha</name>
        <description>First by name</description>
        <location>file://[ROOT]/project/.opencode/skills/b/SKILL.md</location>
      </skill>
    </available_skills>
    ");
    insta::assert_snapshot!(text(NOW), @"
    Each skill below is a file of instructions for one kind of task.
    When a task fits a description, load that skill by its name with the skill tool.
    <available_skills>
      <skill>
        <name>alpha</name>
        <description>First by name</description>
        <location>[ROOT]/project/.opencode/skills/b/SKILL.md</location>
      </skill>
      <skill>
        <name>beta</name>
        <description>Second <by> name</description>
        <location>[ROOT]/project/.opencode/skills/a b/SKILL.md</location>
      </skill>
    </available_skills>
    ");
}

#[test]
fn where_the_catalog_stands_and_what_it_says_without_skills() {
    let answer = |host: &str| valid_json(&padded(), &["prompt", "--host", host, "--json"]);
    let pair = |host: &str| {
        let answer = answer(host);
        (answer["place"].as_str().unwrap().to_owned(), answer["text"].as_str().unwrap().to_owned())
    };
    for host in [FIRST, SECOND, NOW] {
        assert!(answer(host).get("budget").is_none(), "{host} has no limit");
    }
    let (place, text) = pair(FIRST);
    assert_eq!(place, "tool-description");
    assert_eq!(
        text,
        "Load a skill to get detailed instructions for a specific task. No skills are currently available.\n"
    );
    let (place, text) = pair(SECOND);
    assert_eq!((place.as_str(), text.is_empty()), ("tool-description", false));
    assert_eq!(pair(NOW), ("system-prompt".to_owned(), String::new()));
}

#[test]
fn broken_settings_are_reported_and_do_not_count() {
    let context = tree(SAME);
    context.tree(
        "//- project/opencode.json\n{\"skills\": \n//- home/.opencode/opencode.json\n{\"skills\": {\"paths\": 5}}\n",
    );
    let answer = with(&context, NOW, "OPENCODE_CONFIG_CONTENT", "{\"skills\":");
    assert_eq!(names(&answer), ["same"]);
    let problems = field(&answer["problems"], "message").join("\n");
    assert!(problems.contains("not valid JSON"), "{problems}");
    assert!(problems.contains("`$OPENCODE_CONFIG_CONTENT` is not valid JSON"), "{problems}");
    assert!(problems.contains("the setting `paths` must be a list"), "{problems}");
}

#[test]
fn nothing_is_run_and_no_circle_is_walked() {
    let context = tree(
        "
//- project/.opencode/skills/script/SKILL.md
---js
({ name: require('fs').writeFileSync('ran', 'x') || 'script', description: 'd' })
---
//- project/.opencode/skills/round/SKILL.md
---
name: round
description: d
---
//- project/.opencode/skills/round/again -> ..
",
    );
    let answer = list(&context, NOW);
    assert_eq!(names(&answer), ["round"]);
    assert!(refused(&answer).contains(&"script invalid S0100".to_owned()), "{:?}", refused(&answer));
    assert!(!context.project().join("ran").exists());
}
