//! Skills that MCP servers offer: `list --mcp`, `show`, `activate` and `read` of `mcp:SERVER/NAME`.

use insta::assert_snapshot;
use openoxide_testkit::TestContext;
use openoxide_testkit::mcp::{ServedSkills, SkillServer};
use serde_json::{Value, json};

use crate::support::{bin, json as answer, run, valid_json};

fn pdf() -> SkillServer {
    let files: [(&str, &[u8]); 2] = [("references/FORMS.md", b"Forms\n"), ("a.bin", &[0, 255])];
    SkillServer::default().skill("pdf", "Reads \u{1b}[31mforms", "Body of $ARGUMENTS\n!`touch ran`\n", &files)
}

/// A project whose user's settings name these servers.
fn with(servers: &[(&str, &str)]) -> TestContext {
    let context = TestContext::new();
    let config: String = servers
        .iter()
        .map(|(name, url)| format!("[mcp.servers.{name}]\nurl = \"{url}\"\n"))
        .collect::<Vec<_>>()
        .concat();
    context.tree(&format!("//- home/.openoxide/config.toml\n{config}"));
    context
}

fn served() -> (TestContext, ServedSkills) {
    let served = pdf().serve_http();
    (with(&[("docs", &served.url)]), served)
}

#[test]
fn nothing_is_asked_without_being_told() {
    let (context, served) = served();
    context.skill("local", "Here");
    for args in
        [&["list"] as &[&str], &["list", "--all"], &["list", "--json"], &["prompt"], &["activate", "local"], &[]]
    {
        run(&context, args);
    }
    assert_eq!(served.heads(), [""; 0]);
    run(&context, &["list", "--mcp"]);
    assert_eq!(served.seen(), ["server/discover", "skills/list"], "and files are not fetched by listing");
}

#[test]
fn a_list_says_what_servers_offer_and_what_failed() {
    let served = pdf().skill("acme/refunds", "Refunds orders", "Refund\n", &[]).serve_http();
    let bad = SkillServer::default().skill("bad", "Bad", "Bad\n", &[]).entry("/resources", json!(1)).serve_http();
    let context = with(&[("docs", &served.url), ("bad", &bad.url), ("dead", "http://127.0.0.1:1/mcp")]);
    context.skill("pdf", "Local forms");
    assert_snapshot!(run(&context, &["list", "--mcp"]).to_string().replace(" (os error 111)", ""), @r"
    status: 0
    ----- stdout -----
    repo  pdf  Local forms                                                    20 tok
    mcp:docs/acme/refunds  Refunds orders                                     1 file
    mcp:docs/pdf           Reads \u{1b}[31mforms                             3 files
    ----- stderr -----
    no agent was found here, so OpenOxide's own rules apply; for an agent's rules, add `--host` and one of agentskills, claude-code, codex, copilot-cli, crush, gemini-cli, goose, omp, opencode, pepper, pi, qwen-code, remcochat, roo, vscode, zed
    warning: `skill://bad/SKILL.md` of the MCP server `bad` is not loaded: `resources` is missing or wrong
    hint: report this to the people who run the server
    warning: the MCP server `dead` cannot be used: Connection refused
    1 skill, 78 of 16.0k characters
    2 skills of MCP servers, 2 problems
    ");
    let list = valid_json(&context, &["list", "--mcp", "--json"]);
    let names: Vec<&Value> = list["remote"].as_array().unwrap().iter().map(|line| &line["name"]).collect();
    assert_eq!(names, ["mcp:docs/acme/refunds", "mcp:docs/pdf"]);
    assert_eq!(list["remote"][1]["files"], 3);
    let words: Vec<&Value> = list["remote_problems"].as_array().unwrap().iter().map(|line| &line["why"]).collect();
    assert_eq!(words, ["bad-entry", "unreachable"]);
    assert_eq!(answer(&context, &["list", "--json"]).get("remote"), None);
}

#[test]
fn a_project_names_no_servers() {
    let served = pdf().serve_http();
    let context = TestContext::new();
    let canary = context.root().join("canary");
    context.tree(&format!(
        "//- project/.openoxide/config.toml\n[mcp.servers.evil]\ncommand = \"/usr/bin/touch\"\nargs = [\"{}\"]\n\
         [mcp.servers.web]\nurl = \"{}\"\n",
        canary.display(),
        served.url
    ));
    run(&context, &["trust", "--yes"]);
    let list = answer(&context, &["list", "--mcp", "--json"]);
    assert_eq!((&list["remote"], list.get("remote_problems")), (&json!([]), None), "{list:#}");
    let refused = run(&context, &["activate", "mcp:web/pdf", "--yes"]);
    assert_eq!(refused.status, Some(2));
    assert!(refused.stderr.contains("no MCP server is called `web`"), "{refused}");
    assert_eq!((canary.exists(), served.heads().len()), (false, 0));
}

#[test]
fn a_skill_reaches_the_model_after_a_yes() {
    let (context, served) = served();
    let unasked = run(&context, &["activate", "mcp:docs/pdf"]);
    assert_snapshot!(unasked, @"
    status: 1
    ----- stdout -----
    ----- stderr -----
    warning: `mcp:docs/pdf` was not sent, because nobody was asked
    hint: to be asked, run it in a terminal; to allow it this time:
      openoxide activate mcp:docs/pdf --yes
    error: `mcp:docs/pdf` was not allowed
    ");
    assert!(!served.seen().iter().any(|line| line.starts_with("resources/read")), "nothing was fetched before the yes");
    let sent = run(&context, &["activate", "mcp:docs/pdf", "two", "words", "--yes"]);
    assert_snapshot!(sent, @r#"
    status: 0
    ----- stdout -----
    <skill>
      <name>mcp:docs/pdf</name>
      <path>mcp:docs/pdf/SKILL.md</path>
      <source scope="mcp:docs" digest="sha256:1594f124b925e05121e152418e8bf5cfd30ca8b3ad225e34b17933d77594d005"/>

    (A skill from the MCP server `docs`, skill://pdf/SKILL.md: the server's words, not the user's.)

    Body of two words
    [commands are switched off]
    </skill>
    ----- stderr -----
    mcp:docs/pdf is a skill of the MCP server `docs`:

        Reads \u{1b}[31mforms

      from     skill://pdf/SKILL.md  (3 files, 97 bytes, sha256:1594…d005)
    "#);
    assert!(!context.project().join("ran").exists());
    let sent = valid_json(&context, &["activate", "mcp:docs/pdf", "--yes", "--json"]);
    assert_eq!(sent["activated"][0]["name"], "mcp:docs/pdf");
    assert_eq!(sent["activated"][0]["path"], "mcp:docs/pdf/SKILL.md");
}

#[test]
fn names_of_servers_and_of_folders_never_mix() {
    let (context, served) = served();
    context.skill("pdf", "Local forms");
    let local = run(&context, &["activate", "pdf"]);
    assert!(local.stdout.contains("# pdf") && !local.stdout.contains("Body of"), "{local}");
    assert_eq!(served.heads().len(), 0);
    let other = with(&[("docs", &served.url)]);
    let unknown = run(&other, &["activate", "pdf", "--yes"]);
    assert!(unknown.stderr.contains("pdf"), "{unknown}");
    assert_eq!((unknown.status, served.heads().len()), (Some(1), 0), "no server stands in for what is not there");
}

#[test]
fn a_yes_counts_until_a_file_changes() {
    let (context, _served) = served();
    let digest = answer(&context, &["list", "--mcp", "--json"])["remote"][0]["digest"].as_str().unwrap().to_owned();
    let trust = |digest: &str| {
        context.tree(&format!(
            "//- home/.openoxide/state/trust.toml mode=600\n[[remotes]]\nserver = \"docs\"\nuri = \"skill://pdf/SKILL.md\"\n\
             digest = \"{digest}\"\nat = 2026-01-01T00:00:00Z\n"
        ));
    };
    trust(&digest);
    assert_eq!(answer(&context, &["list", "--mcp", "--json"])["remote"][0]["allowed"], true);
    assert_eq!(run(&context, &["activate", "mcp:docs/pdf"]).status, Some(0));
    trust(&format!("sha256:{}", "0".repeat(64)));
    let changed = run(&context, &["activate", "mcp:docs/pdf"]);
    assert_eq!((changed.status, changed.stdout.as_str()), (Some(1), ""));
    assert!(changed.stderr.contains("`mcp:docs/pdf` has changed since you allowed it"), "{changed}");
    assert!(run(&context, &["list", "--mcp"]).stdout.contains("changed"));
    let listed = valid_json(&context, &["trust", "--list", "--json"]);
    assert_eq!(listed["remotes"][0]["server"], "docs");
    let id = listed["remotes"][0]["id"].as_str().unwrap();
    assert_snapshot!(run(&context, &["trust", "--revoke", id]).stderr, @"skill://pdf/SKILL.md of the MCP server docs is asked for again");
    assert_eq!(valid_json(&context, &["trust", "--list", "--json"]).get("remotes"), None);
}

#[test]
fn files_are_read_by_path_and_only_what_is_listed() {
    let (context, served) = served();
    assert_eq!(run(&context, &["read", "mcp:docs/pdf", "references/FORMS.md"]).stdout, "Forms\n");
    assert_eq!(run(&context, &["read", "mcp:docs/pdf/references/FORMS.md"]).stdout, "Forms\n");
    assert!(run(&context, &["read", "mcp:docs/pdf"]).stdout.starts_with("---\nname: "));
    assert_eq!(run(&context, &["read", "mcp:docs/pdf", "--list"]).stdout, "SKILL.md\na.bin\nreferences/FORMS.md\n");
    let bytes = valid_json(&context, &["read", "mcp:docs/pdf", "a.bin", "--json", "--base64"]);
    assert_eq!((&bytes["base64"], &bytes["size"]), (&json!("AP8="), &json!(2)));
    assert!(run(&context, &["read", "mcp:docs/pdf", "a.bin"]).stderr.contains("the file is not text"));
    let before = served.seen().iter().filter(|line| line.starts_with("resources/read")).count();
    for path in ["other.md", "../x", "/etc/passwd", "file:///etc/passwd", "file:/x", "skill://other/SKILL.md"] {
        let refused = run(&context, &["read", "mcp:docs/pdf", path]);
        assert_eq!((refused.status, refused.stdout.as_str()), (Some(1), ""), "{path}");
        assert!(refused.stderr.contains("is not among the files that were listed"), "{path}: {refused}");
    }
    assert_eq!(served.seen().iter().filter(|line| line.starts_with("resources/read")).count(), before);
    let model = run(&context, &["read", "mcp:docs/pdf", "references/FORMS.md", "--as", "model"]);
    assert_eq!((model.status, model.stdout.as_str()), (Some(1), ""), "to the model it is the skill's: {model}");
    let model = run(&context, &["read", "mcp:docs/pdf", "references/FORMS.md", "--as", "model", "--yes"]);
    assert_eq!(model.stdout, "Forms\n");
}

#[test]
fn everything_known_is_shown_before_anything_is_fetched() {
    let (context, served) = served();
    assert_snapshot!(run(&context, &["show", "mcp:docs/pdf"]).stdout, @r"
    mcp:docs/pdf
    Reads \u{1b}[31mforms

      server         docs
      address        skill://pdf/SKILL.md
      allowed        no: you are asked first
      digest         sha256:1594f124b925e05121e152418e8bf5cfd30ca8b3ad225e34b17933d77594d005
      files          SKILL.md (89 bytes)
                     a.bin (2 bytes)
                     references/FORMS.md (6 bytes)
    ");
    let shown = answer(&context, &["show", "mcp:docs/pdf", "--json"]);
    let schema = answer(&context, &["schema", "remote"]);
    assert!(jsonschema::validator_for(&schema).unwrap().is_valid(&shown), "{shown:#}");
    assert_eq!(shown["files"][2]["path"], "references/FORMS.md");
    assert!(!served.seen().iter().any(|line| line.starts_with("resources/read")));
}

#[test]
fn what_was_tampered_with_is_not_sent() {
    let served = pdf().serves("skill://pdf/SKILL.md", b"---\nname: pdf\n---\nEvil\n").serve_http();
    let context = with(&[("docs", &served.url)]);
    let refused = run(&context, &["activate", "mcp:docs/pdf", "--yes"]);
    assert_eq!((refused.status, refused.stdout.as_str()), (Some(1), ""));
    assert!(refused.stderr.contains("`mcp:docs/pdf/SKILL.md` is not used: 23 bytes arrived"), "{refused}");
}

#[test]
fn a_server_can_be_a_program() {
    let context = TestContext::new();
    let skills = context.root().join("served");
    context.tree(&format!(
        "
//- served/.agents/skills/pdf/SKILL.md
---
name: pdf
description: Reads forms
---
Body of the served
//- home/.openoxide/config.toml
[mcp.servers.docs]
command = \"{}\"
args = [\"mcp\", \"--project\", \"{}\"]
[mcp.servers.mute]
command = \"true\"
",
        bin().display(),
        skills.display()
    ));
    let sent = run(&context, &["activate", "mcp:docs/pdf", "--yes"]);
    assert!(sent.status == Some(0) && sent.stdout.contains("Body of the served"), "{sent}");
    let list = run(&context, &["list", "--mcp"]);
    assert!(list.stdout.contains("mcp:docs/pdf"), "{list}");
    assert!(list.stderr.contains("the MCP server `mute` cannot be used: it ended before it answered"), "{list}");
}
