//! The conformance scenarios for servers, against `openoxide serve` with a tree of test skills.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use openoxide_testkit::TestContext;
use serde_json::Value;

use super::suite::{Suite, checks};
use crate::server::Server;
use crate::shell;

/// What a scenario that is run cannot check, because it asks for a tool of the suite's own.
const UNTESTABLE: &str = "Not testable: server does not list the diagnostic tool";

/// Scenarios that every server can pass, whatever its tools, prompts and resources are.
const RUN: &[&str] = &[
    "sep-2640-skills-enumeration",
    "sep-2640-skills-manifest",
    "sep-2640-skills-directory",
    "server-initialize",
    "server-session-lifecycle",
    "server-stateless",
    "ping",
    "tools-list",
    "resources-list",
    "prompts-list",
    "prompts-get-simple",
    "prompts-get-with-args",
    "completion-complete",
    "sep-2164-resource-not-found",
    "dns-rebinding-protection",
    "caching",
    "http-header-validation",
    "server-sse-multiple-streams",
    "input-required-result-unsupported-methods",
];

/// Beginnings of the names of the others, and why they are not run.
const LEFT_OUT: &[(&str, &str)] = &[
    ("tools-call-", "calls a tool of the suite's own"),
    ("json-schema-", "looks at a tool of the suite's own"),
    ("elicitation-", "calls a tool of the suite's own"),
    ("input-required-result-", "calls a tool or prompt of the suite's own"),
    ("http-custom-header-", "calls a tool of the suite's own"),
    ("server-sse-polling", "calls a tool of the suite's own"),
    ("resources-read-", "reads a resource of the suite's own, outside of skills"),
    ("resources-templates-read", "reads a resource of the suite's own, outside of skills"),
    ("resources-subscribe", "subscribes to single resources, which is not offered"),
    ("resources-unsubscribe", "subscribes to single resources, which is not offered"),
    ("prompts-get-", "gets a prompt with parts that skills do not have"),
    ("logging-", "logging to the client is not offered; the protocol has deprecated it"),
    ("tasks-", "tasks are not offered"),
];

/// Runs the scenarios against a server of this build.
pub(super) fn run() -> Result<()> {
    let Some(suite) = Suite::find()? else { return Ok(()) };
    let program = shell::build()?;
    let context = TestContext::new();
    write_tree(&context);
    let (_server, url) = start(&context, &program)?;
    let mut passed = 0;
    for scenario in RUN {
        let (checked, untestable) = judge(&suite, scenario, &url)?;
        let note =
            if untestable > 0 { format!(", {untestable} need a tool of the suite's own") } else { String::new() };
        shell::say(format!("{scenario}: {checked} checks pass{note}"));
        passed += checked;
    }
    tell_the_rest(&suite)?;
    shell::say(format!("conformance {}: {passed} checks of {} server scenarios pass", suite.version, RUN.len()));
    Ok(())
}

/// Writes skills, two of them under the names of prompts that the suite asks for.
fn write_tree(context: &TestContext) {
    context.skill("pdf", "Fills in forms").skill("notes", "Takes notes").skill("test_simple_prompt", "Says something");
    context.tree(
        "//- project/.agents/skills/notes/references/form.md\nForm\n\
         //- project/.agents/skills/pdf/references/tables.md\nTables\n\
         //- project/.agents/skills/pdf/scripts/fill.sh exec\necho fill\n\
         //- project/.agents/skills/test_prompt_with_arguments/SKILL.md\n---\nname: test_prompt_with_arguments\n\
         description: Says something with arguments\narguments: [arg1, arg2]\n---\nSay $arg1 and $arg2.\n",
    );
}

/// Starts a server that asks for no token, because the suite shows none; returns where MCP is, too.
pub(super) fn start(context: &TestContext, program: &Path) -> Result<(Server, String)> {
    let mut command = context.command(program, ["serve", "--port", "0", "--log", "off", "--auth", "none"]);
    let server = Server::start(&mut command)?;
    let url = format!("{}/mcp", server.address);
    Ok((server, url))
}

/// Runs a scenario; returns how many checks passed, and how many the suite cannot make without a tool of its own.
fn judge(suite: &Suite, scenario: &str, url: &str) -> Result<(usize, usize)> {
    let results = tempfile::tempdir()?;
    let mut command = Command::new(&suite.node);
    command.arg(&suite.main).args(["server", "--url", url, "--scenario", scenario, "--output-dir"]).arg(results.path());
    let output = command.output().context("the suite does not start")?;
    let checks = checks(results.path())?;
    let said = || format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let (mut passed, mut untestable) = (0, 0);
    for check in &checks {
        let why = check["errorMessage"].as_str().unwrap_or_default();
        match check["status"].as_str() {
            Some("SUCCESS") => passed += 1,
            Some("INFO" | "SKIPPED") => {}
            _ if why.starts_with(UNTESTABLE) || needs_trigger(check) => untestable += 1,
            _ => anyhow::bail!("{scenario}: {} failed:\n{}", check["id"], said()),
        }
    }
    ensure!(passed > 0, "{scenario} checked nothing:\n{}", said());
    Ok((passed, untestable))
}

/// Tells whether a check waits for a change that only a tool of the suite's own could make.
fn needs_trigger(check: &Value) -> bool {
    check["status"] == "WARNING" && check["id"].as_str().is_some_and(|id| id.ends_with("list-changed-on-subscription"))
}

/// Says of every other scenario why it is not run; one without a reason is an error.
fn tell_the_rest(suite: &Suite) -> Result<()> {
    let list = shell::answer(Command::new(&suite.node).arg(&suite.main).arg("list"))?;
    let servers = list.lines().skip_while(|line| !line.starts_with("Server scenarios")).skip(1);
    let names = servers.take_while(|line| !line.trim().is_empty()).filter_map(|line| line.trim().strip_prefix("- "));
    for name in names.filter_map(|line| line.split_whitespace().next()).filter(|name| !RUN.contains(name)) {
        let why = LEFT_OUT.iter().find(|(start, _)| name.starts_with(start)).map(|(_, why)| why);
        let why = why.with_context(|| format!("the suite has a new scenario, `{name}`; run it, or say why not"))?;
        shell::say(format!("{name}: not run: {why}"));
    }
    Ok(())
}
