//! `roots`: where a host looks, and by what settings.

use openoxide_testkit::TestContext;

use crate::support::{bin, field, furnished, run, valid_json};

#[test]
fn text() {
    let context = furnished();
    insta::assert_snapshot!(run(&context, &["roots"]), @r#"
    status: 0
    ----- stdout -----
    OpenOxide sees [ROOT]/project
    not trusted in OpenOxide

      1. repo    .openoxide/skills            not there
      2. repo    .agents/skills               1 active, 2 ignored
      3. repo    .claude/skills               1 active
      4. user    ~/.openoxide/skills          not there
      5. user    ~/.agents/skills             2 active
      6. user    ~/.claude/skills             not there
      7. system  ~/.openoxide/skills/.system  not there
      8. admin   /etc/openoxide/skills        not there

    Same name: repo > user > system > admin > plugin, then the order above

    Isolation: [ISOLATION]

    Settings
      ambiguous        "nothing"     default
      budget_chars     16000         default
      budget_share     0.02          default
      claude_roots     true          default
      depth            6             default
      entries          200000        default
      folders          50000         default
      paths            not set       default
      rules            not set       default
      untrusted_loses  true          default

    error  .agents/skills/empty/SKILL.md:1
      the file does not begin with frontmatter [S0100]

    warning  .agents/skills/pdf_forms/SKILL.md:2
      the name differs from its folder [S0102]

    warning  .agents/skills/pdf_forms/SKILL.md:3
      this value is not valid YAML unless it is quoted [S0106]
    ----- stderr -----
    "#);
    insta::assert_snapshot!(run(&context, &["roots", "--host", "codex"]), @"
    status: 0
    ----- stdout -----
    Codex sees [ROOT]/project
    not trusted in OpenOxide

      1. repo    .codex/skills            not there
      2. user    ~/.codex/skills          not there
      3. user    ~/.agents/skills         2 active
      4. system  ~/.codex/skills/.system  not there
      5. admin   /etc/codex/skills        not there
      6. repo    .agents/skills           2 active, 1 ignored

    Same name: repo > user > system > admin, then the order above

    Isolation: [ISOLATION]

    Settings
      budget_tokens    not set       default
      bundled          true          default
      context_window   not set       default
      enabled_plugins  not set       default
      instructions     true          default
      markers          not set       default
      model            not set       default
      plugins          []            default
      plugins_feature  true          default
      rules            not set       default

    warning  ~/.agents/skills/deploy/SKILL.md
      2 skills are called `deploy` [S0308]

    note  ~/.agents/skills/sql-review/SKILL.md:4
      `disable-model-invocation` has no effect in this host [S0123]

    warning  .agents/skills/deploy/SKILL.md
      2 skills are called `deploy` [S0308]

    error  .agents/skills/empty/SKILL.md:1
      the file does not begin with frontmatter [S0100]

    warning  .agents/skills/pdf_forms/SKILL.md:3
      this value is not valid YAML unless it is quoted [S0106]
    ----- stderr -----
    ");
}

#[test]
fn every_level_up_to_the_project() {
    let context = TestContext::new();
    context.tree("//- project/a/b/.agents/skills/near/SKILL.md\n---\nname: near\ndescription: d\n---\n");
    let roots = valid_json(&context, &["roots", "--json", "--project", "a/b"]);
    let repo: Vec<&str> = field(&roots["roots"], "path").into_iter().filter(|path| path.contains("project")).collect();
    insta::assert_snapshot!(repo.join("\n"), @"
    [ROOT]/project/a/b/.openoxide/skills
    [ROOT]/project/a/b/.agents/skills
    [ROOT]/project/a/b/.claude/skills
    [ROOT]/project/a/.openoxide/skills
    [ROOT]/project/a/.agents/skills
    [ROOT]/project/a/.claude/skills
    [ROOT]/project/.openoxide/skills
    [ROOT]/project/.agents/skills
    [ROOT]/project/.claude/skills
    ");
}

#[test]
fn settings_say_where_they_come_from() {
    let context = furnished();
    context.tree(
        "//- home/.codex/config.toml\nproject_root_markers = ['.git', '.hg']\n[skills.bundled]\nenabled = false\n",
    );
    let roots = valid_json(&context, &["roots", "--json", "--host", "codex"]);
    let setting = |name: &str| {
        let all = roots["settings"].as_array().unwrap();
        all.iter().find(|setting| setting["name"] == name).unwrap().clone()
    };
    assert_eq!(setting("bundled")["value"], false);
    assert!(setting("bundled")["origin"].as_str().unwrap().starts_with("[ROOT]/home/.codex/config.toml"));
    assert_eq!(setting("instructions")["origin"], "default");
    let roots = valid_json(&context, &["roots", "--json", "--config", "skills.claude=false"]);
    assert!(!field(&roots["roots"], "path").iter().any(|path| path.contains("/.claude/")), "{roots:#}");
}

#[test]
fn json_answers_its_schema() {
    let context = furnished();
    for host in ["openoxide", "codex", "claude-code", "agentskills"] {
        let roots = valid_json(&context, &["roots", "--json", "--host", host]);
        assert_eq!(roots["trusted"], false);
        assert_eq!(roots["project"], "[ROOT]/project");
        let isolation = &roots["isolation"];
        let is_there = ["bubblewrap", "landlock"].contains(&isolation["mechanism"].as_str().unwrap());
        assert!(is_there || !isolation["missing"].as_array().unwrap().is_empty(), "a reason is given: {isolation:#}");
        assert_eq!(isolation["mechanism"] == "bubblewrap", isolation["version"].is_string(), "{isolation:#}");
    }
}

#[test]
fn the_whole_filesystem_is_refused() {
    insta::assert_snapshot!(run(&TestContext::new(), &["list", "--add-dir", "/"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    no agent was found here, so OpenOxide's own rules apply; for an agent's rules, add `--host` and one of agentskills, claude-code, codex, copilot-cli, crush, gemini-cli, goose, omp, opencode, pepper, pi, qwen-code, remcochat, roo, vscode, zed
    warning: /: the whole filesystem is not searched for skills [S0407]; name the folder that holds the skills
    no skills found; `openoxide roots --add-dir /` shows where they are looked for, `openoxide new NAME --add-dir /` makes one
    ");
    insta::assert_snapshot!(run(&TestContext::new(), &["list", "--add-dir", "nowhere"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    no agent was found here, so OpenOxide's own rules apply; for an agent's rules, add `--host` and one of agentskills, claude-code, codex, copilot-cli, crush, gemini-cli, goose, omp, opencode, pepper, pi, qwen-code, remcochat, roo, vscode, zed
    warning: nowhere: there is no folder `[ROOT]/project/nowhere/` [S0407]; fix the path, or remove it
    no skills found; `openoxide roots --add-dir nowhere` shows where they are looked for, `openoxide new NAME --add-dir nowhere` makes one
    ");
}

/// Claude Code sets the variables of its settings for itself: they win over the shell, and those of the project over the
/// user's.
#[test]
fn variables_that_an_agents_settings_set() {
    let context = TestContext::new();
    let budget = |shell: &str| {
        let mut command = context.command(bin(), ["roots", "--json", "--host", "claude-code"]);
        let output = context.answer(command.env("SLASH_COMMAND_TOOL_CHAR_BUDGET", shell));
        let answer: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
        let setting = answer["settings"].as_array().unwrap().iter().find(|setting| setting["name"] == "budget_chars");
        setting.unwrap()["value"].clone()
    };
    assert_eq!(budget("3000"), 3_000);
    context.tree("//- home/.claude/settings.json\n{\"env\": {\"SLASH_COMMAND_TOOL_CHAR_BUDGET\": \"12000\"}}\n");
    assert_eq!(budget("3000"), 12_000);
    context.tree("//- project/.claude/settings.json\n{\"env\": {\"SLASH_COMMAND_TOOL_CHAR_BUDGET\": 20000}}\n");
    assert_eq!(budget("3000"), 20_000);
    context.tree("//- project/.claude/settings.json\n{\"env\": {\"SLASH_COMMAND_TOOL_CHAR_BUDGET\": \"junk\"}}\n");
    assert_eq!(budget("3000"), serde_json::Value::Null);
}
