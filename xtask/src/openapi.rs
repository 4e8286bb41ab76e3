//! `openapi`: tests a running server against its own OpenAPI document, with valid and invalid requests.
//!
//! Requests show the access token; the test also asks without it, and with a wrong one, and must then be refused.
//! It needs `schemathesis` (from `PyPI`) on the search path or named by `SCHEMATHESIS`; without it, the task is skipped.

use std::ffi::OsString;
use std::process::Command;

use anyhow::Result;
use openoxide_testkit::TestContext;

use crate::server::Server;
use crate::shell::{build, run, say, step, works};

/// Skills of every kind: plain, with a command that needs approval, with files, and broken.
const TREE: &str = "\
//- project/.agents/skills/deploy/SKILL.md
---
name: deploy
description: Ship it
---
Do $ARGUMENTS
//- project/.agents/skills/notes/SKILL.md
---
name: notes
description: Write notes
---
It is !`date`.
//- project/.agents/skills/notes/ref/a.md
# A
//- project/.agents/skills/bad/SKILL.md
none
";

/// Values that lead somewhere, for what would otherwise be guessed.
const CONFIG: &str = "\
[[operations]]
include-path-regex = \"^/v1/skills/\\\\{id\\\\}\"
parameters = { id = \"notes\", path = \"ref/a.md\", host = \"openoxide\" }

[[operations]]
include-path-regex = \"^/.well-known/\"
parameters = { name = \"notes\", file = \"notes.tar.gz\", path = \"SKILL.md\" }
";

/// Runs `cargo xtask openapi [ARGUMENT…]`; arguments go to `schemathesis`.
pub(crate) fn task(args: &[String]) -> Result<()> {
    let program = std::env::var_os("SCHEMATHESIS").unwrap_or_else(|| OsString::from("schemathesis"));
    if !works(Command::new(&program).arg("--version")) {
        say("SKIPPED openapi: `schemathesis` is not installed; `pip install schemathesis`, or name it in SCHEMATHESIS");
        return Ok(());
    }
    let openoxide = step("build", build)?;
    let context = TestContext::new();
    context.tree(TREE);
    let server =
        Server::start(&mut context.command(&openoxide, ["serve", "--port", "0", "--log", "off", "--publish"]))?;
    let token = context.run(&openoxide, ["token"]).stdout;
    let head = format!("[headers]\nx-api-key = \"{}\"\n", token.trim());
    // Made-up words first, then those that lead somewhere.
    step("made-up values", || run(&mut ask(&program, &head, &server, &context, args)?))?;
    step("known values", || run(&mut ask(&program, &format!("{head}{CONFIG}"), &server, &context, args)?))
}

fn ask(program: &OsString, config: &str, server: &Server, context: &TestContext, args: &[String]) -> Result<Command> {
    // The token stands in a file: what is on a command line, everyone on this machine can read.
    let file = context.root().join("schemathesis.toml");
    fs_err::write(&file, config)?;
    let mut command = Command::new(program);
    command.arg("--config-file").arg(file).args(["run", &format!("{}/openapi.json", server.address)]);
    // A stream of events has no end.
    command.args(["--exclude-path", "/v1/events", "--continue-on-failure", "--request-timeout", "20"]);
    command.args(args).current_dir(context.root());
    Ok(command)
}
