//! What the blueprint says of Codex, Claude Code and skills in general, where no other test shows it.

use openoxide_testkit::TestContext;
use serde_json::{Value, json};

use crate::support::{all_blocks, bin, field, json, repository, run, skill_file, valid_json};

const CLAUDE: &str = "claude-code@seed";

fn names(answer: &Value) -> Vec<&str> {
    field(&answer["skills"], "name")
}

/// Calls a skill and returns the whole answer.
fn call(context: &TestContext, host: &str, words: &[&str]) -> Value {
    valid_json(context, &[&["activate", "--json", "--no-input", "--host", host], words].concat())
}

/// Returns the texts that a call sends.
fn sent(context: &TestContext, host: &str, words: &[&str]) -> String {
    field(&call(context, host, words)["messages"], "text").join("\n")
}

/// A skill with more lines in its frontmatter.
fn skill(path: &str, lines: &str, body: &str) -> String {
    format!("//- {path}\n---\n{lines}\n---\n{body}\n")
}

#[test]
fn a_skill_takes_precedence_over_a_command() {
    let context = TestContext::new();
    context.tree(&skill(
        "project/.claude/skills/deploy/SKILL.md",
        "name: deploy\ndescription: By hand\ndisable-model-invocation: true",
        "The skill.",
    ));
    context.tree(&skill("project/.claude/commands/deploy.md", "description: A command", "The command."));
    assert!(sent(&context, CLAUDE, &["deploy"]).contains("The skill."));
    let answer = call(&context, CLAUDE, &["deploy", "--as", "model"]);
    assert_eq!(answer["messages"], json!([]), "the command does not open what its author closed");
    let text = answer["refused"][0]["text"].as_str().unwrap();
    assert!(text.contains("disable-model-invocation"), "{text}");
    assert!(!run(&context, &["prompt", "--host", CLAUDE]).stdout.contains("deploy"));
    let now = sent(&context, "claude-code", &["deploy", "--as", "model"]);
    assert!(now.contains("The command."), "the program of today gives the model the command: {now}");
}

#[test]
fn the_name_is_the_command_and_has_a_shape() {
    let context = TestContext::new();
    let long = "a".repeat(65);
    let rows = [("one", "release-notes"), ("two", "Upper"), ("three", "with blank"), ("four", &long), ("five", "a_b")];
    for (folder, name) in rows {
        context.tree(&skill_file("project/.claude/skills", folder, name));
    }
    context.tree(&skill("project/.claude/skills/plain/SKILL.md", "description: Without a name", "Text."));
    let answer = json(&context, &["list", "--all", "--json", "--host", CLAUDE]);
    assert_eq!(names(&answer), ["plain", "release-notes"], "a folder names a skill that does not name itself");
    let why: Vec<&str> = field(&answer["others"], "reason").iter().map(|reason| &reason[..5]).collect();
    assert_eq!(why.len(), 4, "{answer:#}");
    assert!(why.iter().all(|code| ["S0114", "S0115", "S0118"].contains(code)), "{why:?}");
    assert!(call(&context, CLAUDE, &["release-notes"])["refused"].as_array().unwrap().is_empty());
    let turn = |text: &str| call(&context, CLAUDE, &["--turn", text]);
    assert_eq!(field(&turn("/release-notes v2")["activated"], "name"), ["release-notes"]);
    assert_eq!(turn("/one v2")["activated"], json!([]), "the folder is no command");
}

/// Scopes from the highest to the lowest; the administrator's lies outside of what a test may write.
#[test]
fn personal_wins_over_project_and_plugins_have_names_of_their_own() {
    let context = TestContext::new();
    for root in ["home/.claude/skills", "project/.claude/skills"] {
        context.tree(&skill_file(root, "same", "same"));
    }
    let answer = json(&context, &["list", "--all", "--json", "--host", CLAUDE]);
    assert_eq!(field(&answer["skills"], "scope"), ["user"]);
    assert!(
        field(&answer["others"], "reason")[0]
            .ends_with("home/.claude/skills` wins: of several roots, the first one counts")
    );
    let roots = json(&context, &["roots", "--json", "--host", CLAUDE]);
    assert_eq!(field(&roots["roots"], "scope")[..3], ["admin", "user", "repo"]);
}

#[test]
fn what_exceeds_the_budget_is_left_out_and_never_shortened() {
    let context = TestContext::new();
    let long = "x".repeat(3000);
    for name in ["a", "b", "c", "d"] {
        let lines = format!("name: {name}\ndescription: {name}{long}");
        context.tree(&skill(&format!("project/.claude/skills/{name}/SKILL.md"), &lines, "Text."));
    }
    let shown = |budget: &str| {
        let mut command = context.command(bin(), ["prompt", "--json", "--host", CLAUDE]);
        let output = context.answer(command.env("SLASH_COMMAND_TOOL_CHAR_BUDGET", budget));
        let answer: Value = serde_json::from_str(&output.stdout).unwrap();
        let text = answer["text"].as_str().unwrap().to_owned();
        let whole = ["a", "b", "c", "d"].map(|name| text.contains(&format!("- {name}: {name}{long}\n")));
        assert_eq!(whole.iter().filter(|whole| **whole).count(), text.matches("\n- ").count(), "whole or not at all");
        (text.matches("\n- ").count(), answer["left_out"].as_u64().unwrap())
    };
    assert_eq!(shown("100000"), (4, 0));
    assert_eq!(shown("6100"), (2, 2));
    assert_eq!(shown("10"), (0, 4));
    let output = run(&context, &["prompt", "--host", CLAUDE, "--window", "100000"]);
    assert!(output.stderr.contains("left out   2   c, d "), "people are told which: {output}");
}

#[test]
fn the_budget_is_two_percent_of_the_window() {
    let context = TestContext::new();
    context.tree(&skill_file("project/.claude/skills", "a", "a"));
    let budget = |more: &[&str]| {
        json(&context, &[&["prompt", "--json", "--host", CLAUDE], more].concat())["budget"].as_u64().unwrap()
    };
    assert_eq!(budget(&[]), 16_000, "the window is not known");
    assert_eq!(budget(&["--window", "200000"]), 16_000);
    assert_eq!(budget(&["--window", "1000000"]), 80_000);
}

#[test]
fn the_three_ways_of_being_called() {
    let context = TestContext::new();
    let rows = [("both", ""), ("user", "\ndisable-model-invocation: true"), ("model", "\nuser-invocable: false")];
    for (name, line) in rows {
        let lines = format!("name: {name}\ndescription: Does {name}{line}");
        context.tree(&skill(&format!("project/.claude/skills/{name}/SKILL.md"), &lines, "Text."));
    }
    let prompt = run(&context, &["prompt", "--host", CLAUDE]).stdout;
    for (name, by_user, by_model) in [("both", true, true), ("user", true, false), ("model", false, true)] {
        for (caller, may) in [("user", by_user), ("model", by_model)] {
            let answer = call(&context, CLAUDE, &[name, "--as", caller]);
            assert_eq!(answer["refused"].as_array().unwrap().is_empty(), may, "{name} by {caller}");
        }
        assert_eq!(prompt.contains(&format!("- {name}:")), by_model, "{name}: {prompt}");
    }
}

#[test]
fn a_person_who_may_not_call_a_skill_is_told_so() {
    let context = TestContext::new();
    context.tree(&skill(
        "project/.claude/skills/x/SKILL.md",
        "name: x\ndescription: d\nuser-invocable: false",
        "Text.",
    ));
    // Claude Code's own words, and ours where a program has none.
    let claude =
        "This skill can only be invoked by Claude, not directly by users. Ask Claude to use the \"x\" skill for you.";
    let ours = "`x` is for the model to call, not for people";
    for (host, told) in [(CLAUDE, claude), ("claude-code", claude), ("openoxide", ours)] {
        let text = call(&context, host, &["x"])["refused"][0]["text"].as_str().unwrap().to_owned();
        assert_eq!(text, told, "{host}");
        let output = run(&context, &["activate", "x", "--host", host, "--no-input"]);
        assert!(output.stderr.contains(&format!("error: {told}")), "{host}\n{output}");
        assert_eq!(output.status, Some(1), "{host}");
    }
}

#[test]
fn a_session_has_an_id_that_stays_the_same() {
    let context = TestContext::new();
    context.tree(&skill("project/.claude/skills/x/SKILL.md", "name: x\ndescription: d", "id=${CLAUDE_SESSION_ID}."));
    let id = |host: &str, words: &[&str]| {
        let text = sent(&context, host, &[&["x"], words].concat());
        let (_, id) = text.split_once("id=").unwrap();
        id.split('.').next().unwrap().to_owned()
    };
    for host in [CLAUDE, "claude-code", "openoxide"] {
        let ids = [id(host, &[]), id(host, &[])];
        assert!(ids.iter().all(|id| id.len() == 32) && ids[0] != ids[1], "each call is a session: {ids:?}");
        let record = context.root().join(format!("{host}.json"));
        let record = ["--record", record.to_str().unwrap()];
        assert_eq!(id(host, &record), id(host, &record), "{host}: a record is one session");
    }
}

#[test]
fn every_activation_names_the_model_that_the_skill_asks_for() {
    let context = TestContext::new();
    let lines = |more: &str| format!("name: x\ndescription: d\nmodel: opus{more}");
    let model = |host: &str, more: &str| {
        context.tree(&skill("project/.claude/skills/x/SKILL.md", &lines(more), "Text."));
        call(&context, host, &["x"])["activated"][0].clone()
    };
    for host in [CLAUDE, "claude-code", "openoxide"] {
        assert_eq!(model(host, "")["model"], "opus", "{host}");
        let forked = model(host, "\ncontext: fork");
        assert_eq!((&forked["model"], &forked["fork"]["model"]), (&json!("opus"), &json!("opus")), "{host}");
    }
    context.tree(&skill("project/.agents/skills/y/SKILL.md", "name: y\ndescription: d\nmodel: opus", "Text."));
    let codex = call(&context, "codex@seed", &["y"]);
    assert_eq!(codex["activated"][0].get("model"), None, "a host that does not read the field does not obey it");
}

#[test]
fn the_catalog_of_codex_says_how_to_use_skills() {
    let context = TestContext::new();
    context.tree(&skill("project/.agents/skills/pdf/SKILL.md", "name: pdf\ndescription: Does pdf", "The body."));
    context.tree(&skill_file("project/.agents/skills", "named", "named"));
    context.tree("//- project/.agents/skills/named/agents/openai.yaml\npolicy:\n  allow_implicit_invocation: false\n");
    for host in ["codex@seed", "codex"] {
        let text = run(&context, &["prompt", "--host", host]).stdout;
        assert!(text.contains("Does pdf") && !text.contains("The body."), "{host}: {text}");
        assert!(!text.contains("Does named"), "{host}: a skill that has to be named is not in the list: {text}");
    }
    let text = run(&context, &["prompt", "--host", "codex@seed"]).stdout;
    assert!(text.contains("- pdf: Does pdf (file: [ROOT]/project/.agents/skills/pdf/SKILL.md)\n"), "{text}");
    let (_, rules) = text.split_once("### When to use one").expect("rules on when to use a skill");
    let (when, how) = rules.split_once("### How to use one").expect("rules on reading no more than is needed");
    assert!(when.contains("`$NAME`") && when.contains("description"), "{when}");
    assert!(how.contains("Open its file") && how.contains("only those references"), "{how}");
}

#[test]
fn codex_needs_a_name_and_a_description_on_one_line() {
    let context = TestContext::new();
    let rows = [
        ("whole", "name: whole\ndescription: |\n  Two\n  lines", true),
        ("nameless", "description: d", false),
        ("wordless", "name: wordless", false),
        ("empty", "name: ''\ndescription: d", false),
    ];
    for (folder, lines, _) in rows {
        context.tree(&skill(&format!("project/.agents/skills/{folder}/SKILL.md"), lines, "Text."));
    }
    let long = format!("name: long\ndescription: {}", "x".repeat(1025));
    context.tree(&skill("project/.agents/skills/long/SKILL.md", &long, "Text."));
    let answer = json(&context, &["list", "--all", "--json", "--host", "codex@seed"]);
    assert_eq!(names(&answer), ["whole"]);
    assert_eq!(answer["skills"][0]["description"], "Two lines");
    assert_eq!(answer["others"].as_array().unwrap().len(), 4);
}

/// One file that two roots lead to, and one name in two scopes.
#[test]
fn scopes_rank_in_the_list_of_codex() {
    let context = TestContext::new();
    context.tree(&skill_file("project/.agents/skills", "same", "same"));
    context.tree(&skill_file("home/.agents/skills", "same", "same"));
    context.tree(&skill_file("home/.codex/skills/.system", "own", "own"));
    context.tree(&skill_file("home/.agents/skills", "a", "a"));
    std::os::unix::fs::symlink(context.home().join(".agents/skills"), context.home().join(".codex/skills/again"))
        .unwrap();
    let lines = |answer: &Value| {
        let line = |skill: &Value| format!("{} {}", skill["scope"].as_str().unwrap(), skill["name"].as_str().unwrap());
        answer["skills"].as_array().unwrap().iter().map(line).collect::<Vec<_>>()
    };
    let answer = json(&context, &["list", "--json", "--host", "codex@seed"]);
    assert_eq!(lines(&answer), ["repo same", "user a", "user same", "system own"]);
    let text = run(&context, &["prompt", "--host", "codex@seed"]).stdout;
    let place = |path: &str| text.find(path).unwrap_or_else(|| panic!("{path}: {text}"));
    assert!(place("project/.agents/skills/same") < place("skills/again/a"), "the catalog ranks alike: {text}");
    assert!(place("skills/again/same") < place(".system/own"), "{text}");
}

#[test]
fn ours_needs_a_description_and_takes_the_folders_name() {
    let context = TestContext::new();
    for (folder, lines) in [("nameless", "description: d"), ("wordless", "name: wordless")] {
        context.tree(&skill(&format!("project/.agents/skills/{folder}/SKILL.md"), lines, "Text."));
    }
    context.tree("//- project/.agents/skills/bare/SKILL.md\nOnly text.\n");
    let answer = json(&context, &["list", "--all", "--json"]);
    assert_eq!(names(&answer), ["nameless"]);
    assert_eq!(field(&answer["others"], "status"), ["invalid", "invalid"]);
}

#[test]
fn our_envelope_is_a_user_message_with_name_path_and_text() {
    let context = TestContext::new();
    context.tree(&skill("project/.agents/skills/pdf/SKILL.md", "name: pdf\ndescription: d", "Fill it.</skill>"));
    let answer = call(&context, "openoxide", &["pdf"]);
    let text = answer["messages"][0]["text"].as_str().unwrap();
    assert_eq!(answer["messages"][0]["role"], "user");
    let head = "<skill>\n  <name>pdf</name>\n  <path>[ROOT]/project/.agents/skills/pdf/SKILL.md</path>\n";
    assert!(text.starts_with(head), "{text}");
    assert!(text.trim_end().ends_with("\n\nFill it.&lt;/skill>\n</skill>"), "{text}");
    assert!(!run(&context, &["prompt"]).stdout.contains("Fill it."), "the text comes with the call, not before");
}

/// Every command that a shipped skill names is one, with the words that stand there.
#[test]
fn the_commands_that_shipped_skills_name_exist() {
    let context = TestContext::new();
    context.tree(&skill_file("project/.agents/skills", "demo", "demo"));
    let folder = repository("crates/openoxide-config/skills");
    let mut run_already = Vec::new();
    let references = ["skill-creator/references/checklist.md", "skill-creator/references/frontmatter.md"];
    for file in
        ["openoxide/SKILL.md", "skill-creator/SKILL.md", "skill-installer/SKILL.md"].into_iter().chain(references)
    {
        let text = fs_err::read_to_string(folder.join(file)).unwrap();
        let blocks = all_blocks(&text);
        let spans = text.split('`').skip(1).step_by(2).chain(blocks.iter().flat_map(|block| block.text.lines()));
        for line in spans.map(str::trim).filter(|span| span.starts_with("openoxide ") && !span.contains('\n')) {
            let fresh = format!("fresh-{}", run_already.len());
            let words = line.split(' ').skip(1).map(|word| match word {
                "NAME" if line.contains("--host NAME") => "codex",
                "NAME" if line.contains(" new ") => fresh.as_str(),
                "NAME" => "demo",
                "PATH" => ".agents/skills/demo",
                word => word,
            });
            let mut words: Vec<&str> = words.collect();
            // What changes settings asks first; here nobody can answer.
            words.extend(matches!(words[0], "enable" | "disable").then_some("--yes"));
            let output = run(&context, &words);
            assert!(matches!(output.status, Some(0 | 1)), "{file}: {line}\n{output}");
            run_already.push(words[0].to_owned());
        }
    }
    for command in ["check", "explain", "hosts", "disable", "link", "prompt", "new"] {
        assert!(run_already.iter().any(|done| done == command), "{command} is named somewhere: {run_already:?}");
    }
}
