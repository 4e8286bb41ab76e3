//! `config`: settings with their origin, and edits that keep comments.

use std::ffi::OsStr;

use openoxide_testkit::TestContext;

use crate::support::{json, padded, run, run_with, snapshot_of, valid_json};

fn value(context: &TestContext, key: &str, more: &[&str]) -> (serde_json::Value, String) {
    let mut args = vec!["config", "get", key, "--json"];
    args.extend(more);
    let answer = json(context, &args);
    let value = &answer["values"][0];
    (value["value"].clone(), value["origin"].as_str().unwrap().to_owned())
}

#[test]
fn text() {
    insta::assert_snapshot!(run(&TestContext::new(), &["config"]), @r#"
    status: 0
    ----- stdout -----
    agents                  not set
    budget.share            0.02          default
    budget.unknown_chars    16000         default
    check.ignore            []            default
    check.select            []            default
    color                   "auto"        default
    connectors.names        []            default
    host                    not set
    hosts                   not set
    limits.depth            6             default
    limits.entries          200000        default
    limits.folders          50000         default
    mcp.servers             not set
    mentions.ambiguous      "nothing"     default
    model                   not set
    models                  not set
    my_agents               not set
    permission              not set
    sandbox.file_size       268435456     default
    sandbox.memory          1073741824    default
    sandbox.network         false         default
    sandbox.output          1048576       default
    sandbox.processes       64            default
    sandbox.shell_output    65536         default
    sandbox.shell_time      10            default
    sandbox.time            120           default
    sandbox.writable        []            default
    skills.allowed_tools    "preapprove"  default
    skills.claude           true          default
    skills.config           []            default
    skills.paths            []            default
    skills.profiles         "ask"         default
    skills.shell            true          default
    skills.untrusted_loses  true          default
    trust.folders           []            default
    ----- stderr -----
    "#);
}

#[test]
fn layers_and_origins() {
    let context = TestContext::new();
    context.tree(
        "//- home/.openoxide/config.toml\n# mine\nhost = 'codex'\n[limits]\ndepth = 4\n\
         //- project/.openoxide/config.toml\nhost = 'claude-code'\n",
    );
    assert_eq!(value(&context, "budget.share", &[]), (0.02.into(), "default".to_owned()));
    assert_eq!(value(&context, "limits.depth", &[]), (4.into(), "[ROOT]/home/.openoxide/config.toml:4".to_owned()));
    assert_eq!(value(&context, "host", &[]).0, "codex", "an untrusted project is ignored");
    let trust = format!("trust.folders=[{:?}]", context.project());
    let (host, origin) = value(&context, "host", &["--config", &trust]);
    assert_eq!((host, origin.as_str()), ("claude-code".into(), "[ROOT]/project/.openoxide/config.toml:1"));
    assert_eq!(value(&context, "host", &["--config", "host=agentskills", "--config", &trust]).0, "agentskills");
    let output = run_with(&context, &["config", "get", "host"], &[("OPENOXIDE_HOST", OsStr::new("openoxide"))]);
    insta::assert_snapshot!(output, @r#"
    status: 0
    ----- stdout -----
    host  "openoxide"   $OPENOXIDE_HOST
    ----- stderr -----
    warning: .openoxide/config.toml: the project's settings are ignored, because the project is not trusted [S0404]; if the project is yours: `openoxide trust`
    "#);
}

#[test]
fn the_home_can_be_moved() {
    let context = TestContext::new();
    context.tree("//- other/config.toml\nhost = 'codex'\n");
    let home = context.root().join("other");
    let output = run_with(&context, &["config", "get", "host"], &[("OPENOXIDE_HOME", home.as_os_str())]);
    assert!(output.stdout.contains("codex"), "{output}");
}

#[test]
fn an_unknown_key_has_a_suggestion() {
    let context = TestContext::new();
    context.tree("//- home/.openoxide/config.toml\n[skills]\npahts = []\n[limits]\ndepth = 'deep'\n");
    insta::assert_snapshot!(run(&context, &["list"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    no agent was found here, so OpenOxide's own rules apply; for an agent's rules, add `--host` and one of agentskills, claude-code, codex, copilot-cli, crush, gemini-cli, goose, omp, opencode, pepper, pi, qwen-code, remcochat, roo, vscode, zed
    warning: ~/.openoxide/config.toml:2: there is no setting `skills.pahts` [S0402]; did you mean `skills.paths`?
    warning: ~/.openoxide/config.toml:4: `limits.depth` must be a whole number, 1 or more [S0403]; the value is ignored until it is fixed
    no skills found; `openoxide roots` shows where they are looked for, `openoxide new NAME` makes one
    ");
    insta::assert_snapshot!(run(&context, &["config", "get", "skills.pahts"]), @"
    status: 2
    ----- stdout -----
    ----- stderr -----
    error: there is no setting `skills.pahts`
    hint: did you mean `skills.paths`?
    ");
    insta::assert_snapshot!(run(&context, &["config", "set", "colour", "never"]), @"
    status: 2
    ----- stdout -----
    ----- stderr -----
    error: there is no setting `colour`
    hint: did you mean `color`?
    ");
    let answer = valid_json(&context, &["config", "--json"]);
    assert_eq!(answer["problems"][0]["code"], "S0402");
    assert_eq!(answer["problems"][0]["line"], 2);
    assert_eq!(answer["problems"][0]["help"], "did you mean `skills.paths`?");
    assert_eq!(answer["problems"][1]["code"], "S0403");
    assert_eq!(value(&context, "limits.depth", &[]).0, 6, "the default counts");
}

#[test]
fn a_broken_file_does_not_hide_skills() {
    let context = padded();
    context.skill("good", "Counts").tree("//- home/.openoxide/config.toml\nhost = \n");
    insta::assert_snapshot!(run(&context, &["list"]), @"
    status: 0
    ----- stdout -----
    repo  good  Counts                                                        38 tok
    ----- stderr -----
    no agent was found here, so OpenOxide's own rules apply; for an agent's rules, add `--host` and one of agentskills, claude-code, codex, copilot-cli, crush, gemini-cli, goose, omp, opencode, pepper, pi, qwen-code, remcochat, roo, vscode, zed
    warning: ~/.openoxide/config.toml:1: the file is not valid TOML: string values must be quoted, expected literal string [S0401]; fix the file; until then no skill is activated
    1 skill, 150 of 16.0k characters
    ");
}

#[test]
fn set_and_unset_keep_comments() {
    let context = TestContext::new();
    context.tree("//- home/.openoxide/config.toml\n# top\ncolor = 'auto' # why\n\n[skills] # of mine\nclaude = true\n");
    let file = context.home().join(".openoxide/config.toml");
    insta::assert_snapshot!(run(&context, &["config", "set", "color", "never"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    color is set in ~/.openoxide/config.toml
    ");
    run(&context, &["config", "set", "skills.paths", "['~/more']"]);
    run(&context, &["config", "set", "limits.depth", "3"]);
    insta::assert_snapshot!(fs_err::read_to_string(&file).unwrap(), @r#"
    # top
    color = "never" # why

    [skills] # of mine
    claude = true
    paths = ["~/more"]

    [limits]
    depth = 3
    "#);
    insta::assert_snapshot!(run(&context, &["config", "unset", "skills.claude"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    skills.claude is removed from ~/.openoxide/config.toml
    ");
    insta::assert_snapshot!(run(&context, &["config", "unset", "skills.claude"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    skills.claude was not set in ~/.openoxide/config.toml
    ");
    assert!(!fs_err::read_to_string(&file).unwrap().contains("claude"));
    assert_eq!(value(&context, "limits.depth", &[]).0, 3);
}

#[test]
fn bad_values_are_refused() {
    let context = TestContext::new();
    insta::assert_snapshot!(run(&context, &["config", "set", "limits.depth", "deep"]), @"
    status: 2
    ----- stdout -----
    ----- stderr -----
    error: `limits.depth` must be a whole number, 1 or more
    hint: The deepest folder below a root that may be a skill.
    ");
    insta::assert_snapshot!(run(&context, &["config", "set", "color", "sometimes"]), @"
    status: 2
    ----- stdout -----
    ----- stderr -----
    error: `color` must be one of `auto`, `always`, `never`
    hint: When to use color.
    ");
    insta::assert_snapshot!(run(&context, &["config", "set", "trust.folders", "['/']", "--in-project"]), @"
    status: 2
    ----- stdout -----
    ----- stderr -----
    error: a project cannot set `trust.folders`
    hint: leave out --in-project
    ");
    assert!(!context.home().join(".openoxide").exists() && !context.project().join(".openoxide").exists());
}

/// The token of a server is for that server alone.
#[test]
fn a_server_at_another_address_does_not_keep_the_token() {
    let context = TestContext::new();
    let private = "[mcp.servers.private]\nurl = \"https://a.example/mcp\"\ntoken_env = \"SKILLS_TOKEN\"\n";
    context.tree(&format!("//- home/.openoxide/config.toml\n{private}"));
    let text = || fs_err::read_to_string(context.home().join(".openoxide/config.toml")).unwrap();
    assert_eq!(run(&context, &["config", "set", "mcp.servers.private.enabled", "false"]).status, Some(0));
    assert_eq!(text(), format!("{private}enabled = false\n"));
    insta::assert_snapshot!(run(&context, &["config", "set", "mcp.servers.private.url", "http://plain.example/mcp"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    mcp.servers.private.url is set in ~/.openoxide/config.toml
    warning: mcp.servers.private.token_env: removed, because the server is another one now; set anew what it may have
    ");
    assert_eq!(text(), "[mcp.servers.private]\nurl = \"http://plain.example/mcp\"\nenabled = false\n");
    let before = text();
    insta::assert_snapshot!(run(&context, &["config", "set", "mcp.servers.private.token_env", "SKILLS_TOKEN"]), @"
    status: 2
    ----- stdout -----
    ----- stderr -----
    error: `mcp.servers.private`: a token is sent to `https://` or to this machine only
    hint: Servers of tools by name: `command` with `args` and `env` (names of variables), or `url`, with `token_env` (the name of a variable) or `token_file` (a path) if it wants a token; `transport` and `enabled`.
    ");
    insta::assert_snapshot!(run(&context, &["config", "unset", "mcp.servers.private.url"]), @"
    status: 2
    ----- stdout -----
    ----- stderr -----
    error: `mcp.servers.private`: a server has either `command` or `url`
    hint: to remove it as a whole, remove `mcp.servers.private`
    ");
    assert_eq!(text(), before, "what would not count is not written");
    let answer = json(&context, &["config", "set", "mcp.servers.private.command", "x", "--json"]);
    assert_eq!(answer["changes"][1]["target"], "mcp.servers.private.url", "{answer}");
}

#[test]
fn settings_of_a_host() {
    let context = TestContext::new();
    context.tree("//- home/.openoxide/config.toml\n[hosts.codex]\nbundled = false\nnonsense = 1\n");
    let roots = json(&context, &["roots", "--json", "--host", "codex"]);
    let bundled = roots["settings"].as_array().unwrap().iter().find(|setting| setting["name"] == "bundled").unwrap();
    assert_eq!(bundled["value"], false, "{roots:#}");
    assert!(bundled["origin"].as_str().unwrap().contains("config.toml"), "{bundled}");
    let unknown = roots["problems"].as_array().unwrap().iter().find(|problem| problem["code"] == "S0402");
    assert!(unknown.is_some_and(|problem| problem["message"].as_str().unwrap().contains("nonsense")), "{roots:#}");
}

#[test]
fn files() {
    let context = TestContext::new();
    context.tree("//- project/.openoxide/config.toml\nhost = 'codex'\n");
    insta::assert_snapshot!(run(&context, &["config", "path"]), @"
    status: 0
    ----- stdout -----
    /etc/openoxide/config.toml  not there
    ~/.openoxide/config.toml  not there
    .openoxide/config.toml  ignored: the project is not trusted
    ----- stderr -----
    ");
}

#[test]
fn a_project_cannot_trust_itself() {
    let context = TestContext::new();
    context.tree("//- project/.openoxide/config.toml rooted\ntrust.folders = ['{root}/project']\n");
    assert_eq!(json(&context, &["roots", "--json"])["trusted"], false);
    let trust = format!("trust.folders=[{:?}]", context.project());
    let answer = json(&context, &["config", "--json", "--config", &trust]);
    assert!(answer["problems"].as_array().unwrap().iter().any(|problem| problem["code"] == "S0403"), "{answer:#}");
}

#[test]
fn json_answers_its_schema() {
    let answer = valid_json(&TestContext::new(), &["config", "--json"]);
    assert!(answer["values"].as_array().unwrap().len() > 10);
}

#[test]
fn what_is_set_and_unset_leaves_nothing() {
    let context = TestContext::new();
    // The home folder itself has another time of change when something came and went in it.
    let files = || -> Vec<String> {
        let home = context.home().display().to_string();
        snapshot_of(context.root()).into_iter().filter(|line| !line.starts_with(&format!("{home} "))).collect()
    };
    let before = files();
    assert_eq!(run(&context, &["config", "set", "color", "never"]).status, Some(0));
    insta::assert_snapshot!(run(&context, &["config", "unset", "color"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    color is removed from ~/.openoxide/config.toml
    ~/.openoxide/config.toml had nothing else in it, so it is removed, and its empty folder with it
    ");
    assert_eq!(files(), before);
}
