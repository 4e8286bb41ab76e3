//! A new host is a folder with data: nothing is compiled for it.

use std::fmt::Write as _;

use openoxide_skills::host::Hosts;
use openoxide_testkit::TestContext;

use crate::support::{field, json, padded, run, valid_json};

const HOST: &str = r#"
//- home/.openoxide/hosts/acme/host.toml
title = "Acme"
program = "acme 3.1"
about = "A made-up agent."

[settings.extra]
about = "More folders."
type = "list"
from = [{ file = "~/.acme/settings.json", key = "skills.more" }]

[[roots]]
path = "{project}/.acme/skills"
scope = "repo"

[[roots]]
path = "{listed}"
listed = "extra"
scope = "user"

[scan]
layout = "child"
files = ["ABILITY.md"]

[parse.name]
from = ["folder"]

[parse.description]
required = true
max = 40

[collide]
names = "first"

[list]
order = ["name"]

[catalog]
order = ["name"]

[budget]
fit = ["full"]
//- home/.openoxide/hosts/acme/entry.jinja
* {{ name }}{% if description %} -- {{ description }}{% endif %}
//- home/.openoxide/hosts/acme/catalog.jinja
ABILITIES
{{ entries }}
END
//- home/.openoxide/hosts/acme/editions/next.toml
program = "acme 4.0"
[scan]
files = ["SKILL.md", "ABILITY.md"]
//- project/.acme/skills/build/ABILITY.md
---
name: ignored
description: Build it
---
//- project/.acme/skills/long/ABILITY.md
---
description: A description that is longer than forty characters
---
//- project/.acme/skills/modern/SKILL.md
---
description: Counts in the next edition
---
//- home/.acme/settings.json
{"skills": {"more": ["~/.acme/mine"]}}
//- home/.acme/mine/ask/ABILITY.md
---
description: Ask me
---
"#;

fn acme() -> TestContext {
    let context = padded();
    context.tree(HOST);
    context
}

#[test]
fn lists() {
    let context = acme();
    insta::assert_snapshot!(run(&context, &["list", "--all", "--host", "acme"]), @"
    status: 0
    ----- stdout -----
    user  ask    Ask me                                                        4 tok
    repo  build  Build it                                                      5 tok
    invalid  .acme/skills/long/ABILITY.md
             the description has 50 characters, 40 are allowed [S0121]
    invalid  .acme/skills/modern/SKILL.md
             the file is called `SKILL.md`, not `ABILITY.md` [S0008]
    ----- stderr -----
    2 skills, 35 characters, no limit; 2 more are ignored
    ");
    let list = valid_json(&context, &["list", "--json", "--host", "acme"]);
    assert_eq!(list["host"], "acme");
    assert_eq!(field(&list["skills"], "name"), ["ask", "build"]);
}

#[test]
fn prompts() {
    insta::assert_snapshot!(run(&acme(), &["prompt", "--host", "acme"]), @"
    status: 0
    ----- stdout -----
    ABILITIES
    * ask -- Ask me
    * build -- Build it
    END
    ----- stderr -----
    catalog for acme: 2 skills, 35 characters, no limit
      invalid    1   long   (openoxide list --all --host acme)
    ");
}

#[test]
fn shows_and_explains() {
    let context = acme();
    let hosts = valid_json(&context, &["hosts", "--all-hosts", "--json"]);
    let names = Hosts::builtin();
    let names = names.names().filter(|name| *name != "openoxide");
    let names: Vec<&str> = ["openoxide", "acme"].into_iter().chain(names).collect();
    assert_eq!(field(&hosts["hosts"], "name"), names, "no agent is found, so our own rules come first");
    let acme = &hosts["hosts"][1];
    assert_eq!((&acme["sees"], &acme["program"]), (&2.into(), &"acme 3.1".into()));
    assert_eq!(acme["editions"], serde_json::json!(["next"]));
    assert_eq!(acme["folder"], "[ROOT]/home/.openoxide/hosts/acme");
    insta::assert_snapshot!(run(&context, &["hosts", "--all-hosts"]), @"
    status: 0
    ----- stdout -----
      #  host         found  active  ignored  rules of
      1  openoxide    no          0        0  openoxide 0.1.0
      2  acme         no          2        1  acme 3.1  @next
      3  agentskills  no          0        0  skills-ref 0.1.1
      4  claude-code  no          0        0  claude-code 2.1.325  @2.1.240 @seed
      5  codex        no          0        0  codex 0.166.0  @seed
      6  copilot-cli  no          0        0  copilot-cli docs of 2026-08
      7  crush        no          0        0  crush at commit 37f36e93
      8  gemini-cli   no          0        0  gemini-cli 0.61.0
      9  goose        no          0        0  goose at commit ca26f01d
     10  omp          no          0        0  omp 18.2.3  @seed
     11  opencode     no          0        0  opencode 1.18.33  @seed-001 @seed-002
     12  pepper       no          0        0  pepper RFC-010 of 2026-01-31  @code
     13  pi           no          0        0  pi 0.73.1
     14  qwen-code    no          0        0  qwen-code at commit db051956
     15  remcochat    no          0        0  remcochat spec of 2026-02-03  @code
     16  roo          no          0        0  roo-code at commit cb836567
     17  vscode       no          0        0  vscode docs of 2026-08-19
     18  zed          no          0        0  zed at commit 7eec8920

    2 skills  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15 16 17 18
    ask       ·  ●  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·
    build     ·  ●  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·
    ----- stderr -----
    no agent was found here, so OpenOxide's own rules apply; for an agent's rules, add `--host` and one of acme, agentskills, claude-code, codex, copilot-cli, crush, gemini-cli, goose, omp, opencode, pepper, pi, qwen-code, remcochat, roo, vscode, zed
    ● active  ○ ignored  · not found   why: openoxide explain SKILL
    ");
    insta::assert_snapshot!(run(&context, &["explain", "build"]), @"
    status: 0
    ----- stdout -----
    build: 1 found

      .acme/skills/build/ABILITY.md  repo

      OpenOxide  not found  it looks only in .openoxide/skills, .agents/skills,
                            .claude/skills, ~/.openoxide/skills, ~/.agents/skills,
                            ~/.claude/skills
      17 other agents (active in Acme): openoxide explain build --all-hosts
    ----- stderr -----
    no agent was found here, so OpenOxide's own rules apply; for an agent's rules, add `--host` and one of acme, agentskills, claude-code, codex, copilot-cli, crush, gemini-cli, goose, omp, opencode, pepper, pi, qwen-code, remcochat, roo, vscode, zed
    ");
    let check = json(&context, &["check", "--json", "--host", "acme"]);
    assert_eq!(field(&check["checked"], "name"), ["ask", "build", "long", "modern"]);
}

#[test]
fn an_edition_is_an_overlay() {
    let list = valid_json(&acme(), &["list", "--json", "--host", "acme@next"]);
    assert_eq!(list["host"], "acme@next");
    assert_eq!(field(&list["skills"], "name"), ["ask", "build", "modern"]);
}

#[test]
fn it_can_be_the_default() {
    let list = json(&acme(), &["list", "--json", "--config", "host=acme"]);
    assert_eq!(field(&list["skills"], "name"), ["ask", "build"]);
}

#[test]
fn a_bad_one_is_reported_and_the_others_go_on() {
    let rows = [
        ("unknown", "title = \"X\"\nprogram = \"x 1\"\nroots = []\nrots = []\n", 4),
        ("type", "title = \"X\"\nprogram = \"x 1\"\nroots = 1\n", 3),
        ("syntax", "title = \"X\nprogram = \"x 1\"\n", 1),
        ("value", "title = \"X\"\nprogram = \"x 1\"\nroots = []\n[scan]\nlayout = \"spiral\"\n", 5),
    ];
    for (name, text, line) in rows {
        let context = acme();
        context.tree(&format!("//- home/.openoxide/hosts/{name}/host.toml\n{text}"));
        let roots = json(&context, &["roots", "--json"]);
        let problem = roots["problems"].as_array().unwrap().iter().find(|problem| problem["code"] == "S0405");
        let problem = problem.unwrap_or_else(|| panic!("{name}: {roots:#}"));
        assert_eq!(problem["path"], format!("[ROOT]/home/.openoxide/hosts/{name}/host.toml"));
        let mut said = String::new();
        write!(said, "{} {}", problem["line"], problem["message"]).unwrap();
        assert!(said.starts_with(&format!("{line} ")) || said.contains(&format!("line {line}")), "{name}: {said}");
        let list = json(&context, &["list", "--json", "--host", "acme"]);
        assert_eq!(field(&list["skills"], "name"), ["ask", "build"], "{name}");
        let output = run(&context, &["list", "--host", name]);
        assert_eq!(output.status, Some(2), "{name}: {output}");
    }
}

#[test]
fn a_bad_one_in_text() {
    let context = padded();
    context.skill("good", "Counts");
    context.tree("//- home/.openoxide/hosts/bad/host.toml\ntitle = \"X\"\nprogram = \"x 1\"\nrots = []\n");
    insta::assert_snapshot!(run(&context, &["list"]), @"
    status: 0
    ----- stdout -----
    repo  good  Counts                                                        38 tok
    ----- stderr -----
    no agent was found here, so OpenOxide's own rules apply; for an agent's rules, add `--host` and one of agentskills, claude-code, codex, copilot-cli, crush, gemini-cli, goose, omp, opencode, pepper, pi, qwen-code, remcochat, roo, vscode, zed
    warning: ~/.openoxide/hosts/bad/host.toml: the host is not usable: TOML parse error at line 3, column 1
      |
    3 | rots = []
      | ^^^^
    unknown field `rots`, expected one of `title`, `program`, `versions`, `about`, `standard`, `vars`, `found`, `strict_files`, `project`, `layers`, `variables`, `settings`, `agents`, `switch`, `roots`, `scan`, `namespace`, `parse`, `sidecar`, `collide`, `own_permissions`, `controls`, `list`, `catalog`, `budget`, `mention`, `activation`, `arguments`, `shell`, `files`, `hooks`, `resource`, `fork`, `preload`, `texts`, `user_texts`, `tools`, `serve`, `deviations`, `more_deviations` [S0405]; fix the file; the host is left out until then
    1 skill, 150 of 16.0k characters
    ");
    insta::assert_snapshot!(run(&context, &["list", "--host", "bad"]), @"
    status: 2
    ----- stdout -----
    ----- stderr -----
    error: host file `[ROOT]/home/.openoxide/hosts/bad/host.toml` is not usable: TOML parse error at line 3, column 1
      |
    3 | rots = []
      | ^^^^
    unknown field `rots`, expected one of `title`, `program`, `versions`, `about`, `standard`, `vars`, `found`, `strict_files`, `project`, `layers`, `variables`, `settings`, `agents`, `switch`, `roots`, `scan`, `namespace`, `parse`, `sidecar`, `collide`, `own_permissions`, `controls`, `list`, `catalog`, `budget`, `mention`, `activation`, `arguments`, `shell`, `files`, `hooks`, `resource`, `fork`, `preload`, `texts`, `user_texts`, `tools`, `serve`, `deviations`, `more_deviations`
    ");
}

#[test]
fn a_bad_template_is_an_error_of_prompt_only() {
    let context = acme();
    context.tree("//- home/.openoxide/hosts/acme/entry.jinja\n{{ no_such_name }}\n");
    let output = run(&context, &["prompt", "--host", "acme"]);
    assert_eq!((output.status, output.stdout.as_str()), (Some(2), ""), "{output}");
    assert!(output.stderr.contains("entry"), "{output}");
    assert_eq!(run(&context, &["list", "--host", "acme"]).status, Some(0));
}

/// A folder with a built-in host's name takes its place, and says so.
#[test]
fn a_built_in_host_can_be_replaced() {
    let context = TestContext::new();
    context.tree(&HOST.replace("/hosts/acme/", "/hosts/codex/"));
    let hosts = json(&context, &["hosts", "--all-hosts", "--json"]);
    let codex = hosts["hosts"].as_array().unwrap().iter().find(|host| host["name"] == "codex").unwrap();
    assert_eq!(codex["program"], "acme 3.1");
    assert_eq!(codex["folder"], "[ROOT]/home/.openoxide/hosts/codex");
}

#[test]
fn a_host_without_templates_says_what_to_do() {
    let context = acme();
    fs_err::remove_file(context.home().join(".openoxide/hosts/acme/entry.jinja")).unwrap();
    let output = run(&context, &["prompt", "--host", "acme"]);
    assert!(output.stderr.contains("hint: add the template to the host's folder"), "{output}");
}

#[test]
fn a_host_of_the_users_own_can_be_typed() {
    let context = acme();
    assert_eq!(run(&context, &["list", "--host", "acme"]).status, Some(0));
}
