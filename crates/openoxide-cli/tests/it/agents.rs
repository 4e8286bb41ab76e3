//! `--agent`, `[permission]` and `[agents]`: whom rules deny a skill, and what they say.

use openoxide_testkit::TestContext;
use serde_json::Value;

use crate::support::{bin, field, run, valid_json};

const RULES: &str = "
//- home/.openoxide/config.toml
[permission.skill]
\"deploy-*\" = \"deny\"
\"deploy-docs\" = \"allow\"

[agents.reviewer]
skills = [\"review\"]

[agents.reviewer.permission.skill]
\"*\" = \"deny\"
review = \"allow\"

[agents.boss.permission]
skill = \"allow\"
";

fn context() -> TestContext {
    let context = TestContext::new();
    for name in ["deploy-docs", "deploy-web", "notes", "review"] {
        context.skill(name, &format!("About {name}"));
    }
    context.tree(RULES);
    context
}

fn names(answer: &Value) -> Vec<&str> {
    field(&answer["skills"], "name")
}

/// Returns name, status and reason of what is ignored.
fn others(answer: &Value) -> Vec<String> {
    let text = |other: &Value, key: &str| other[key].as_str().unwrap_or_default().to_owned();
    let line = |other: &Value| format!("{} {} {}", text(other, "name"), text(other, "status"), text(other, "reason"));
    answer["others"].as_array().into_iter().flatten().map(line).collect()
}

#[test]
fn rules_deny_and_say_which() {
    let context = context();
    let answer = valid_json(&context, &["list", "--json"]);
    assert_eq!(names(&answer), ["deploy-docs", "notes", "review"]);
    let reason = "S0310: the rule `deploy-*` denies it ([ROOT]/home/.openoxide/config.toml:2)";
    assert_eq!(others(&answer), [format!("deploy-web denied {reason}")]);
    insta::assert_snapshot!(run(&context, &["list", "--all"]).stdout, @"
    repo  deploy-docs  About deploy-docs                                      26 tok
    repo  notes        About notes                                            21 tok
    repo  review       About review                                           22 tok
    denied  .agents/skills/deploy-web/SKILL.md
            the rule `deploy-*` denies it (~/.openoxide/config.toml:2) [S0310]
    ");
}

#[test]
fn an_agents_rules_follow_the_users() {
    let context = context();
    let list = |agent: &str| valid_json(&context, &["list", "--json", "--agent", agent]);
    assert_eq!(names(&list("reviewer")), ["review"]);
    assert_eq!(others(&list("reviewer")).len(), 3);
    assert_eq!(names(&list("boss")), ["deploy-docs", "deploy-web", "notes", "review"]);
}

#[test]
fn the_model_never_sees_a_denied_name() {
    let context = context();
    for args in [&["prompt"][..], &["prompt", "--json"], &["list"]] {
        let output = run(&context, args);
        assert!(output.stdout.contains("deploy-docs") && !output.stdout.contains("deploy-web"), "{args:?}\n{output}");
    }
    for host in ["openoxide", "codex", "claude-code", "opencode", "omp", "agentskills"] {
        let output = run(&context, &["prompt", "--json", "--host", host, "--agent", "reviewer"]);
        assert!(!output.stdout.contains("deploy") && !output.stdout.contains("notes"), "{host}\n{output}");
    }
}

/// Whatever a host lists, the model is not told what the user's rules deny.
#[test]
fn no_host_shows_the_model_what_rules_deny() {
    let context = context();
    let all = field(&valid_json(&context, &["hosts", "--all-hosts", "--json"])["hosts"], "name").join(" ");
    let mut showed = 0;
    for host in all.split(' ') {
        let output = run(&context, &["prompt", "--json", "--host", host]);
        assert_eq!(output.status, Some(0), "{host}\n{output}");
        assert!(!output.stdout.contains("deploy-web"), "{host}\n{output}");
        showed += usize::from(output.stdout.contains("deploy-docs"));
    }
    assert!(showed > 3, "{showed} hosts of {all} show anything");
    assert!(run(&context, &["list", "--host", "codex"]).stdout.contains("deploy-web"), "people see what is there");
}

#[test]
fn other_hosts_obey_an_agent_and_nothing_else_of_ours() {
    let context = context();
    let list = |args: &[&str]| names(&valid_json(&context, &[&["list", "--json"], args].concat())).join(" ");
    assert_eq!(list(&["--host", "codex"]), "deploy-docs deploy-web notes review");
    assert_eq!(list(&["--host", "codex", "--agent", "reviewer"]), "review");
    assert_eq!(list(&["--host", "opencode", "--agent", "reviewer"]), "review");
}

#[test]
fn an_unknown_agent_is_an_error_that_names_near_ones() {
    let context = context();
    insta::assert_snapshot!(run(&context, &["list", "--agent", "reviwer"]), @"
    status: 2
    ----- stdout -----
    ----- stderr -----
    error: there is no agent `reviwer`
    hint: did you mean `reviewer`? There are `boss`, `reviewer`
    ");
    insta::assert_snapshot!(run(&context, &["list", "--agent", "zzz"]), @"
    status: 2
    ----- stdout -----
    ----- stderr -----
    error: there is no agent `zzz`
    hint: there are `boss`, `reviewer`
    ");
    let empty = TestContext::new();
    insta::assert_snapshot!(run(&empty, &["list", "--agent", "reviewer"]), @"
    status: 2
    ----- stdout -----
    ----- stderr -----
    error: there is no agent `reviewer`
    hint: add it to your config.toml, as `[agents.NAME]`
    ");
}

#[test]
fn suggested_commands_keep_the_agent() {
    let output = run(&context(), &["list", "--agent", "reviewer"]);
    assert!(output.stderr.contains("openoxide list --all --agent reviewer"), "{output}");
}

/// A project's settings can take away, once trusted; they can never give.
#[test]
fn a_project_denies_and_never_allows() {
    let context = context();
    context.tree(
        "//- project/.openoxide/config.toml\n[permission.skill]\n\"deploy-web\" = \"allow\"\nnotes = \"deny\"\n\
         [agents.reviewer.permission.skill]\nreview = \"ask\"\nnotes = \"allow\"\n\
         [agents.helper.permission]\nskill = \"allow\"\n\
         [hosts.opencode.permission]\nskill = \"allow\"\n\
         //- home/.config/opencode/opencode.json\n{\"permission\": {\"skill\": {\"review\": \"deny\"}}}\n",
    );
    let list = |args: &[&str]| valid_json(&context, &[&["list", "--json", "--host", "openoxide"], args].concat());
    assert_eq!(names(&list(&[])), ["deploy-docs", "notes", "review"], "until it is trusted, it says nothing");
    assert_eq!(run(&context, &["list", "--agent", "helper"]).status, Some(2));
    assert_eq!(run(&context, &["trust"]).status, Some(0));
    let answer = list(&[]);
    assert_eq!(names(&answer), ["deploy-docs", "review"]);
    let messages = field(&answer["problems"], "message");
    let refused = messages.iter().filter(|message| message.starts_with("a project cannot allow anything")).count();
    assert_eq!(refused, 3, "{messages:?}");
    assert_eq!(names(&list(&["--agent", "reviewer"])), ["review"]);
    assert_eq!(names(&list(&["--agent", "helper"])), ["deploy-docs", "review"], "an agent of the project gets no more");
    let prompt = run(&context, &["prompt", "--host", "opencode"]);
    assert!(!prompt.stdout.contains("review") && prompt.stdout.contains("deploy-docs"), "{prompt}");
    assert!(!prompt.stdout.contains("notes"), "what it denies, no model sees: {prompt}");
}

#[test]
fn a_bad_rule_is_an_error_with_its_place() {
    let context = TestContext::new();
    context.skill("a", "About a").tree(
        "//- home/.openoxide/config.toml\nhost = \"openoxide\"\n[[permission.skill]]\npattern = \"a-*\"\n\
         action = \"deny\"\nmatches = [\"a\"]\n",
    );
    insta::assert_snapshot!(run(&context, &["list"]), @"
    status: 2
    ----- stdout -----
    ----- stderr -----
    error: a permission rule is not usable
      Caused by: [ROOT]/home/.openoxide/config.toml:2: the rule `a-*` does not match its example `a`
    hint: fix the rule; OpenOxide does not guess what it means
    ");
    let output = context.run(bin(), ["config", "unset", "permission"]);
    assert_eq!(output.status, Some(0), "and it can still be fixed: {output}");
    assert_eq!(run(&context, &["list"]).status, Some(0));
}

#[test]
fn rules_can_be_set_for_one_run() {
    let context = context();
    let answer = valid_json(&context, &["list", "--json", "--config", "permission.skill.notes=deny"]);
    assert_eq!(names(&answer), ["deploy-docs", "review"]);
    let reason = "S0310: the rule `notes` denies it (command line)";
    assert!(others(&answer).contains(&format!("notes denied {reason}")), "{:?}", others(&answer));
}

#[test]
fn explain_names_the_rule() {
    let output = run(&context(), &["explain", "deploy-web"]);
    assert!(output.stdout.contains("the rule `deploy-*` denies it"), "{output}");
}
