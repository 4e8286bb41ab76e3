//! The conformance scenarios for clients; `conformance/client.sh` turns the suite's address into commands.

use anyhow::{Context as _, Result};

use super::suite::Suite;
use crate::shell;

const SCENARIOS: [&str; 4] = [
    "sep-2640-client-no-prefetch",
    "sep-2640-client-verify-digest",
    "sep-2640-client-verify-size",
    "sep-2640-client-verify-frontmatter",
];

/// Runs every scenario that is about clients of skills.
pub(super) fn run() -> Result<()> {
    let Some(suite) = Suite::find()? else { return Ok(()) };
    let program = shell::build()?;
    let script = shell::repository().join("xtask/conformance/client.sh");
    let script = script.to_str().context("the repository's path is not UTF-8")?;
    shell::say(format!("conformance suite {}, clients", suite.version));
    for scenario in SCENARIOS {
        let home = tempfile::tempdir()?;
        let passed = suite.scenario("client", scenario, |command| {
            command.args(["--command", script]);
            command.env("OPENOXIDE", &program).env("HOME", home.path()).current_dir(home.path());
        })?;
        shell::say(format!("  {scenario}: {passed} passed"));
    }
    Ok(())
}
