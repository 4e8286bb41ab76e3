//! Reads and verifies every listed skill and file with the official MCP inspector, over both transports.

use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use openoxide_testkit::TestContext;
use serde_json::Value;

use super::server;
use super::suite::Suite;
use crate::shell;

/// How many skills are verified at least.
const SKILLS: usize = 50;

/// Verifies a tree of skills over standard input and output, and over HTTP.
pub(super) fn run() -> Result<()> {
    let Some(suite) = Suite::find()? else { return Ok(()) };
    let script = suite.main.ancestors().nth(3).map(|scope| scope.join("inspector/clients/cli/build/index.js"));
    let Some(script) = script.filter(|script| script.is_file()) else {
        shell::say("SKIPPED: the inspector is not installed beside the conformance suite");
        return Ok(());
    };
    let program = shell::build()?;
    let context = TestContext::new();
    for number in 0..SKILLS {
        let name = format!("skill-{number:02}");
        context.skill(&name, &format!("Does the thing number {number}"));
        let folder = format!("project/.agents/skills/{name}");
        context.tree(&format!(
            "//- {folder}/references/guide.md\nGuide {number}\n//- {folder}/run.sh exec\necho {number}\n"
        ));
    }
    let program = program.to_str().context("the program's path is not text")?;
    let (_server, url) = server::start(&context, program.as_ref())?;
    for (way, target) in [("stdio", vec![program, "mcp"]), ("http", vec!["--transport", "http", url.as_str()])] {
        let mut command = context.command(&suite.node, [script.as_os_str()]);
        command.args(["--method", "skills/list", "--verify"]).args(target);
        let (skills, files) = verified(&mut command)?;
        // OpenOxide's own skills come on top.
        ensure!(skills >= SKILLS && files >= 3 * SKILLS, "{way}: {skills} skills and {files} files were verified");
        shell::say(format!("inspector, {way}: {skills} skills and {files} files verified"));
    }
    Ok(())
}

/// Counts the skills and files that were verified; one that was not is an error.
fn verified(command: &mut Command) -> Result<(usize, usize)> {
    let output = command.output().context("the inspector does not start")?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "the inspector failed: {errors}");
    let (mut skills, mut files) = (0, 0);
    for line in String::from_utf8(output.stdout)?.lines().filter(|line| line.starts_with('{')) {
        let skill: Value = serde_json::from_str(line)?;
        ensure!(skill["ok"] == true && skill["outcome"] == "verified", "not verified: {line}");
        let told = skill["files"].as_array().context("no files")?;
        ensure!(told.iter().all(|file| file["status"] == "verified"), "not verified: {line}");
        skills += 1;
        files += told.len();
    }
    Ok((skills, files))
}
