//! `openapi`: tests a running server against its own OpenAPI document, with valid and invalid requests.
//!
//! It needs `schemathesis` (from `PyPI`) on the search path or named by `SCHEMATHESIS`; without it, the task is skipped.

use std::ffi::OsString;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result, bail};
use openoxide_testkit::TestContext;

use crate::shell::{cargo, repository, run, say, step, works};

/// Skills of every kind: plain, with a command that needs a yes, with files, and broken.
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

/// A server that ends when it is dropped.
struct Server {
    child: Child,
    address: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs `cargo xtask openapi [ARGUMENT…]`; arguments go to `schemathesis`.
pub(crate) fn task(args: &[String]) -> Result<()> {
    let program = std::env::var_os("SCHEMATHESIS").unwrap_or_else(|| OsString::from("schemathesis"));
    if !works(Command::new(&program).arg("--version")) {
        say("SKIPPED openapi: `schemathesis` is not installed; `pip install schemathesis`, or name it in SCHEMATHESIS");
        return Ok(());
    }
    step("build", || run(&mut cargo(&["build", "--quiet", "-p", "openoxide-cli"])))?;
    let context = TestContext::new();
    context.tree(TREE);
    let server = start(&context)?;
    // Made-up words first, then those that lead somewhere.
    step("made-up values", || run(&mut ask(&program, None, &server, &context, args)))?;
    let config = context.root().join("schemathesis.toml");
    fs_err::write(&config, CONFIG)?;
    step("known values", || run(&mut ask(&program, Some(&config), &server, &context, args)))
}

fn ask(program: &OsString, config: Option<&Path>, server: &Server, context: &TestContext, args: &[String]) -> Command {
    let mut command = Command::new(program);
    if let Some(config) = config {
        command.arg("--config-file").arg(config);
    }
    command.args(["run", &format!("http://{}/openapi.json", server.address)]);
    // A stream of events has no end.
    command.args(["--exclude-path", "/v1/events", "--continue-on-failure", "--request-timeout", "20"]);
    command.args(args).current_dir(context.root());
    command
}

fn start(context: &TestContext) -> Result<Server> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| repository().join("target"), Into::into);
    let mut command = context.command(
        &target.join("debug/openoxide"),
        ["serve", "--port", "0", "--log", "off", "--auth", "none", "--publish"],
    );
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().context("the server does not start")?;
    let output = child.stdout.take().context("the server has no output")?;
    let mut server = Server { child, address: String::new() };
    for line in BufReader::new(output).lines() {
        if let Some((_, address)) = line?.split_once("http://") {
            address.trim().clone_into(&mut server.address);
            return Ok(server);
        }
    }
    bail!("the server does not say where it listens")
}
