//! `openoxide` alone: your agents, what is active in each, and what to fix.

use std::ffi::OsString;
use std::process::Command;

use openoxide_testkit::{Output, TestContext};
use serde_json::Value;
use unicode_width::UnicodeWidthStr as _;

use crate::support::{LOOKS, bin, field, furnished, json, padded, run, skill_file, snapshot_of};

/// Four agents, found by their programs, and eight defects, most of which have one command that fixes it.
fn defects() -> TestContext {
    let context = padded();
    context.tree(
        "
//- bin/claude exec
//- bin/codex exec
//- bin/copilot exec
//- bin/opencode exec
//- project/.agents/skills/spelled/skill.md
---
name: spelled
description: The file's name is in small letters
---
//- project/.agents/skills/marked/SKILL.md bom
---
name: marked
description: A byte-order mark comes first
---
//- project/.agents/skills/nameless/SKILL.md
---
description: It has no name
---
//- project/.agents/skills/colon/SKILL.md
---
name: colon
description: Fill forms: flatten them too
---
//- project/.agents/skills/deploy/SKILL.md
---
name: deploy
description: Ship this service
---
//- home/.agents/skills/deploy/SKILL.md
---
name: deploy
description: Ship as I always do
---
//- project/.claude/skills/release-notes/SKILL.md
---
name: release-notes
description: Only Claude Code and its like look here
---
//- home/.agents/skills/sql-review/SKILL.md
---
name: sql-review
description: Review a migration
---
//- home/.agents/skills/i18n/SKILL.md
---
name: i18n
description: Switched off
---
//- home/.openoxide/config.toml
[[skills.config]]
name = \"i18n\"
enabled = false
",
    );
    context
}

/// Returns a `PATH` with the programs of the context before the system's, and the binary under test as `openoxide`.
fn path(context: &TestContext) -> OsString {
    let own = bin().parent().unwrap();
    std::env::join_paths([&context.root().join("bin"), own, "/usr/bin".as_ref(), "/bin".as_ref()]).unwrap()
}

fn overview(context: &TestContext, args: &[&str]) -> Output {
    context.answer(context.command(bin(), args).env("COLUMNS", "80").env("PATH", path(context)))
}

fn answer(context: &TestContext) -> Value {
    let output = overview(context, &["--json"]);
    serde_json::from_str(&output.stdout).unwrap_or_else(|error| panic!("{error}\n{output}"))
}

/// Runs what is suggested as it is printed.
fn shell(context: &TestContext, command: &str) -> Output {
    // A person is asked before settings are written; here nobody can answer.
    let yes = if command.starts_with("openoxide enable") { " --yes" } else { "" };
    let command = &format!("{command}{yes}");
    let mut shell: Command = context.command("/bin/sh".as_ref(), ["-c", command]);
    context.answer(shell.env("PATH", path(context)).env("COLUMNS", "80"))
}

/// Returns what is to fix, each with its subject, agents and command.
fn fix(context: &TestContext) -> Vec<Value> {
    answer(context)["to_fix"].as_array().unwrap().clone()
}

/// Two lines are about the same defect if code, subject and agents are the same.
fn same(left: &Value, right: &Value) -> bool {
    ["subject", "code", "agents", "text"].iter().all(|key| left[key] == right[key])
}

#[test]
fn at_a_glance() {
    let context = defects();
    let before = snapshot_of(context.root());
    insta::assert_snapshot!(overview(&context, &[]), @"
    status: 0
    ----- stdout -----
    project: 8 skills in 3 folders; 4 agents found

      agent        active  name only  ignored  catalog
      Claude Code       1          0        0  6.3k of 8.0k characters (200k window)
      Codex             6          0        2  117 of 5.4k tokens (272k window)
      Copilot CLI       5          0        4  1.3k characters, no limit
      OpenCode          6          0        3  1.6k characters, no limit

    To fix
      1. 5 skills are in .agents/skills (3) and ~/.agents/skills (2), where Claude
         Code does not look
         openoxide link --all --into claude-code
      2. spelled: Codex, Copilot CLI and OpenCode drop it, because the file is
         called `skill.md`, not `SKILL.md`
         openoxide check --fix --rename .agents/skills/spelled
      3. nameless: Copilot CLI and OpenCode drop it, because the frontmatter has no
         `name`
         openoxide check --fix .agents/skills/nameless
      4. deploy: Copilot CLI and OpenCode ignore ~/.agents/skills/deploy, because
         another skill has this name
         openoxide explain deploy
      5. colon: Copilot CLI drops it, because a value needs quotes
         openoxide check --fix .agents/skills/colon
      6. marked: Codex drops it, because the file begins with a byte-order mark, so
         its frontmatter is not recognized
         openoxide check --fix .agents/skills/marked
      7. release-notes is in .claude/skills, where Codex does not look
         openoxide link release-notes --into codex
    ----- stderr -----
    ");
    assert_eq!(snapshot_of(context.root()), before, "looking never writes");
}

/// The promise of the page: each command, as printed, fixes its line, and in the end nothing is left that can be fixed.
#[test]
fn every_command_fixes_what_it_stands_below() {
    let context = defects();
    let first = fix(&context);
    assert_eq!(first.iter().filter(|line| line["fixes"] == true).count(), 6, "{first:#?}");
    let mut fixed = 0;
    while let Some(line) = fix(&context).into_iter().find(|line| line["fixes"] == true) {
        let command = line["command"].as_str().unwrap();
        assert!(overview(&context, &[]).stdout.contains(&format!("  {command}\n")), "{command} is not what is printed");
        let output = shell(&context, command);
        assert_eq!(output.status, Some(0), "{command}\n{output}");
        let left = fix(&context);
        assert!(!left.iter().any(|other| same(other, &line)), "{command} did not fix {line:#}\n{output}");
        fixed += 1;
        assert!(fixed < 20, "there is no end to it: {left:#?}");
    }
    insta::assert_snapshot!(overview(&context, &[]), @"
    status: 0
    ----- stdout -----
    project: 9 skills in 5 folders; 4 agents found

      agent        active  name only  ignored  catalog
      Claude Code       7          0        0  6.5k of 8.0k characters (200k window)
      Codex             9          0        0  208 of 5.4k tokens (272k window)
      Copilot CLI       8          0        1  2.0k characters, no limit
      OpenCode          8          0        2  2.1k characters, no limit

    To fix
      1. deploy: Copilot CLI and OpenCode ignore ~/.agents/skills/deploy, because
         another skill has this name
         openoxide explain deploy
    ----- stderr -----
    ");
}

/// The same, each alone on the fresh tree: no command needs another one to be run before it.
#[test]
fn every_command_works_alone() {
    let lines = fix(&defects());
    for line in lines.iter().filter(|line| line["fixes"] == true) {
        let context = defects();
        let command = line["command"].as_str().unwrap();
        let output = shell(&context, command);
        assert_eq!(output.status, Some(0), "{command}\n{output}");
        let left = fix(&context);
        assert!(!left.iter().any(|other| same(other, line)), "{command} did not fix {line:#}\n{output}");
        let others = lines.iter().filter(|other| !same(other, line) && other["code"].is_string());
        for other in others {
            assert!(left.iter().any(|now| now["code"] == other["code"]), "{command} also changed {other:#}\n{left:#?}");
        }
    }
}

#[test]
fn json_answers_its_schema() {
    let schema = json(&TestContext::new(), &["schema", "overview"]);
    let validator = jsonschema::validator_for(&schema).unwrap();
    for context in [defects(), furnished(), TestContext::new()] {
        let answer = answer(&context);
        let errors: Vec<String> =
            validator.iter_errors(&answer).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert!(errors.is_empty(), "{errors:#?}\n{answer:#}");
    }
    let answer = answer(&defects());
    let agents = answer["agents"].as_array().unwrap();
    let names: Vec<&str> = agents.iter().map(|agent| agent["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["claude-code", "codex", "copilot-cli", "opencode"]);
    assert_eq!(agents[1]["found"][0], "[ROOT]/bin/codex");
    assert_eq!((&answer["skills"], answer["hosts"].as_array().unwrap().len()), (&Value::from(8), 17));
}

#[test]
fn nothing_to_see() {
    let context = TestContext::new();
    insta::assert_snapshot!(run(&context, &[]), @"
    status: 0
    ----- stdout -----
    project: no skills; no agents found

      agent      active  name only  ignored  catalog
      OpenOxide       0          0        0  0 of 16.0k characters

      No agent was found, so OpenOxide's own rules apply. Agents that it knows:
      agentskills, claude-code, codex, copilot-cli, crush, gemini-cli, goose, omp,
      opencode, openoxide, pepper, pi, qwen-code, remcochat, roo, vscode, zed.
      `openoxide config set my_agents '[\"NAME\"]'` names yours.
    ----- stderr -----
    hint: `openoxide new NAME` makes a skill, `openoxide roots` shows where they are looked for
    ");
    context.tree("//- project/.claude/\n");
    insta::assert_snapshot!(run(&context, &[]), @"
    status: 0
    ----- stdout -----
    project: no skills; 1 agent found

      agent        active  name only  ignored  catalog
      Claude Code       0          0        0  6.2k of 8.0k characters (200k window)
    ----- stderr -----
    hint: `openoxide new NAME` makes a skill, `openoxide roots` shows where they are looked for
    ");
    context.tree(&skill_file("project/.claude/skills", "notes", "notes"));
    insta::assert_snapshot!(run(&context, &[]), @"
    status: 0
    ----- stdout -----
    project: 1 skill in 1 folder; 1 agent found

      agent        active  name only  ignored  catalog
      Claude Code       1          0        0  6.2k of 8.0k characters (200k window)
    ----- stderr -----

    nothing to fix
    ");
}

/// Without an agent it is still worth knowing what nobody could use.
#[test]
fn no_agents() {
    let context = TestContext::new();
    context.tree(&skill_file("project/.agents/skills", "good", "good"));
    insta::assert_snapshot!(run(&context, &[]), @"
    status: 0
    ----- stdout -----
    project: 1 skill in 1 folder; no agents found

      agent      active  name only  ignored  catalog
      OpenOxide       1          0        0  78 of 16.0k characters

      No agent was found, so OpenOxide's own rules apply. Agents that it knows:
      agentskills, claude-code, codex, copilot-cli, crush, gemini-cli, goose, omp,
      opencode, openoxide, pepper, pi, qwen-code, remcochat, roo, vscode, zed.
      `openoxide config set my_agents '[\"NAME\"]'` names yours.
    ----- stderr -----

    nothing to fix
    ");
    context.tree("//- project/.agents/skills/bad/SKILL.md\nno frontmatter\n");
    insta::assert_snapshot!(run(&context, &[]), @"
    status: 0
    ----- stdout -----
    project: 1 skill in 1 folder; no agents found

      agent      active  name only  ignored  catalog
      OpenOxide       1          0        1  78 of 16.0k characters

      No agent was found, so OpenOxide's own rules apply. Agents that it knows:
      agentskills, claude-code, codex, copilot-cli, crush, gemini-cli, goose, omp,
      opencode, openoxide, pepper, pi, qwen-code, remcochat, roo, vscode, zed.
      `openoxide config set my_agents '[\"NAME\"]'` names yours.

    To fix
      1. bad: OpenOxide drops it, because the file does not begin with frontmatter
         openoxide check .agents/skills/bad
    ----- stderr -----
    ");
}

#[test]
fn settings_that_cannot_be_read() {
    let context = TestContext::new();
    context.tree(&skill_file("project/.claude/skills", "notes", "notes"));
    context.tree("//- home/.openoxide/config.toml\nhost = [\n//- home/.claude/settings.json\n{\n");
    insta::assert_snapshot!(run(&context, &[]), @"
    status: 0
    ----- stdout -----
    project: 1 skill in 1 folder; 1 agent found

      agent        active  name only  ignored  catalog
      Claude Code       1          0        0  6.2k of 8.0k characters (200k window)

    To fix
      1. Claude Code: ~/.claude/settings.json: the file is not valid JSON: EOF while
         parsing an object at line 2 column 0
         openoxide roots --host claude-code
    ----- stderr -----
    warning: ~/.openoxide/config.toml:1: the file is not valid TOML: unclosed array, expected `]` [S0401]; fix the file; until then no skill is activated
    ");
    assert_eq!(run(&context, &["--json"]).status, Some(0));
    let context = TestContext::new();
    context.tree("//- home/.openoxide/hosts/acme/host.toml\ntitle = 1\n");
    let output = run(&context, &[]);
    assert_eq!(output.status, Some(0), "{output}");
    assert!(output.stderr.contains("the host is not usable"), "{output}");
}

#[test]
fn quiet_keeps_the_data() {
    let context = defects();
    let (loud, quiet) = (overview(&context, &[]), overview(&context, &["--quiet"]));
    assert_eq!((quiet.stdout, quiet.stderr.as_str()), (loud.stdout, ""));
}

/// More than fit on a page are counted, and `-v` shows them.
#[test]
fn many_lines_are_counted() {
    let context = TestContext::new();
    context.tree("//- project/.gemini/\n//- project/.agents/skills/s{i}/skill.md repeat=11\n---\nname: s{i}\ndescription: x\n---\n");
    let output = run(&context, &[]);
    assert!(output.stdout.contains("\n  8. s007") && !output.stdout.contains("s008"), "{output}");
    assert!(output.stdout.ends_with("     and 3 more: openoxide -v\n"), "{output}");
    let output = run(&context, &["-v"]);
    assert!(output.stdout.contains("\n 11. s010") && !output.stdout.contains(" more: "), "{output}");
}

/// Suggestions are typed in the shell that asked, with the options it asked with.
#[test]
fn commands_keep_what_was_asked_for() {
    let context = defects();
    context.tree("//- project/sub/\n");
    let run_in = |dir: &str, command: &str| {
        let mut shell = context.command("/bin/sh".as_ref(), ["-c", command]);
        context.answer(shell.env("PATH", path(&context)).current_dir(context.root().join(dir)))
    };
    let fix = |dir: &str, asked: &str| -> String {
        let output = run_in(dir, asked);
        let answer: Value = serde_json::from_str(&output.stdout).unwrap_or_else(|error| panic!("{error}\n{output}"));
        let problems = answer["to_fix"].as_array().unwrap();
        problems.iter().find(|line| line["subject"] == "spelled").unwrap()["command"].as_str().unwrap().to_owned()
    };
    let expected = [
        ("project", "openoxide --json", "openoxide check --fix --rename .agents/skills/spelled"),
        ("project/sub", "openoxide --json", "openoxide check --fix --rename ../.agents/skills/spelled"),
        (
            ".",
            "openoxide --project project --json",
            "openoxide check --fix --rename .agents/skills/spelled --project project",
        ),
    ];
    for (dir, asked, command) in expected {
        assert_eq!(fix(dir, asked), command, "in {dir}");
        let output = run_in(dir, &command.replace(" --fix --rename", ""));
        assert_eq!(output.status, Some(1), "{command}\n{output}");
        assert!(output.stdout.contains("error[S0008]"), "{command}\n{output}");
    }
}

/// The same holds for what is said below the tables.
#[test]
fn the_next_step_keeps_what_was_asked_for() {
    let from_outside = |context: &TestContext, args: &[&str]| {
        let mut command = context.command(bin(), ["--project", "project"]);
        context.answer(command.args(args).env("COLUMNS", "80").current_dir(context.root()))
    };
    let context = TestContext::new();
    let output = from_outside(&context, &["--host", "zed"]);
    let expected = "hint: `openoxide new NAME --project project` makes a skill, \
                    `openoxide roots --project project --host zed` shows where they are looked for\n";
    assert_eq!(output.stderr, expected);
    context.tree("//- project/.agents/skills/s{i}/skill.md repeat=11\n---\nname: s{i}\ndescription: x\n---\n");
    context.tree("//- project/.gemini/\n");
    let output = from_outside(&context, &["--config", "skills.claude=false"]);
    let more = "     and 3 more: openoxide -v --project project --config skills.claude=false\n";
    assert!(output.stdout.ends_with(more), "{output}");
}

/// One of many that the agent would drop: it is fixed first, and the others are linked by a command that succeeds.
#[test]
fn what_would_be_dropped_is_not_among_those_to_link() {
    let tree = || {
        let context = padded();
        context.tree("//- project/.roo/rules.md\n");
        for name in ["a", "b", "c"] {
            context.tree(&skill_file("project/.agents/skills", name, name));
        }
        context.tree("//- project/.agents/skills/forms/SKILL.md\n---\nname: forms\ndescription: Fill: them\n---\n");
        context
    };
    let context = tree();
    let lines = fix(&context);
    let told: Vec<(&str, &str)> =
        lines.iter().map(|line| (line["subject"].as_str().unwrap(), line["command"].as_str().unwrap())).collect();
    let all = "openoxide link --all --into roo";
    assert_eq!(told, [("3 skills", all), ("forms", "openoxide check --fix .agents/skills/forms")]);
    assert!(lines.iter().all(|line| line["fixes"] == true), "{lines:#?}");
    for line in &lines {
        let context = tree();
        let output = shell(&context, line["command"].as_str().unwrap());
        assert_eq!(output.status, Some(0), "{output}");
        assert!(!fix(&context).iter().any(|other| same(other, line)), "{output}");
    }
    while let Some(line) = fix(&context).first() {
        let output = shell(&context, line["command"].as_str().unwrap());
        assert_eq!(output.status, Some(0), "{output}");
    }
    assert_eq!(answer(&context)["agents"][0]["active"], 4, "{:#}", answer(&context));
}

/// Names and folders that a shell, a terminal or nobody can take as they are.
#[test]
fn odd_names_are_typed_so_that_they_work() {
    let context = TestContext::new();
    context.tree("//- project/.codex/\n");
    for (at, folder) in [r"it's\x20two", r"$(touch\x20x)", "-x", "~"].iter().enumerate() {
        let text = |name: char| format!("skill.md escaped\n---\nname: {name}{at}\ndescription: d\n---\n");
        context.tree(&format!("//- project/.codex/skills/{folder}/{}", text('p')));
        context.tree(&format!("//- home/.agents/skills/h{folder}/{}", text('h')));
    }
    let lines = fix(&context);
    assert_eq!(lines.len(), 8, "{lines:#?}");
    for line in &lines {
        let command = line["command"].as_str().unwrap();
        let output = shell(&context, command);
        assert!(output.stderr.contains("renamed "), "{command}\n{output}");
    }
    assert!(!context.project().join("x").exists(), "nothing in a name is run");
    // What cannot be typed is not suggested by name.
    let context = TestContext::new();
    context.tree("//- project/.codex/\n//- project/.codex/skills/red\\x1b[31m/skill.md escaped\n---\nname: n\ndescription: d\n---\n");
    context.tree("//- project/.codex/skills/\\xff/skill.md escaped\n---\nname: n\ndescription: d\n---\n");
    let output = overview(&context, &[]);
    assert!(output.stdout.chars().all(|character| character == '\n' || !character.is_control()), "{output:?}");
    let lines = fix(&context);
    let told: Vec<(&str, bool)> =
        lines.iter().map(|line| (line["command"].as_str().unwrap(), line["fixes"] == true)).collect();
    assert_eq!(told, [("openoxide check", false), ("openoxide check", false)], "{lines:#?}");
}

/// A suggestion that would not help is not made.
#[test]
fn what_cannot_be_fixed_is_not_promised() {
    // Where the link would be, something else is.
    let context = TestContext::new();
    context.tree(&skill_file("project/.agents/skills", "deploy", "deploy"));
    context.tree("//- project/.claude/skills/deploy -> nowhere\n");
    insta::assert_snapshot!(run(&context, &[]).stdout, @"
    project: 1 skill in 1 folder; 1 agent found

      agent        active  name only  ignored  catalog
      Claude Code       0          0        0  6.2k of 8.0k characters (200k window)

    To fix
      1. deploy: Claude Code does not see it, and it cannot be linked:
         `.claude/skills/deploy` is there already, a link that leads nowhere
         openoxide explain deploy
    ");
    // The file is a link, which a fix is not written through.
    let context = TestContext::new();
    context.tree("//- bin/zed exec\n//- elsewhere\n---\nname: n\ndescription: a: b\n---\n");
    context.tree("//- project/.agents/skills/n/SKILL.md -> ../../../../elsewhere\n");
    let lines = fix(&context);
    assert_eq!((&lines[0]["command"], &lines[0]["fixes"]), (&"openoxide check .agents/skills/n".into(), &false.into()));
    assert_eq!(lines.len(), 1, "{lines:#?}");
}

/// An agent that would drop the skill gets it fixed first, then linked.
#[test]
fn a_skill_is_fixed_before_it_is_linked() {
    let context = TestContext::new();
    context.tree(
        "//- bin/zed exec\n//- project/.claude/skills/forms/SKILL.md\n---\nname: forms\ndescription: a: b\n---\n",
    );
    let commands =
        || -> Vec<String> { fix(&context).iter().map(|line| line["command"].as_str().unwrap().to_owned()).collect() };
    assert_eq!(commands(), ["openoxide check --fix .claude/skills/forms"]);
    assert_eq!(shell(&context, &commands()[0]).status, Some(0));
    assert_eq!(commands(), ["openoxide link forms --into zed"]);
    assert_eq!(shell(&context, &commands()[0]).status, Some(0));
    assert_eq!(commands(), [] as [&str; 0]);
}

/// Nothing wraps: at 80 columns no line is longer, unless it ends in one word that cannot be broken.
#[test]
fn no_line_is_longer_than_the_terminal() {
    let project = furnished();
    project.tree(
        "
//- project/.codex/
//- project/.gemini/
//- project/.agents/skills/a-skill-with-a-name-that-is-nearly-as-long-as-it-may-be-at-all/SKILL.md
---
name: a-skill-with-a-name-that-is-nearly-as-long-as-it-may-be-at-all
description: A description that goes on and on, so that it is certain to be longer than any terminal that people sit at
---
//- home/.openoxide/skills/deploy/SKILL.md
---
name: deploy
description: One more of this name
---
",
    );
    let named =
        ["deploy", "release-notes", "pdf_forms", "a-skill-with-a-name-that-is-nearly-as-long-as-it-may-be-at-all"];
    let mut commands = vec![vec![], vec!["-v"]];
    commands.extend(named.map(|name| vec!["explain", name]));
    // What the model gets is printed as it is, however long its lines are.
    for look in LOOKS.into_iter().filter(|look| look[0] != "prompt") {
        commands.push(look.to_vec());
        commands
            .extend(["claude-code", "agentskills", "opencode", "omp"].map(|host| [look, &["--host", host]].concat()));
    }
    let mut long = Vec::new();
    for context in [&project, &defects()] {
        for args in &commands {
            let output = overview(context, args);
            for line in output.stdout.lines().filter(|line| line.width() > 80) {
                // A command is one word here: broken in two it cannot be copied.
                let is_command = args.len() < 2 && line.trim_start().starts_with("openoxide ");
                let is_word = line.split_whitespace().next_back().is_some_and(|word| word.width() > 40);
                if !is_command && !is_word {
                    long.push(format!("{args:?}: {line}"));
                }
            }
            let may_be_silent = matches!(args.first(), Some(&("check" | "explain" | "list")));
            assert!(matches!(output.status, Some(0 | 1)), "{args:?}\n{output}");
            assert!(!output.stdout.is_empty() || may_be_silent, "{args:?}\n{output}");
        }
    }
    assert!(long.is_empty(), "{} lines are too long\n{}", long.len(), long.join("\n"));
}

#[test]
fn skills_of_one_agent_are_offered_to_another() {
    let context = padded();
    context.tree("//- home/.claude/\n//- home/.codex/\n");
    context.tree(&skill_file("project/.codex/skills", "lint", "lint"));
    insta::assert_snapshot!(run(&context, &[]), @"
    status: 0
    ----- stdout -----
    project: 1 skill in 1 folder; 2 agents found

      agent        active  name only  ignored  catalog
      Claude Code       0          0        0  6.2k of 8.0k characters (200k window)
      Codex             1          0        0  11 of 5.4k tokens (272k window)

    To fix
      1. lint is in .codex/skills, where Claude Code does not look
         openoxide link lint --into claude-code --host codex
    ----- stderr -----
    ");
    context.tree(&skill_file("project/.codex/skills", "two", "two"));
    context.tree(&skill_file("project/.codex/skills", "three", "three"));
    let answer = json(&context, &["--json"]);
    let command = answer["to_fix"][0]["command"].as_str().unwrap();
    assert_eq!(command, "openoxide link --all --into claude-code --host codex");
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    assert_eq!(run(&context, &words).status, Some(0));
    assert_eq!(json(&context, &["--json"])["to_fix"].as_array().unwrap().len(), 0, "one command fixes it");
}

#[test]
fn a_narrow_terminal_is_enough() {
    let context = furnished();
    context.tree(
        "
//- project/.codex/
//- project/.agents/skills/long/SKILL.md
---
name: long
description: Fill forms: flatten them too, and then go on for longer than anyone reads
---
//- home/.openoxide/config.toml
[skills]
paths = [\"/a/folder/with/a/long/path\", \"/another/folder/with/a/long/path\"]
",
    );
    let mut long = Vec::new();
    for args in [&[][..], &["list"], &["check"], &["config"], &["roots", "--host", "remcochat"]] {
        let output = context.answer(context.command(bin(), args).env("COLUMNS", "50"));
        let is_word = |line: &str| line.split_whitespace().next_back().is_some_and(|word| word.width() > 25);
        let is_command = |line: &str| line.trim_start().starts_with("openoxide ");
        let lines = output.stdout.lines().filter(|line| line.width() > 50 && !is_word(line) && !is_command(line));
        long.extend(lines.map(|line| format!("{args:?}: {line}")));
        assert!(!output.stdout.is_empty(), "{args:?}\n{output}");
    }
    assert!(long.is_empty(), "{} lines are too long\n{}", long.len(), long.join("\n"));
}

/// A host of one's own may have no templates yet; that is no reason to show nothing.
#[test]
fn a_host_without_templates_is_shown() {
    let context = TestContext::new();
    context.tree(
        "//- home/.openoxide/hosts/acme/host.toml\ntitle = \"Acme\"\nprogram = \"acme 1\"\nroots = []\n[found]\nproject = [\".acme\"]\n//- project/.acme/\n",
    );
    let output = run(&context, &[]);
    assert_eq!(output.status, Some(0), "{output}");
    assert!(output.stdout.contains("Acme") && output.stdout.contains("no templates"), "{output}");
}

/// A command that would overflow a catalog is not suggested; a full catalog says what takes the room.
#[test]
fn advice_makes_nothing_worse() {
    let context = padded();
    context.tree("//- bin/claude exec\n//- bin/codex exec\n");
    for at in 0..30 {
        let about = "words ".repeat(60);
        context.tree(&format!("//- home/.agents/skills/s{at}/SKILL.md\n---\nname: s{at}\ndescription: {about}\n---\n"));
    }
    insta::assert_snapshot!(overview(&context, &[]).stdout, @"
    project: 30 skills in 1 folder; 2 agents found

      agent        active  name only  ignored  catalog
      Claude Code       0          0        0  6.2k of 8.0k characters (200k window)
      Codex            30          0        0  2.9k of 5.4k tokens (272k window)

    To fix
      1. 30 skills are in ~/.agents/skills, where Claude Code does not look; its
         catalog has no room for all of them
         openoxide list
    ");
    // With the skills where Claude Code looks, its catalog is full.
    context.tree("//- home/.claude/skills -> ../.agents/skills\n");
    insta::assert_snapshot!(overview(&context, &[]).stdout, @"
    project: 30 skills in 1 folder; 2 agents found

      agent        active  name only  ignored  catalog
      Claude Code      30         26        0  7.8k of 8.0k characters (200k window)
      Codex            30          0        0  2.9k of 5.4k tokens (272k window)

    To fix
      1. Claude Code shows its model only the names of 26 of 30 skills: its catalog
         is full
         with all descriptions it takes 17.2k characters: 11.0k in ~/.claude/skills
         (30 skills) and 6.2k for the agent's own skills
         the largest: s10 (366), s11 (366) and s12 (366)
         all descriptions would fit without the 25 largest skills; `disable` can
         begin with the first 3 of them
         what gives it more room: `skillListingBudgetFraction` in
         ~/.claude/settings.json and the variable `SLASH_COMMAND_TOOL_CHAR_BUDGET`
         openoxide prompt --host claude-code
         openoxide disable s10 s11 s12 --host claude-code
    ");
    let explained = json(&context, &["explain", "s12", "--json"]);
    assert_eq!(field(&explained["hosts"], "status"), ["name only"], "{explained:#}");
    let answer = answer(&context);
    let prompt = json(&context, &["prompt", "--json", "--host", "claude-code"]);
    let catalog = &answer["agents"][0]["catalog"];
    for key in ["used", "own", "budget", "unit", "window", "full", "shortened", "name_only", "left_out"] {
        assert_eq!(catalog[key], prompt[key], "{key} is one number");
    }
    assert_eq!(catalog["window"]["from"], "default");
    context.tree("//- home/.claude/settings.json\n{\"model\": \"sonnet[1m]\"}\n");
    let prompt = json(&context, &["prompt", "--json", "--host", "claude-code"]);
    assert_eq!((&prompt["window"]["tokens"], &prompt["window"]["from"]), (&1_000_000.into(), &"settings".into()));
    assert_eq!((&prompt["full"], &prompt["name_only"]), (&30.into(), &0.into()), "{prompt:#}");
    let prompt = json(&context, &["prompt", "--json", "--host", "claude-code", "--window", "200000"]);
    assert_eq!((&prompt["window"]["from"], &prompt["budget"]), (&"option".into(), &6_000.into()));
}

/// Tells whether Claude Code shows all descriptions once some skills are off.
fn fits_without(context: &TestContext, off: &[String]) -> bool {
    let overrides: serde_json::Map<String, Value> = off.iter().map(|name| (name.clone(), "off".into())).collect();
    let settings = serde_json::json!({ "skillOverrides": overrides });
    context.tree(&format!("//- home/.claude/settings.json\n{settings}\n"));
    let prompt = json(context, &["prompt", "--json", "--host", "claude-code"]);
    context.tree("//- home/.claude/settings.json\n{}\n");
    prompt["shown"].as_array().unwrap().iter().all(|line| line["how"] == "full")
}

fn field_texts(list: &Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

/// The text says how many skills have to go, and the command names them.
#[test]
fn as_many_skills_are_named_as_have_to_go() {
    let context = padded();
    context.tree("//- bin/claude exec\n");
    let (mut few, mut many) = (false, false);
    for at in 0..20 {
        // Each is shorter than the one before, so that it is known which are the largest.
        let about = "x".repeat(400 - at);
        context.tree(&format!(
            "//- home/.claude/skills/s{at:02}/SKILL.md\n---\nname: s{at:02}\ndescription: {about}\n---\n"
        ));
        let Some(line) = fix(&context).into_iter().find(|line| line["choices"][0].is_string()) else { continue };
        let details = field_texts(&line["details"]);
        let said = details.iter().find(|detail| detail.starts_with("all descriptions would fit")).unwrap();
        // One skill is said in a word, without a number.
        let number = said.split(' ').find_map(|word| word.parse::<usize>().ok()).unwrap_or(1);
        let largest: Vec<String> = (0..number).map(|at| format!("s{at:02}")).collect();
        assert!(fits_without(&context, &largest), "{line:#}");
        assert!(!fits_without(&context, &largest[1..]), "one fewer would do as well: {line:#}");
        let named: Vec<&str> = line["choices"][0].as_str().unwrap().split(' ').collect();
        assert_eq!(named[2..named.len() - 2], largest[..number.min(3)], "{line:#}");
        assert_eq!(said.contains("`disable` can begin with the first 3 of them"), number > 3, "{line:#}");
        (few, many) = (few || number <= 3, many || number > 3);
    }
    assert!(few && many, "both cases came up");
}

/// A plugin's skills take the room, and no setting switches them off one by one.
#[test]
fn a_command_names_no_skill_that_it_cannot_switch() {
    let context = padded();
    let skill = |folder: &str, length: usize| {
        let name = folder.rsplit('/').next().unwrap();
        format!("//- {folder}/SKILL.md\n---\nname: {name}\ndescription: {}\n---\n", "x".repeat(length))
    };
    context.tree(
        r#"
//- bin/claude exec
//- home/.claude/plugins/installed_plugins.json rooted
{"version": 2, "plugins": {"big@market": [{"scope": "user", "installPath": "{root}/market/big"}]}}
//- home/.claude/plugins/known_marketplaces.json rooted
{"market": {"source": {"source": "directory", "path": "{root}/market"}, "installLocation": "{root}/market"}}
//- market/.claude-plugin/marketplace.json
{"name": "market", "owner": {"name": "me"}, "plugins": [{"name": "big", "source": "./big"}]}
//- market/big/.claude-plugin/plugin.json
{"name": "big"}
//- home/.claude/settings.json
{"enabledPlugins": {"big@market": true}}
"#,
    );
    context.tree(&(skill("market/big/skills/b1", 1200) + &skill("market/big/skills/b2", 1200)));
    let full = || fix(&context).into_iter().find(|line| line["text"].as_str().unwrap().contains("is full")).unwrap();
    let line = full();
    assert_eq!(line["choices"].as_array().map_or(0, Vec::len), 0, "nothing can be switched: {line:#}");
    for at in 0..4 {
        context.tree(&skill(&format!("home/.claude/skills/s{at}"), 500));
    }
    let line = full();
    let command = line["choices"][0].as_str().unwrap();
    assert_eq!(command, "openoxide disable s0 s1 s2 --host claude-code", "{line:#}");
    let output = shell(&context, &format!("{command} --yes"));
    assert_eq!(output.status, Some(0), "{output}");
}
